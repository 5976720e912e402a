// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/plan_search.h"

#include <algorithm>

#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

constexpr std::int64_t kMovesAtOnce = 8'192;
// It takes so many moves per op before it is known whether it helps.
constexpr std::int64_t kMovesToRipen = 15'000;
// Without success for so many moves it is over: per op squared, at most.
constexpr std::int64_t kIdlePerOpSquared = 64;
constexpr std::int64_t kMostIdle = 30'000'000;

std::vector<OpId> every_op(const Graph& graph) {
  const auto ops = graph.ops();
  return {ops.begin(), ops.end()};
}

// What begins with nothing comes to other ends than what begins with the
// incumbent, and often to better ones.
std::vector<OpId> first_sequence(const Problem& problem,
                                 const BestPlan& incumbent) {
  return is_training_with_room(problem) ? every_op(problem.graph)
                                        : computed_ops(incumbent.plan());
}

Limits limits_of_search(const Limits& limits) {
  Limits result;
  result.seconds = limits.seconds;
  result.interrupt = limits.interrupt;
  return result;
}

}  // namespace

PlanSearch::PlanSearch(const Problem& problem, const Limits& limits,
                       const BestPlan& incumbent)
    : problem_(problem),
      table_(problem.graph),
      search_(problem, table_, limits.seed, first_sequence(problem, incumbent),
              every_op(problem.graph), limits_of_search(limits)),
      known_(incumbent.cost()) {}

bool PlanSearch::advance(BestPlan& incumbent) {
  if (incumbent.cost() < known_) {
    Incumbent told;
    told.sequence = computed_ops(incumbent.plan());
    told.extra = incumbent.cost() - problem_.graph.base_cost();
    told.peak = incumbent.peak();
    told.fits = true;
    search_.offer(told);
  }
  search_.advance(kMovesAtOnce);
  const Incumbent& best = search_.best();
  const bool is_better =
      best.fits && problem_.graph.base_cost() + best.extra < incumbent.cost() &&
      incumbent.offer(plan_from_sequence(problem_.graph, best.sequence),
                      "anneal");
  known_ = incumbent.cost();
  return is_better;
}

bool PlanSearch::is_stale() const {
  const auto ops = static_cast<std::int64_t>(problem_.graph.num_ops());
  const std::int64_t idle = search_.idle_moves();
  return idle > kMovesToRipen * ops && 2 * idle > search_.meter().work();
}

bool PlanSearch::is_over() const {
  const auto ops = static_cast<std::int64_t>(
      std::min<std::size_t>(problem_.graph.num_ops(), 10'000));
  return search_.meter().reason() ||
         search_.idle_moves() >=
             std::min(kIdlePerOpSquared * ops * ops, kMostIdle);
}

}  // namespace rematch
