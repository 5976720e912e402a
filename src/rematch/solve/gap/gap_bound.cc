// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/gap_bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "rematch/solve/gap/relaxation.h"

namespace rematch {
namespace {

__extension__ using Wide = __int128;

constexpr std::size_t kMostRows = 1500;
constexpr int kMostRounds = 14;

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

// floor(cost * 2^e), within what fits.
Wide scaled_down(Cost cost, int e) {
  const double scaled = std::floor(std::ldexp(cost, e));
  return scaled < 0x1p120 ? static_cast<Wide>(scaled)
                          : static_cast<Wide>(0x1p120);
}

}  // namespace

Cost common_cost_unit(const Graph& graph) {
  return static_cast<Cost>(common_divisor(graph));
}

Cost least_cost_from(const Graph& graph, Cost bound) {
  const std::int64_t divisor = common_divisor(graph);
  if (divisor == 0 || bound >= 0x1p52) return bound;
  const auto unit = static_cast<Cost>(divisor);
  return std::ceil(bound / unit) * unit;
}

// With lambda_t = l_t / 2^e the value times 2^e is a sum of integers, but for
// the prices, which are computed in doubles, taken a little lower than their
// rounding, and rounded down; so it is exact up to that, downwards.
Cost multiplier_value(const GapProgram& program, const GapPrices& prices,
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
  for (std::size_t g = 0; g < program.gaps.size(); ++g) {
    const Gap& gap = program.gaps[g];
    const std::int64_t inside = before[static_cast<std::size_t>(gap.last) + 1] -
                                before[static_cast<std::size_t>(gap.first)];
    const Wide held = Wide{inside} * gap.bytes;
    if (inside == 0 || held <= scaled_down(gap.cost, e)) continue;
    const double price =
        prices.of(g).at(std::ldexp(static_cast<double>(inside), -e));
    // A gap without a tail costs what it costs, to the last bit.
    const double safe = std::max(gap.cost, price * (1 - 1e-12));
    value -= std::max(Wide{0}, held - scaled_down(safe, e));
  }
  if (value <= 0) return 0;
  // A conversion rounds to nearest: step down once.
  const double rounded = std::nextafter(static_cast<double>(value), 0.0);
  return std::ldexp(rounded, -e);
}

namespace {

// One pass of row generation with the tails' shares as they are. The rows stay
// for the next pass.
class Pass {
 public:
  Pass(const Problem& problem, const GapProgram& program, const Tails& tails,
       GapBound& best)
      : problem_(problem),
        program_(program),
        relaxation_(program, tails, best.evicted),
        best_(best) {}

  void run(std::vector<std::int32_t>& stages, Meter& meter) {
    const double tolerance = stage_tolerance(problem_.budget);
    std::size_t blocks = 8;
    if (!stages.empty()) solve(stages, meter);
    for (int round = 0; round < kMostRounds; ++round) {
      const auto worst =
          worst_stages(relaxation_.violations(), blocks, tolerance);
      if (!add_stages(worst, stages) || stages.size() > kMostRows) break;
      solve(stages, meter);
      blocks = std::min(blocks * 2, program_.need.size());
      const auto work = static_cast<std::int64_t>(program_.gaps.size());
      if (meter.stop(work)) break;
    }
  }

  const Relaxation& relaxation() const { return relaxation_; }

 private:
  void solve(const std::vector<std::int32_t>& stages, Meter& meter) {
    relaxation_.solve(stages, meter);
    const Cost extra = multiplier_value(program_, relaxation_.prices(),
                                        relaxation_.multipliers());
    const Cost bound = std::nextafter(problem_.graph.base_cost() + extra, 0.0);
    if (extra > 0 && bound > best_.lower_bound) best_.lower_bound = bound;
  }

  const Problem& problem_;
  const GapProgram& program_;
  Relaxation relaxation_;
  GapBound& best_;
};

}  // namespace

GapBound gap_bound(const Problem& problem, const GapProgram& program,
                   Meter& meter, int passes) {
  GapBound best{.lower_bound = problem.graph.base_cost(),
                .plain_bound = problem.graph.base_cost(),
                .evicted = {},
                .stages = {},
                .tails = Tails(problem.graph, program)};
  if (program.need.empty()) return best;
  best.evicted.assign(program.gaps.size(), 0);
  constexpr std::array kSteps = {1.0, 0.5, 0.5, 0.3, 0.15, 0.1};
  constexpr int kMostIdle = 2;  // In a row.
  int idle = 0;
  Cost before = best.lower_bound;
  for (int i = 0; i < passes; ++i) {
    Pass pass(problem, program, best.tails, best);
    pass.run(best.stages, meter);
    if (i == 0) best.plain_bound = best.lower_bound;
    idle = best.lower_bound > before ? 0 : idle + 1;
    before = best.lower_bound;
    const Relaxation& relaxation = pass.relaxation();
    if (best.stages.empty() || meter.stop()) break;
    best.evicted = relaxation.evicted();
    if (i + 1 == passes || idle == kMostIdle) break;
    const auto at = std::min(static_cast<std::size_t>(i), kSteps.size() - 1);
    best.tails.move_shares(relaxation.evicted(), relaxation.inside(),
                           kSteps[at]);
  }
  best.lower_bound = least_cost_from(problem.graph, best.lower_bound);
  return best;
}

}  // namespace rematch
