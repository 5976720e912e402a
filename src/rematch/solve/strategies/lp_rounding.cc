// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/lp_rounding.h"

#include <algorithm>
#include <array>
#include <set>

#include "rematch/base/random.h"
#include "rematch/lp/lp_session.h"
#include "rematch/plan/floor.h"
#include "rematch/solve/program/incumbent.h"
#include "rematch/solve/program/relaxed_kept.h"
#include "rematch/solve/program/solve_clock.h"
#include "rematch/solve/program/telescoped_program.h"

namespace rematch {
namespace {

// What the relaxation leaves unused, in percent of the budget without the fixed
// bytes: rounding needs room. None is best for all, so all are tried.
constexpr std::array kAllowances = {0, 1, 2, 4, 7, 10, 14, 19, 25, 32};
constexpr std::array kThresholds = {0.5, 0.3, 0.7, 0.1, 0.9,
                                    0.2, 0.4, 0.6, 0.8};
constexpr int kRandomRounds = 100;

class RoundingSearch {
 public:
  RoundingSearch(const Problem& problem, const Request& request)
      : problem_(problem),
        fixed_{problem.graph, problem.budget, OrderRule::kFixed},
        request_(request),
        clock_(request.limits),
        random_(request.limits.seed),
        best_(problem, request),
        program_(fixed_, {.omitted = {}, .clock = &clock_}),
        session_(program_.take_model()) {}

  Proposal run() {
    best_.offer_first_plans();
    for (int allowance : kAllowances) {
      if (best_.is_proved() || best_.is_close_enough()) break;
      if (stopped() || !program_.is_whole()) break;
      if (!try_allowance(allowance)) break;
    }
    if (infeasible_) {
      Proposal proposal;
      proposal.infeasible = true;
      proposal.message = "the telescoped relaxation has no solution";
      return proposal;
    }
    if (!best_.is_proved() && best_.is_close_enough()) {
      return best_.take(StopReason::kGapReached);
    }
    stopped();
    Proposal proposal = best_.take(reason_);
    if (!proposal.plan && reason_ == StopReason::kFinished) {
      proposal.stop_reason = StopReason::kOverBudget;
      proposal.message = "no rounding of the relaxation fits into the budget";
    }
    return proposal;
  }

 private:
  bool stopped() {
    if (const auto stop = clock_.stop()) reason_ = *stop;
    return reason_ != StopReason::kFinished;
  }

  // False if less memory makes no sense.
  bool try_allowance(int allowance) {
    const Bytes room = problem_.budget - problem_.graph.fixed_bytes();
    program_.set_budget(problem_.budget - room / 100 * allowance,
                        session_.model());
    const LpSolution relaxed =
        relax_with_rerun_rows(session_, program_, clock_);
    if (allowance == 0) take_bound(relaxed);
    if (relaxed.status != LpStatus::kOptimal) {
      reason_ = stop_reason_of(relaxed.status).value_or(reason_);
      return false;
    }
    round(relaxed);
    return true;
  }

  void take_bound(const LpSolution& relaxed) {
    if (problem_.order != OrderRule::kFixed) return;
    if (relaxed.status == LpStatus::kInfeasible) infeasible_ = true;
    if (relaxed.row_duals.empty()) return;
    const double bound = proved_bound(session_.model(), relaxed.row_duals);
    best_.raise_proved(program_.units().cost_from(bound));
  }

  void round(const LpSolution& relaxed) {
    switch (request_.rounding) {
      case Rounding::kThreshold:
        try_kept(program_.kept_at(relaxed.columns, 0.5));
        return;
      case Rounding::kSweep:
        for (double threshold : kThresholds) {
          try_kept(program_.kept_at(relaxed.columns, threshold));
        }
        return;
      case Rounding::kRandom:
        draw(relaxed.columns);
        return;
    }
  }

  // Each tensor is kept with the probability that the relaxation says.
  void draw(const std::vector<double>& point) {
    for (int i = 0; i < kRandomRounds / static_cast<int>(kAllowances.size());
         ++i) {
      std::vector<double> drawn(point.size());
      std::ranges::transform(point, drawn.begin(), [&](double share) {
        return random_.unit() < share ? 1.0 : 0.0;
      });
      try_kept(program_.kept_at(drawn, 0.5));
    }
  }

  void try_kept(const KeptSets& kept) {
    if (stopped() || !tried_.insert(kept).second) return;
    auto plan = plan_within(fixed_, kept, clock_);
    if (plan) best_.offer(*std::move(plan));
  }

  const Problem& problem_;
  Problem fixed_;
  const Request& request_;
  SolveClock clock_;
  Random random_;
  ProgramIncumbent best_;
  TelescopedProgram program_;
  LpSession session_;
  std::set<KeptSets> tried_;
  bool infeasible_ = false;
  StopReason reason_ = StopReason::kFinished;
};

}  // namespace

Proposal propose_lp_rounding(const Problem& problem, const Request& request) {
  if (problem.budget < peak_floor(problem.graph, OrderRule::kFixed).bytes) {
    if (problem.order == OrderRule::kFree) {
      return not_applicable(
          "lp_rounding keeps the graph's order, in which no "
          "plan fits into the budget");
    }
    Proposal proposal;
    proposal.infeasible = true;
    return proposal;
  }
  if (const auto why = too_large("the telescoped program",
                                 TelescopedProgram::size_of(problem.graph))) {
    return not_applicable(*why);
  }
  return RoundingSearch(problem, request).run();
}

}  // namespace rematch
