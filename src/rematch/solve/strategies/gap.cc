// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/gap.h"

#include <algorithm>
#include <limits>

#include "rematch/base/check.h"
#include "rematch/plan/replay.h"
#include "rematch/solve/gap/gap_bound.h"
#include "rematch/solve/gap/gap_search.h"
#include "rematch/solve/gap/realise.h"

namespace rematch {
namespace {

// Replaying once per recomputation is quadratic, and so is trying many budgets
// on a large graph: beyond these sizes it is left out.
constexpr std::size_t kPolishSteps = 20'000;
constexpr std::size_t kManyTriesOps = 5'000;
// Two passes are enough to choose evictions by.
constexpr int kPassesPerTry = 2;
constexpr int kMostFailures = 3;
// Branch and bound: at most so many nodes, and nodes times gaps.
constexpr std::size_t kMostNodes = 2'000;
constexpr std::size_t kMostNodeGaps = 150'000;
// A plan this close to the bound is not worth more tries.
constexpr double kCloseEnough = 1e-4;

// The cheapest plan that fits, or, without one, the one with the least peak.
class Search {
 public:
  Search(const Problem& problem, Meter& meter)
      : problem_(problem), meter_(meter) {}

  // Realises a solution of a program, which may be for less memory than there
  // is; false once there is no time left or it led nowhere too often.
  bool try_within(const GapProgram& program,
                  const std::vector<double>& evicted) {
    auto plan = realise(problem_.graph, program,
                        rounded_evictions(program, evicted), meter_);
    if (plan) {
      offer(*std::move(plan));
    } else if (++failures_ == kMostFailures) {
      return false;
    }
    return !meter_.stop();
  }

  bool fits() const { return plan_ && peak_ <= problem_.budget; }
  // Of the best plan that fits; infinite if none does.
  Cost cost() const {
    return fits() ? cost_ : std::numeric_limits<Cost>::infinity();
  }
  bool is_proved_by(Cost bound) const { return fits() && cost_ <= bound; }
  bool is_close_to(Cost bound) const {
    return fits() && cost_ <= bound * (1 + kCloseEnough);
  }

  // Takes out what the best plan does not need to recompute.
  void polish() {
    if (!fits() || plan_->steps.size() > kPolishSteps) return;
    offer(
        without_needless_runs(problem_.graph, problem_.budget, *plan_, meter_));
  }

  std::optional<Plan> take() { return std::move(plan_); }

 private:
  void offer(Plan plan) {
    const auto measured = replay(problem_.graph, plan, OrderRule::kFixed);
    REMATCH_CHECK(measured.ok(), "a realised plan is valid");
    const bool fits_now = measured->peak <= problem_.budget;
    const bool better = !plan_ || (fits_now != fits() ? fits_now
                                   : fits_now         ? measured->cost < cost_
                                                      : measured->peak < peak_);
    if (!better) return;
    plan_ = std::move(plan);
    cost_ = measured->cost;
    peak_ = measured->peak;
  }

  const Problem& problem_;
  Meter& meter_;
  int failures_ = 0;  // Realisations that came to nothing.
  std::optional<Plan> plan_;
  Cost cost_ = 0;
  Bytes peak_ = 0;
};

}  // namespace

Proposal propose_gap(const Problem& problem, const Request& request) {
  Meter meter(request.limits);
  const Problem fixed{problem.graph, problem.budget, OrderRule::kFixed};
  const GapProgram program = gap_program(fixed);
  const GapBound bound = gap_bound(fixed, program, meter);
  Proposal proposal;
  if (problem.order == OrderRule::kFixed) {
    proposal.lower_bound = bound.lower_bound;
  }
  Search search(fixed, meter);
  bool going = search.try_within(program, bound.evicted);
  // Recomputations need room of their own: ask for a little less.
  const Bytes room = problem.budget - problem.graph.fixed_bytes();
  for (int part : {255, 253, 250, 245, 238, 228, 215, 200, 180, 150, 120}) {
    if (!going || search.is_close_to(bound.lower_bound)) break;
    if (search.fits() && problem.graph.num_ops() > kManyTriesOps) break;
    const Problem tighter{problem.graph,
                          problem.graph.fixed_bytes() + room / 256 * part,
                          OrderRule::kFixed};
    const GapProgram tight = gap_program(tighter);
    going = search.try_within(
        tight, gap_bound(tighter, tight, meter, kPassesPerTry).evicted);
  }
  search.polish();
  const std::size_t nodes =
      std::min(kMostNodes, kMostNodeGaps / (program.gaps.size() + 1));
  if (nodes > 0 && !search.is_proved_by(bound.lower_bound)) {
    const auto on_evictions = [&](const std::vector<double>& evicted) {
      const Cost before = search.cost();
      search.try_within(program, evicted);
      if (search.cost() < before) search.polish();
      return search.cost();
    };
    const Cost proved = search_gaps(
        fixed, program, bound, static_cast<int>(nodes), meter, on_evictions);
    if (problem.order == OrderRule::kFixed) proposal.lower_bound = proved;
  }
  proposal.plan = search.take();
  if (meter.reason()) {
    proposal.stop_reason = stopped(*meter.reason()).stop_reason;
  }
  return proposal;
}

}  // namespace rematch
