// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/relaxation.h"

#include <algorithm>
#include <numeric>

namespace rematch {

void Relaxation::solve(const std::vector<std::int32_t>& stages, Meter& meter) {
  std::vector<double> need;
  need.reserve(stages.size());
  for (std::int32_t stage : stages) {
    need.push_back(
        static_cast<double>(program_.need[static_cast<std::size_t>(stage)]));
  }
  std::vector<CoverArc> arcs;
  std::vector<std::size_t> gap_of;
  for (std::size_t g = 0; g < program_.gaps.size(); ++g) {
    const Gap& gap = program_.gaps[g];
    const auto first =
        std::lower_bound(stages.begin(), stages.end(), gap.first);
    const auto end = std::upper_bound(first, stages.end(), gap.last);
    if (first == end) continue;
    add_arcs(g, static_cast<std::int32_t>(first - stages.begin()),
             static_cast<std::int32_t>(end - stages.begin()) - 1, arcs);
    gap_of.resize(arcs.size(), g);
  }
  const CoverResult result = solve_cover(need, arcs, meter);
  evicted_.assign(program_.gaps.size(), 0);
  for (std::size_t a = 0; a < arcs.size(); ++a) {
    const Gap& gap = program_.gaps[gap_of[a]];
    evicted_[gap_of[a]] += result.flow[a] / static_cast<double>(gap.bytes);
  }
  std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
  for (std::size_t r = 0; r < stages.size(); ++r) {
    multipliers_[static_cast<std::size_t>(stages[r])] = result.multipliers[r];
  }
}

std::vector<double> Relaxation::inside() const {
  std::vector<double> before(multipliers_.size() + 1);
  std::partial_sum(multipliers_.begin(), multipliers_.end(),
                   before.begin() + 1);
  std::vector<double> result;
  for (const Gap& gap : program_.gaps) {
    result.push_back(before[static_cast<std::size_t>(gap.last) + 1] -
                     before[static_cast<std::size_t>(gap.first)]);
  }
  return result;
}

std::vector<double> Relaxation::violations() const {
  std::vector<double> over(program_.need.size() + 1);
  for (std::size_t g = 0; g < program_.gaps.size(); ++g) {
    const Gap& gap = program_.gaps[g];
    if (evicted_.empty() || evicted_[g] == 0) continue;
    const double bytes = evicted_[g] * static_cast<double>(gap.bytes);
    over[static_cast<std::size_t>(gap.first)] -= bytes;
    over[static_cast<std::size_t>(gap.last) + 1] += bytes;
  }
  std::partial_sum(over.begin(), over.end(), over.begin());
  over.pop_back();
  for (std::size_t t = 0; t < over.size(); ++t) {
    over[t] += static_cast<double>(program_.need[t]);
  }
  return over;
}

// Evicting a gap gets dearer where its price changes slope: an arc for each
// piece of bytes * x - price(x), which is convex.
void Relaxation::add_arcs(std::size_t gap, std::int32_t first,
                          std::int32_t last,
                          std::vector<CoverArc>& arcs) const {
  auto left = static_cast<double>(program_.gaps[gap].bytes);
  // Above what is left after it, an arc was used before.
  const double unused = evicted_.empty() ? -1 : left * (1 - evicted_[gap]);
  double price = 0;
  for (const Concave::Piece& piece : prices_.of(gap).pieces()) {
    price = piece.from;
    if (piece.slope >= left) continue;
    arcs.push_back({first, last, left - piece.slope, price, left > unused});
    left = piece.slope;
  }
  // What must be held on whatever it costs: dear, but never impossible.
  if (left > 0) {
    arcs.push_back({first, last, left, 1e6 * (price + 1e-12), left > unused});
  }
}

std::vector<std::int32_t> worst_stages(const std::vector<double>& over,
                                       std::size_t blocks, double tolerance) {
  std::vector<std::int32_t> worst;
  const std::size_t n = over.size();
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto begin =
        over.begin() + static_cast<std::ptrdiff_t>(b * n / blocks);
    const auto end =
        over.begin() + static_cast<std::ptrdiff_t>((b + 1) * n / blocks);
    const auto most = std::max_element(begin, end);
    if (most == end || *most <= tolerance) continue;
    worst.push_back(static_cast<std::int32_t>(most - over.begin()));
  }
  return worst;
}

bool add_stages(const std::vector<std::int32_t>& more,
                std::vector<std::int32_t>& stages) {
  const std::size_t before = stages.size();
  stages.insert(stages.end(), more.begin(), more.end());
  std::sort(stages.begin(), stages.end());
  stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
  return stages.size() > before;
}

double stage_tolerance(Bytes budget) {
  return 0.5 + 1e-13 * static_cast<double>(budget);
}

}  // namespace rematch
