// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/milp_telescoped.h"

#include <algorithm>
#include <cmath>

#include "rematch/lp/lp_session.h"
#include "rematch/plan/floor.h"
#include "rematch/solve/decimal_costs.h"
#include "rematch/solve/program/exact_tree.h"
#include "rematch/solve/program/fixings.h"
#include "rematch/solve/program/incumbent.h"
#include "rematch/solve/program/realise_stages.h"
#include "rematch/solve/program/relaxed_kept.h"
#include "rematch/solve/program/solve_clock.h"
#include "rematch/solve/program/telescoped_program.h"

namespace rematch {
namespace {

// The first guess of what the optimum costs above the relaxation, as a share of
// the base cost, and how it grows.
constexpr double kFirstGuess = 0.0005;
constexpr double kGrowth = 4;
constexpr int kMostGuesses = 6;
// States that the search of a stage may look at.
constexpr std::size_t kMostStates = 20'000;
constexpr int kMostWidenings = 400;
// The exact proof: only where the solver's bound is this close, in scaled
// units, and for so many nodes.
constexpr double kCloseTo = 1e-4;
constexpr std::size_t kMostNodes = 20'000;
constexpr double kRounding = 1e-12;
// What the columns of a point may be worth by being off, in scaled units.
constexpr double kSameCost = 1e-6;

class TelescopedSearch {
 public:
  TelescopedSearch(const Problem& problem, const Request& request)
      : problem_(problem),
        request_(request),
        clock_(request.limits),
        best_(problem, request),
        staging_(staging(problem.graph)),
        program_(problem, {.omitted = {}, .clock = &clock_}),
        session_(program_.take_model()) {}

  Proposal run() {
    best_.offer_first_plans();
    if (!done() && program_.is_whole() && relax()) {
      round();
      search();
      close();
    }
    if (infeasible_) {
      Proposal proposal;
      proposal.infeasible = true;
      proposal.message = "the telescoped program has no solution";
      return proposal;
    }
    return best_.take(reason_);
  }

 private:
  enum class Found { kBest, kNothing, kStopped };

  const Graph& graph() const { return problem_.graph; }
  LinearModel& model() { return session_.model(); }
  double scaled_extra(Cost cost) const {
    return program_.units().cost(cost - graph().base_cost());
  }

  // True if there is nothing more to do; says why.
  bool done() {
    if (best_.is_proved()) {
      reason_ = StopReason::kFinished;
      return true;
    }
    if (best_.is_close_enough()) {
      reason_ = StopReason::kGapReached;
      return true;
    }
    const auto stop = clock_.stop();
    if (stop) reason_ = *stop;
    return stop.has_value();
  }

  bool stopped_by(const LpSolution& solution) {
    const auto stop = stop_reason_of(solution.status);
    if (stop) reason_ = *stop;
    return stop.has_value();
  }

  // Solves the relaxation with all rows of reruns that matter. False if that
  // settles the problem or cannot be done.
  bool relax() {
    relaxed_ = relax_with_rerun_rows(session_, program_, clock_);
    if (!relaxed_.row_duals.empty()) {
      prices_ = reduced_costs(model(), relaxed_.row_duals);
      relaxed_bound_ = proved_bound(model(), relaxed_.row_duals);
      best_.raise_proved(program_.units().cost_from(relaxed_bound_));
    }
    if (relaxed_.status == LpStatus::kInfeasible) {
      infeasible_ = !best_.has_plan();
      return false;
    }
    if (stopped_by(relaxed_)) return false;
    return relaxed_.status == LpStatus::kOptimal && !done();
  }

  // Plans from the relaxation, so that there is something to beat.
  void round() {
    for (double threshold : {0.3, 0.5, 0.7}) {
      if (done()) return;
      const KeptSets kept = program_.kept_at(relaxed_.columns, threshold);
      auto plan = plan_within(problem_, kept, clock_);
      if (plan) best_.offer(*std::move(plan));
    }
  }

