// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/concave.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rematch {

Concave Concave::line(double slope) {
  Concave result(0);
  result.pieces_.push_back({0, slope});
  return result;
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

void Concave::add(double factor, const Concave& other) {
  if (factor == 0) return;
  at_zero_ += factor * other.at_zero_;
  std::vector<Piece> merged;
  merged.reserve(pieces_.size() + other.pieces_.size());
  double ours = 0;
  double theirs = 0;
  for (std::size_t i = 0, k = 0;
       i < pieces_.size() || k < other.pieces_.size();) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double a = i < pieces_.size() ? pieces_[i].from : infinity;
    const double b =
        k < other.pieces_.size() ? other.pieces_[k].from : infinity;
    const double from = std::min(a, b);
    if (a == from) ours = pieces_[i++].slope;
    if (b == from) theirs = factor * other.pieces_[k++].slope;
    merged.push_back({from, ours + theirs});
  }
  pieces_ = std::move(merged);
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
      std::vector<Piece> capped;
      capped.reserve(pieces_.size() + 2);
      if (at > 0) capped.push_back({0, slope});
      capped.push_back({at, own});
      if (in_pieces) {
        capped.insert(capped.end(),
                      pieces_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                      pieces_.end());
      }
      pieces_ = std::move(capped);
      at_zero_ = 0;
      return;
    }
    if (!std::isfinite(end)) break;
    value += own * (end - start);
  }
  *this = line(slope);  // It never gets below the line.
}

}  // namespace rematch
