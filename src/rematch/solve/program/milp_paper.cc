// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/milp_paper.h"

#include <algorithm>

#include "rematch/lp/lp_session.h"
#include "rematch/plan/floor.h"
#include "rematch/solve/program/incumbent.h"
#include "rematch/solve/program/milp_telescoped.h"
#include "rematch/solve/program/paper_program.h"
#include "rematch/solve/program/realise_stages.h"
#include "rematch/solve/program/solve_clock.h"

namespace rematch {
namespace {

constexpr std::size_t kMostStates = 20'000;
// What the published program may take; the rest is for the proof.
constexpr double kShareOfTime = 0.75;

// The best plan that the program finds within the limits.
void search_paper(const Problem& problem, SolveClock& clock, Incumbent& best) {
  PaperProgram program(problem);
  std::vector<double> start;
  if (best.has_plan()) {
    start = program.point_of(kept_sets(problem.graph, best.plan()));
  }
  LpSession session(program.take_model());
  LpHooks hooks;
  hooks.start = std::move(start);
  hooks.progress = [&](const LpProgress&) { best.report(); };
  LpLimits limits = clock.left();
  limits.seconds *= kShareOfTime;
  const LpSolution solution = session.solve_integers(limits, hooks);
  clock.spend(solution);
  if (!solution.has_point) return;
  auto realised =
      realise_stages(problem.graph, problem.budget,
                     program.kept_at(solution.columns), kMostStates);
  if (realised.plan) best.offer(*std::move(realised.plan));
}

}  // namespace

Proposal solve_paper(const Problem& problem, const Request& request) {
  if (problem.budget < peak_floor(problem.graph, problem.order).bytes) {
    Proposal proposal;
    proposal.infeasible = true;
    return proposal;
  }
  if (const auto why = too_large("the paper's program",
                                 PaperProgram::size_of(problem.graph, {}))) {
    return not_applicable(*why);
  }
  SolveClock clock(request.limits);
  Incumbent best(problem, request);
  best.offer_first_plans();
  if (best.is_proved()) return best.take(StopReason::kFinished);
  if (!clock.stop()) search_paper(problem, clock, best);
  if (const auto stop = clock.stop()) return best.take(*stop);
  // The proof, or what plans of another kind can do better.
  Request rest = request;
  rest.limits = clock.limits_left();
  if (best.has_plan()) rest.start = &best.plan();
  return solve_telescoped(problem, rest);
}

}  // namespace rematch