  void search() {
    double guess = std::max(
        kFirstGuess * program_.units().cost(graph().base_cost()), 1e-3);
    for (int i = 0; !done(); ++i, guess *= kGrowth) {
      const double gap = scaled_extra(best_.cost()) - relaxed_bound_;
      const bool last = i >= kMostGuesses || guess >= gap;
      const Found found = search_within(last ? gap : guess);
      if (found != Found::kNothing || last) return;
    }
  }

  // The solver's bound, lowered by its tolerances, may end just below the best
  // plan: proves the rest exactly, if that takes few nodes.
  void close() {
    if (!sound_ || infeasible_ || !best_.has_plan() || done()) return;
    const double gap = scaled_extra(best_.cost()) - relaxed_bound_;
    if (scaled_extra(best_.cost() - best_.lower_bound() + graph().base_cost()) >
        kCloseTo * (1 + gap)) {
      return;
    }
    Fixings fixings(model());
    fix(gap, fixings);
    // Halfway to the next cheaper cost; sums of costs that have no step between
    // them agree to that much only. A better plan may turn up on the way.
    const Cost step = cost_step(graph());
    const auto wanted = [&] {
      return step > 0 ? best_.cost() - step / 2
                      : best_.cost() * (1 - kRounding);
    };
    const ExactTreeHooks hooks{
        .target = scaled_extra(best_.cost()),
        .is_enough =
            [&](double bound) {
              return best_.proved(program_.units().cost_from(bound)) >=
                     wanted();
            },
        .cut_off =
            [&](std::span<const double> point) {
              const auto whole = rounded(point);
              const double objective = objective_at(model(), whole);
              return realise(whole, objective, kRounding * (1 + objective)) &&
                     sound_;
            }};
    const auto tree = prove_by_branching(session_, clock_, hooks, kMostNodes);
    // A better plan may have come with a row that does not hold for all.
    if (tree.is_proved && sound_) {
      best_.raise_proved(wanted() - graph().base_cost());
    }
    if (!done() && tree.stop) reason_ = *tree.stop;
  }

  // Leaves out what cannot cost less than relaxation + delta.
  void fix(double delta, Fixings& fixings) {
    const double limit = delta + kSolverMargin * (1 + std::fabs(delta));
    if (std::isfinite(limit)) fixings.fix_by_price(prices_, limit);
  }

  // The integer program up to relaxation + delta, again and again while stages
  // of its solution have no room.
  Found search_within(double delta) {
    Fixings fixings(model());
    fix(delta, fixings);
    const double cutoff = relaxed_bound_ + delta;
    while (!done()) {
      const LpSolution solution = solve_integers(cutoff);
      const bool complete = solution.status == LpStatus::kOptimal ||
                            solution.status == LpStatus::kCutoff ||
                            solution.status == LpStatus::kInfeasible;
      if (sound_ && (complete || stopped_by(solution))) {
        const double bound = std::min(solution.bound, cutoff);
        best_.raise_from_solver(program_.units(), bound);
      }
      if (!complete || solution.status == LpStatus::kOptimal) {
        const bool again =
            solution.has_point &&
            realise(solution.columns, solution.objective, kSameCost);
        if (!complete) {
          if (!stopped_by(solution)) reason_ = StopReason::kFinished;
          return Found::kStopped;
        }
        if (again) continue;
        return Found::kBest;
      }
      if (!std::isfinite(cutoff) && !best_.has_plan() && sound_ &&
          solution.status == LpStatus::kInfeasible) {
        infeasible_ = true;
      }
      return Found::kNothing;
    }
    return Found::kStopped;
  }

  LpSolution solve_integers(double cutoff) {
    LpLimits limits = clock_.left();
    limits.cutoff = cutoff;
    if (request_.limits.gap > 0) {
      limits.absolute_gap = program_.units().cost(
          request_.limits.gap * std::max(best_.lower_bound(), Cost{0}));
    }
    LpHooks hooks;
    if (best_.has_plan()) hooks.start = start();
    if (request_.on_progress && sound_) {
      hooks.progress = [this, cutoff](const LpProgress& progress) {
        const double bound = std::min(progress.bound, cutoff);
        request_.on_progress(
            {best_.cost(), best_.bound_from_solver(program_.units(), bound)});
      };
    }
    LpSolution solution = session_.solve_integers(limits, hooks);
    clock_.spend(solution);
    return solution;
  }

