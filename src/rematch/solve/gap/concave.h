// SPDX-License-Identifier: Apache-2.0
// Concave piecewise linear functions on [0, infinity), increasing, with few
// pieces.
#pragma once

#include <cstddef>
#include <vector>

namespace rematch {

// Starts at `at_zero`; slopes decrease and are not negative.
class Concave {
 public:
  struct Piece {
    double from = 0;
    double slope = 0;  // From here up to the next piece.
  };

  // The constant function.
  explicit Concave(double at_zero) : at_zero_(at_zero) {}
  // slope * x.
  static Concave line(double slope);
  // Becomes one of those, and needs no memory for it that it has not.
  void become(double at_zero);
  void become_line(double slope);

  double at(double x) const;

  // Adds factor >= 0 times another one.
  void add(double factor, const Concave& other);
  // Multiplies by factor >= 0.
  void scale(double factor);
  // The smaller of this one and slope * x. This one's slopes must fall below
  // `slope` or its value stay below it for large x, or it stays as it is.
  void cap(double slope);

  // Replaces it by one that is nowhere larger and has at most `most` >= 3
  // pieces: chords between some of its corners.
  void simplify(std::size_t most);

  double at_zero() const { return at_zero_; }
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  double at_zero_;
  std::vector<Piece> pieces_;  // By `from`; empty: constant.
};

}  // namespace rematch
