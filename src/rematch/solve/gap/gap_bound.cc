// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/gap_bound.h"

#include <algorithm>
#include <array>
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
  Relaxation(const GapProgram& program, const Tails& tails)
      : program_(program), tails_(tails), multipliers_(program.need.size()) {}

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
      add_arcs(gap, static_cast<std::int32_t>(first - stages.begin()),
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

  // The sum of the multipliers inside each gap.
  std::vector<double> inside() const {
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
  // Evicting a gap gets dearer where its price changes slope: an arc for each
  // piece of bytes * x - price(x), which is convex.
  void add_arcs(const Gap& gap, std::int32_t first, std::int32_t last,
                std::vector<CoverArc>& arcs) const {
    double slope = static_cast<double>(gap.bytes);
    double price = 0;
    const Concave prices = tails_.price(gap);
    for (const Concave::Piece& piece : prices.pieces()) {
      price = piece.from;
      if (piece.slope >= slope) continue;
      arcs.push_back({first, last, slope - piece.slope, price});
      slope = piece.slope;
    }
    // What must be held on whatever it costs: dear, but never impossible.
    if (slope > 0) arcs.push_back({first, last, slope, 1e6 * (price + 1e-12)});
  }

  const GapProgram& program_;
  const Tails& tails_;
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

// floor(cost * 2^e), within what fits.
Wide scaled_down(Cost cost, int e) {
  const double scaled = std::floor(std::ldexp(cost, e));
  return scaled < 0x1p120 ? static_cast<Wide>(scaled)
                          : static_cast<Wide>(0x1p120);
}

}  // namespace

// With lambda_t = l_t / 2^e the value times 2^e is a sum of integers, but for
// the prices, which are computed in doubles, taken a little lower than their
// rounding, and rounded down; so it is exact up to that, downwards.
Cost multiplier_value(const GapProgram& program, const Tails& tails,
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
    const Wide held = Wide{inside} * gap.bytes;
    if (inside == 0 || held <= scaled_down(gap.cost, e)) continue;
    const double price =
        tails.price(gap).at(std::ldexp(static_cast<double>(inside), -e));
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
        tails_(tails),
        relaxation_(program, tails),
        best_(best) {}

  void run(std::vector<std::int32_t>& stages, Meter& meter) {
    // Half a byte, or what sums of doubles cannot tell from it.
    const double tolerance = 0.5 + 1e-13 * static_cast<double>(problem_.budget);
    std::size_t blocks = 8;
    if (!stages.empty()) solve(stages, meter);
    for (int round = 0; round < kMostRounds; ++round) {
      const std::size_t before = stages.size();
      const auto worst =
          worst_stages(relaxation_.violations(), blocks, tolerance);
      stages.insert(stages.end(), worst.begin(), worst.end());
      std::sort(stages.begin(), stages.end());
      stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
      if (stages.size() == before || stages.size() > kMostRows) break;
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
    const Cost extra =
        multiplier_value(program_, tails_, relaxation_.multipliers());
    const Cost bound = std::nextafter(problem_.graph.base_cost() + extra, 0.0);
    if (extra > 0 && bound > best_.lower_bound) best_.lower_bound = bound;
  }

  const Problem& problem_;
  const GapProgram& program_;
  const Tails& tails_;
  Relaxation relaxation_;
  GapBound& best_;
};

}  // namespace

GapBound gap_bound(const Problem& problem, const GapProgram& program,
                   Meter& meter, int passes) {
  GapBound best{.lower_bound = problem.graph.base_cost(), .evicted = {}};
  if (program.need.empty()) return best;
  best.evicted.assign(program.gaps.size(), 0);
  Tails tails(problem.graph, program);
  std::vector<std::int32_t> stages;
  constexpr std::array kSteps = {1.0, 0.5, 0.5, 0.3, 0.15, 0.1};
  for (int i = 0; i < passes; ++i) {
    Pass pass(problem, program, tails, best);
    pass.run(stages, meter);
    const Relaxation& relaxation = pass.relaxation();
    if (stages.empty() || meter.stop()) break;
    best.evicted = relaxation.evicted();
    const auto at = std::min(static_cast<std::size_t>(i), kSteps.size() - 1);
    tails.move_shares(relaxation.evicted(), relaxation.inside(), kSteps[at]);
  }
  best.lower_bound = rounded_up(problem.graph, best.lower_bound);
  return best;
}

}  // namespace rematch