  // The best plan as a point; empty if columns are fixed otherwise, which the
  // solver does not take.
  std::vector<double> start() {
    auto point = program_.point_of(kept_sets(graph(), best_.plan()),
                                   model().num_columns());
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (std::isnan(point[i])) continue;
      const bool fits =
          model().lowers()[i] <= point[i] && point[i] <= model().uppers()[i];
      if (!fits) return {};
    }
    return point;
  }

  // What is almost a whole number as one.
  std::vector<double> rounded(std::span<const double> point) {
    std::vector<double> result(point.begin(), point.end());
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (model().integers()[i] != 0) result[i] = std::round(result[i]);
    }
    return result;
  }

  // Makes a plan of an integer solution, whose columns may be off by what is
  // worth `tolerance`. True if the program has to be solved again, because it
  // took a stage for cheaper than it is.
  bool realise(std::span<const double> point, double objective,
               double tolerance) {
    const KeptSets kept = program_.kept_at(point, 0.5);
    const RealisedStages realised =
        realise_stages(graph(), problem_.budget, kept, kMostStates, clock_);
    if (realised.plan) {
      const Cost cost = best_.offer(*realised.plan);
      if (scaled_extra(cost) <= objective + tolerance) {
        return false;
      }
    }
    std::size_t added = program_.add_rerun_memory_rows(point, model());
    for (std::size_t t = 0; t < realised.tasks.size(); ++t) {
      // What was not looked at to the end says nothing.
      if (clock_.stop()) return false;
      added +=
          cut_off(realised.tasks[t], realised.answers[t], point, tolerance);
    }
    // Without a row that cuts the point off it would come again.
    return added > 0;
  }

  // Adds a row if the stage costs more than the point pays for it. Returns how
  // many.
  std::size_t cut_off(const StageTask& task, const TaskAnswer& answer,
                      std::span<const double> point, double tolerance) {
    const double paid = program_.paid_in(task.stage, point);
    const double due = program_.units().cost(answer.least);
    if (due > 0 && due > paid + tolerance) {
      program_.add_no_room_row(widened(graph(), problem_.budget, staging_, task,
                                       answer.least, kMostWidenings, clock_),
                               answer.least, model());
      return 1;
    }
    if (answer.ops) return 0;
    // Nobody knows whether the stage can be done: leave it out, and prove
    // nothing from here on.
    sound_ = false;
    program_.add_no_room_row(task, kInfinity, model());
    return 1;
  }

  const Problem& problem_;
  const Request& request_;
  SolveClock clock_;
  ProgramIncumbent best_;
  Staging staging_;
  TelescopedProgram program_;
  LpSession session_;
  LpSolution relaxed_;
  std::vector<double> prices_;  // Reduced costs of the relaxation.
  double relaxed_bound_ = 0;    // Proved, in scaled units.
  bool sound_ = true;           // All rows hold for every plan.
  bool infeasible_ = false;
  StopReason reason_ = StopReason::kFinished;
};

}  // namespace

Proposal solve_telescoped(const Problem& problem, const Request& request) {
  Proposal proposal;
  if (problem.budget < peak_floor(problem.graph, problem.order).bytes) {
    proposal.infeasible = true;
    return proposal;
  }
  if (const auto why = too_large("the telescoped program",
                                 TelescopedProgram::size_of(problem.graph))) {
    return not_applicable(*why);
  }
  ProgramIncumbent best(problem, request);
  best.offer_first_plans();
  if (best.is_proved()) return best.take(StopReason::kFinished);
  if (const auto stop = SolveClock(request.limits).stop()) {
    return best.take(*stop);
  }
  return TelescopedSearch(problem, request).run();
}

}  // namespace rematch
