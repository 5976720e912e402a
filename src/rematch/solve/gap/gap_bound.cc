// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/gap_bound.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "rematch/solve/gap/cover_flow.h"

namespace rematch {
namespace {

__extension__ using Wide = __int128;

constexpr std::size_t kMostRows = 1500;
constexpr int kMostRounds = 14;

// The relaxation on a growing set of stages.
class Relaxation {
 public:
  explicit Relaxation(const GapProgram& program)
      : program_(program), multipliers_(program.need.size()) {}

  void solve(const std::vector<std::int32_t>& stages, Meter& meter) {
    std::vector<double> need;
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
      const auto bytes = static_cast<double>(gap.bytes);
      arcs.push_back({static_cast<std::int32_t>(first - stages.begin()),
                      static_cast<std::int32_t>(end - stages.begin()) - 1,
                      bytes, gap.cost / bytes});
      gap_of.push_back(g);
    }
    const CoverResult result = solve_cover(need, arcs, meter);
    evicted_.assign(program_.gaps.size(), 0);
    for (std::size_t a = 0; a < arcs.size(); ++a) {
      evicted_[gap_of[a]] = result.flow[a] / arcs[a].capacity;
    }
    std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
    for (std::size_t r = 0; r < stages.size(); ++r) {
      multipliers_[static_cast<std::size_t>(stages[r])] = result.multipliers[r];
    }
  }

  // By how much each stage is over the budget in the current solution.
  std::vector<double> violations() const {
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

  const std::vector<double>& multipliers() const { return multipliers_; }
  const std::vector<double>& evicted() const { return evicted_; }

 private:
  const GapProgram& program_;
  std::vector<double> multipliers_;  // By stage.
  std::vector<double> evicted_;      // By gap.
};

// The stage that is most over the budget in each of `blocks` equal parts.
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

// The largest number of which every cost is a multiple, if costs are integers
// that add up exactly; else 0.
std::int64_t common_divisor(const Graph& graph) {
  if (graph.base_cost() >= 0x1p50) return 0;
  std::int64_t divisor = 0;
  for (OpId op : graph.ops()) {
    const Cost cost = graph.op(op).cost;
    if (cost != std::floor(cost)) return 0;
    divisor = std::gcd(divisor, static_cast<std::int64_t>(cost));
  }
  return divisor;
}

// Every plan costs a multiple of the divisor.
Cost rounded_up(const Graph& graph, Cost bound) {
  const std::int64_t divisor = common_divisor(graph);
  if (divisor == 0 || bound >= 0x1p52) return bound;
  const auto unit = static_cast<Cost>(divisor);
  return std::ceil(bound / unit) * unit;
}

}  // namespace

// With lambda_t = l_t / 2^e the value times 2^e is a sum of integers, but for
// the costs, which are rounded down; so it is exact up to that, downwards.
Cost multiplier_value(const GapProgram& program,
                      const std::vector<double>& multipliers) {
  const double largest =
      *std::max_element(multipliers.begin(), multipliers.end());
  if (!(largest > 0)) return 0;
  // l_t below 2^44 and sums of bytes below 2^63 stay below 2^110.
  const int e = 43 - std::ilogb(largest);
  std::vector<std::int64_t> before(multipliers.size() + 1);
  Wide value = 0;
  for (std::size_t t = 0; t < multipliers.size(); ++t) {
    const auto l = static_cast<std::int64_t>(
        std::floor(std::ldexp(std::max(0.0, multipliers[t]), e)));
    before[t + 1] = before[t] + l;
    value += Wide{l} * program.need[t];
  }
  for (const Gap& gap : program.gaps) {
    const std::int64_t inside = before[static_cast<std::size_t>(gap.last) + 1] -
                                before[static_cast<std::size_t>(gap.first)];
    if (inside == 0) continue;
    const double scaled = std::floor(std::ldexp(gap.cost, e));
    const Wide cost = scaled < 0x1p120 ? static_cast<Wide>(scaled)
                                       : static_cast<Wide>(0x1p120);
    value -= std::max(Wide{0}, Wide{inside} * gap.bytes - cost);
  }
  if (value <= 0) return 0;
  // A conversion rounds to nearest: step down once.
  const double rounded = std::nextafter(static_cast<double>(value), 0.0);
  return std::ldexp(rounded, -e);
}

GapBound gap_bound(const Problem& problem, const GapProgram& program,
                   Meter& meter) {
  GapBound best{.lower_bound = problem.graph.base_cost(), .evicted = {}};
  if (program.need.empty()) return best;
  best.evicted.assign(program.gaps.size(), 0);
  // Half a byte, or what sums of doubles cannot tell from it.
  const double tolerance = 0.5 + 1e-13 * static_cast<double>(problem.budget);
  Relaxation relaxation(program);
  std::vector<std::int32_t> stages;
  std::size_t blocks = 8;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::size_t before = stages.size();
    const auto worst = worst_stages(relaxation.violations(), blocks, tolerance);
    stages.insert(stages.end(), worst.begin(), worst.end());
    std::sort(stages.begin(), stages.end());
    stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
    if (stages.size() == before || stages.size() > kMostRows) break;
    relaxation.solve(stages, meter);
    const Cost extra = multiplier_value(program, relaxation.multipliers());
    const Cost bound = std::nextafter(problem.graph.base_cost() + extra, 0.0);
    if (extra > 0 && bound > best.lower_bound) best.lower_bound = bound;
    best.evicted = relaxation.evicted();
    blocks = std::min(blocks * 2, program.need.size());
    const auto work = static_cast<std::int64_t>(program.gaps.size());
    if (meter.stop(work)) break;
  }
  best.lower_bound = rounded_up(problem.graph, best.lower_bound);
  return best;
}

}  // namespace rematch
