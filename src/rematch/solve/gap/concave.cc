// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/concave.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rematch {

Concave Concave::line(double slope) {
  Concave result(0);
  result.become_line(slope);
  return result;
}

void Concave::become(double at_zero) {
  at_zero_ = at_zero;
  pieces_.clear();
}

void Concave::become_line(double slope) {
  become(0);
  pieces_.push_back({0, slope});
}

double Concave::at(double x) const {
  double value = at_zero_;
  for (std::size_t i = 0; i < pieces_.size() && pieces_[i].from < x; ++i) {
    const double end =
        i + 1 < pieces_.size() ? std::min(x, pieces_[i + 1].from) : x;
    value += pieces_[i].slope * (end - pieces_[i].from);
  }
  return value;
}

void Concave::scale(double factor) {
  at_zero_ *= factor;
  for (Piece& piece : pieces_) piece.slope *= factor;
}

// Merged from the back, so that nothing is overwritten before it is read.
void Concave::add(double factor, const Concave& other) {
  if (factor == 0) return;
  at_zero_ += factor * other.at_zero_;
  std::size_t ours = pieces_.size();
  std::size_t theirs = other.pieces_.size();
  std::size_t next = ours + theirs;
  pieces_.resize(next);
  while (theirs > 0) {
    const double a = ours > 0 ? pieces_[ours - 1].from : -1;
    const double b = other.pieces_[theirs - 1].from;
    const double slope = (ours > 0 ? pieces_[ours - 1].slope : 0) +
                         factor * other.pieces_[theirs - 1].slope;
    if (a >= b) --ours;
    if (b >= a) --theirs;
    pieces_[--next] = {std::max(a, b), slope};
  }
  // What is left is in its place, behind a hole where pieces began together.
  const auto begin = pieces_.begin();
  pieces_.erase(begin + static_cast<std::ptrdiff_t>(ours),
                begin + static_cast<std::ptrdiff_t>(next));
}

void Concave::simplify(std::size_t most) {
  if (pieces_.size() <= most) return;
  const double last_slope = pieces_.back().slope;
  std::vector<Piece> fewer;
  fewer.reserve(most);
  const std::size_t corners = most - 1;
  double from = pieces_.front().from;
  double value = at(from);
  for (std::size_t i = 1; i <= corners; ++i) {
    const double to = pieces_[i * (pieces_.size() - 1) / corners].from;
    if (to <= from) continue;
    const double next = at(to);
    fewer.push_back({from, (next - value) / (to - from)});
    from = to;
    value = next;
  }
  fewer.push_back({from, last_slope});
  pieces_ = std::move(fewer);
}

// This function minus the line is concave, so once it is below it stays below.
void Concave::cap(double slope) {
  double value = at_zero_;
  for (std::size_t i = 0;; ++i) {
    const bool in_pieces = i < pieces_.size();
    const double from = in_pieces ? pieces_[i].from : 0;
    const double own = in_pieces ? pieces_[i].slope : 0;
    const double start = pieces_.empty() ? 0 : from;
    const double end = i + 1 < pieces_.size()
                           ? pieces_[i + 1].from
                           : std::numeric_limits<double>::infinity();
    // Where value + own (x - start) meets slope x.
    const double meet = own < slope ? (value - own * start) / (slope - own)
                                    : std::numeric_limits<double>::infinity();
    if (meet <= end && std::isfinite(meet)) {
      const double at = std::max(meet, start);
      const auto gone = static_cast<std::ptrdiff_t>(in_pieces ? i + 1 : 0);
      pieces_.erase(pieces_.begin(), pieces_.begin() + gone);
      pieces_.insert(pieces_.begin(), {at, own});
      if (at > 0) pieces_.insert(pieces_.begin(), {0, slope});
      at_zero_ = 0;
      return;
    }
    if (!std::isfinite(end)) break;
    value += own * (end - start);
  }
  become_line(slope);  // It never gets below the line.
}

}  // namespace rematch
