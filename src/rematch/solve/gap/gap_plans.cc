// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/gap_plans.h"

#include <algorithm>
#include <utility>

#include "rematch/solve/gap/gap_search.h"
#include "rematch/solve/gap/realise.h"
#include "rematch/solve/gap/shared_blocks.h"
#include "rematch/solve/gap/slope.h"

namespace rematch {
namespace {

// Beyond this size, many budgets take too long to try.
constexpr std::size_t kManyTriesOps = 5'000;
// Two passes are enough to choose evictions by.
constexpr int kPassesPerTry = 2;
constexpr int kMostFailures = 3;
constexpr int kMostIdleTries = 3;
constexpr int kMostSlopes = 12;
// Branch and bound: at most so many nodes, and nodes times gaps.
constexpr std::size_t kMostNodes = 2'000;
constexpr std::size_t kMostNodeGaps = 150'000;
// A few milliseconds show whether that helps.
constexpr int kPatience = 50;
// A plan this close to the bound is not worth more tries.
constexpr double kCloseEnough = 1e-4;
// If it is farther away, the blocks of the graph may have to do the same.
constexpr double kWorthSharing = 1e-3;
// One that is farther away runs everything many times.
constexpr double kWorthPolishing = 0.5;

class Search {
 public:
  Search(const Problem& problem, BestPlan& incumbent, Meter& meter, Cost bound,
         const std::function<void(const SearchProgress&)>& on_progress)
      : problem_(problem),
        incumbent_(incumbent),
        meter_(meter),
        bound_(bound),
        on_progress_(on_progress) {}

  // What is known now.
  void tell() const {
    if (on_progress_) on_progress_({incumbent_.cost(), bound_});
  }

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

  // Chooses evictions again, by what they really cost: either from the same
  // solution of the relaxation, or from new ones.
  void try_slopes(const GapProgram& program, std::vector<double> evicted,
                  bool solves_again) {
    if (problem_.graph.num_ops() > kManyTriesOps) return;
    GapProgram scaled = program;
    int idle = 0;
    for (int round = 0; round < kMostSlopes; ++round) {
      if (meter_.stop() || is_close() || idle == kMostIdleTries) return;
      const auto chosen = rounded_evictions(scaled, evicted);
      auto plan = realise(problem_.graph, program, chosen, meter_);
      if (!plan) return;
      scaled = with_paid_costs(problem_.graph, scaled, chosen, *plan);
      const Cost before = incumbent_.cost();
      offer(*std::move(plan));
      idle = incumbent_.cost() < before ? 0 : idle + 1;
      if (!solves_again) continue;
      evicted = gap_bound(problem_, scaled, meter_, kPassesPerTry).evicted;
    }
  }

  // To the bound.
  bool is_close(double share = kCloseEnough) const {
    return incumbent_.cost() <= bound_ * (1 + share);
  }

  // Takes out what the best plan does not need to recompute.
  void polish() {
    if (!incumbent_.fits()) return;
    incumbent_.offer(without_needless_runs(problem_.graph, problem_.budget,
                                           incumbent_.plan(), meter_),
                     incumbent_.finder());
  }

  // Recomputations need room of their own: asks for a little less.
  void try_with_less(bool going) {
    const Graph& graph = problem_.graph;
    const Bytes room = problem_.budget - graph.fixed_bytes();
    int idle = 0;
    for (int part : {255, 253, 250, 245, 238, 228, 215, 200, 180, 150, 120}) {
      if (!going || is_close()) return;
      if (incumbent_.fits() && graph.num_ops() > kManyTriesOps) return;
      if (incumbent_.fits() && idle == kMostIdleTries) return;
      const Cost before = incumbent_.cost();
      const Problem tighter{graph, graph.fixed_bytes() + room / 256 * part,
                            OrderRule::kFixed};
      const GapProgram tight = gap_program(tighter);
      going = try_within(
          tight, gap_bound(tighter, tight, meter_, kPassesPerTry).evicted);
      idle = incumbent_.cost() < before ? 0 : idle + 1;
    }
  }

  // The integer program.
  Cost search(const GapProgram& program, const GapBound& bound,
              GapEffort effort) {
    const std::size_t nodes =
        std::min(kMostNodes, kMostNodeGaps / (program.gaps.size() + 1));
    if (nodes == 0 || incumbent_.cost() <= bound.lower_bound) {
      return bound.lower_bound;
    }
    GapSearchSize size{.most_nodes = static_cast<int>(nodes)};
    if (effort == GapEffort::kAsLongAsItHelps) size.patience = kPatience;
    return search_gaps(problem_, program, bound, size, meter_,
                       [&](const std::vector<double>& evicted) {
                         const Cost before = incumbent_.cost();
                         try_within(program, evicted);
                         if (incumbent_.cost() < before) polish();
                         return incumbent_.cost();
                       });
  }

 private:
  void offer(Plan plan) {
    const Cost before = incumbent_.cost();
    incumbent_.offer(std::move(plan), "gap");
    if (incumbent_.cost() < before) tell();
  }

  const Problem& problem_;
  BestPlan& incumbent_;
  Meter& meter_;
  Cost bound_;
  const std::function<void(const SearchProgress&)>& on_progress_;
  int failures_ = 0;  // Realisations that came to nothing.
};

}  // namespace

GapAnswer solve_gaps(
    const Problem& problem, BestPlan& incumbent, Meter& meter, GapEffort effort,
    const std::function<void(const SearchProgress&)>& on_progress) {
  const GapProgram program = gap_program(problem);
  GapAnswer answer;
  const GapBound bound = gap_bound(problem, program, meter);
  answer.plain_bound = bound.plain_bound;
  answer.stages = bound.stages;
  Search search(problem, incumbent, meter, bound.lower_bound, on_progress);
  search.tell();
  const bool going = search.try_within(program, bound.evicted);
  if (search.is_close(kWorthPolishing)) search.polish();
  if (going) {
    search.try_slopes(program, bound.evicted, false);
    search.try_slopes(program, bound.evicted, true);
    search.polish();
  }
  if (!search.is_close(kWorthSharing)) {
    try_shared_blocks(problem, bound.lower_bound, incumbent, meter);
    search.tell();
  }
  search.try_with_less(going);
  search.polish();
  answer.lower_bound = search.search(program, bound, effort);
  return answer;
}

}  // namespace rematch
