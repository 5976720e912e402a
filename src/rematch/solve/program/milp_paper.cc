// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/milp_paper.h"

#include <algorithm>

#include "rematch/lp/lp_session.h"
#include "rematch/plan/floor.h"
#include "rematch/solve/program/incumbent.h"
#include "rematch/solve/program/milp_telescoped.h"
#include "rematch/solve/program/paper_program.h"
#include "rematch/solve/program/realise_stages.h"
#include "rematch/solve/program/relaxed_kept.h"
#include "rematch/solve/program/solve_clock.h"

namespace rematch {
namespace {

constexpr std::size_t kMostStates = 20'000;
// What the published program may take; the rest is for the proof.
constexpr double kShareOfTime = 0.75;
// A search over integers is begun if there is time for that many relaxations:
// its first one takes about as long as the one before it, and nothing reaches
// into that but the time limit.
constexpr double kLeastRelaxations = 4;

class PaperSearch {
 public:
  PaperSearch(const Problem& problem, SolveClock& clock, ProgramIncumbent& best)
      : problem_(problem),
        clock_(clock),
        best_(best),
        program_(problem, paper_options()),
        session_(program_.take_model()) {}

  // Offers the best plan that the program finds within its share of the limits.
  void run() {
    if (!program_.is_whole()) return;
    const LpSolution relaxed =
        session_.solve_relaxation(share_of_limits(), paper_method(model()));
    clock_.spend(relaxed);
    if (relaxed.status != LpStatus::kOptimal || clock_.stop()) return;
    auto rounded =
        plan_within(problem_, program_.kept_at(relaxed.columns), clock_);
    if (rounded) best_.offer(*std::move(rounded));
    if (best_.is_proved() || clock_.stop()) return;
    if (clock_.seconds_left() < kLeastRelaxations * relaxed.seconds) return;
    search_integers();
  }

 private:
  PaperOptions paper_options() const {
    PaperOptions options;
    options.clock = &clock_;
    return options;
  }

  const LinearModel& model() const { return session_.model(); }

  LpLimits share_of_limits() const {
    const auto share = [](std::int64_t of) {
      return static_cast<std::int64_t>(kShareOfTime * static_cast<double>(of));
    };
    LpLimits limits = clock_.left();
    limits.seconds *= kShareOfTime;
    limits.iterations = share(limits.iterations);
    limits.nodes = share(limits.nodes);
    return limits;
  }

  void search_integers() {
    LpHooks hooks;
    if (best_.has_plan()) {
      hooks.start = program_.point_of(kept_sets(problem_.graph, best_.plan()),
                                      model().num_columns());
    }
    hooks.progress = [&](const LpProgress&) { best_.report(); };
    const LpSolution solution =
        session_.solve_integers(share_of_limits(), hooks);
    clock_.spend(solution);
    if (!solution.has_point) return;
    auto realised =
        realise_stages(problem_.graph, problem_.budget,
                       program_.kept_at(solution.columns), kMostStates, clock_);
    if (realised.plan) best_.offer(*std::move(realised.plan));
  }

  const Problem& problem_;
  SolveClock& clock_;
  ProgramIncumbent& best_;
  PaperProgram program_;
  LpSession session_;
};

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
  ProgramIncumbent best(problem, request);
  best.offer_first_plans();
  if (best.is_proved()) return best.take(StopReason::kFinished);
  if (!clock.stop()) PaperSearch(problem, clock, best).run();
  if (const auto stop = clock.stop()) return best.take(*stop);
  // The proof, or what plans of another kind can do better.
  Request rest = request;
  rest.limits = clock.limits_left();
  if (best.has_plan()) rest.start = &best.plan();
  return solve_telescoped(problem, rest);
}

}  // namespace rematch
