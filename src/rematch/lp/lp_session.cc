// SPDX-License-Identifier: Apache-2.0
#include "rematch/lp/lp_session.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "rematch/base/check.h"
#include "rematch/lp/dual_bound.h"
#include "rematch/lp/highs_solver.h"

namespace rematch {
namespace {

std::vector<double> copy(std::span<const double> list) {
  return {list.begin(), list.end()};
}

void check_limits(const LpLimits& limits) {
  REMATCH_CHECK(limits.threads >= 1, "a solve has at least one thread");
  REMATCH_CHECK(limits.relative_gap >= 0 && limits.absolute_gap >= 0,
                "a gap is not negative");
  REMATCH_CHECK(limits.iterations >= 0 && limits.nodes >= 0,
                "a limit is not negative");
}

// Without columns, what solvers say is not of one mind.
LpSolution solve_without_columns(const LinearModel& model) {
  LpSolution solution;
  for (const RowId row : model.rows()) {
    if (model.row_lower(row) > 0 || model.row_upper(row) < 0) {
      solution.status = LpStatus::kInfeasible;
      solution.bound = kInfinity;
      return solution;
    }
  }
  solution.status = LpStatus::kOptimal;
  solution.has_point = true;
  solution.objective = model.offset();
  solution.bound = model.offset();
  solution.row_duals.assign(model.num_rows(), 0);
  return solution;
}

// About what a solver takes per term to begin and to end: reading, presolving
// and checking, which no limit reaches into.
constexpr double kSecondsPerTerm = 5e-7;
constexpr double kSecondsPerTermOfIntegers = 2e-6;

// The limits of a solve that needs so many seconds besides: the end is as long
// as the beginning.
LpLimits leave_time(LpLimits limits, double seconds) {
  if (limits.seconds <= seconds) {
    limits.seconds = 0;
  } else {
    limits.seconds -= seconds / 2;
  }
  return limits;
}

// The answer that needs no solver, if there is one.
std::optional<LpSolution> answer_at_once(const LinearModel& model,
                                         const LpLimits& limits) {
  LpSolution solution;
  if (limits.interrupt != nullptr && limits.interrupt->load()) {
    solution.status = LpStatus::kInterrupted;
    return solution;
  }
  if (!(limits.seconds > 0)) {
    solution.status = LpStatus::kTimeLimit;
    return solution;
  }
  if (model.num_columns() == 0) return solve_without_columns(model);
  if (limits.iterations == 0) {
    solution.status = LpStatus::kIterationLimit;
    return solution;
  }
  return std::nullopt;
}

// HiGHS drops what cannot be better than the cutoff and then calls the search
// complete: "infeasible", or "optimal" with a worse point that it met.
void apply_cutoff(double cutoff, LpSolution& solution) {
  const bool complete = solution.status == LpStatus::kOptimal ||
                        solution.status == LpStatus::kInfeasible ||
                        solution.status == LpStatus::kUnboundedOrInfeasible;
  if (complete && !(solution.objective <= cutoff)) {
    solution.status = LpStatus::kCutoff;
  }
  solution.bound = std::min(solution.bound, cutoff);
}

// Makes the bound agree with the status and with the point.
LpSolution with_consistent_bound(LpSolution solution, const LpLimits& limits) {
  if (solution.status == LpStatus::kInfeasible) solution.bound = kInfinity;
  if (solution.status == LpStatus::kCutoff) solution.bound = limits.cutoff;
  if (solution.status == LpStatus::kUnbounded) solution.bound = -kInfinity;
  if (solution.has_point) {
    solution.bound = std::min(solution.bound, solution.objective);
  }
  return solution;
}

}  // namespace

LpSession::LpSession(LinearModel model)
    : model_(std::move(model)), solver_(std::make_unique<HighsSolver>()) {}

LpSession::LpSession(LpSession&& other) noexcept = default;
LpSession& LpSession::operator=(LpSession&& other) noexcept = default;
LpSession::~LpSession() = default;

LpSolution LpSession::solve_relaxation(const LpLimits& limits, LpMethod method,
                                       const LpHooks& hooks) {
  check_limits(limits);
  const LpLimits inner = leave_time(
      limits, kSecondsPerTerm * static_cast<double>(model_.num_terms()));
  if (auto answer = answer_at_once(model_, inner)) return *answer;
  tell_changes();
  restore_basis();
  LpSolution solution = solver_->run_relaxation(inner, method, hooks);
  solver_has_basis_ = solver_->has_basis();
  if (solver_has_basis_) solver_->get_basis(basis_.columns, basis_.rows);
  if (solution.status == LpStatus::kOptimal) {
    solution.bound = solution.objective;
  } else if (!solution.row_duals.empty()) {
    solution.bound = dual_bound(model_, solution.row_duals);
  }
  return with_consistent_bound(std::move(solution), limits);
}

LpSolution LpSession::solve_integers(const LpLimits& limits,
                                     const LpHooks& hooks) {
  if (model_.num_integers() == 0) {
    return solve_relaxation(limits, LpMethod::kSimplex, hooks);
  }
  check_limits(limits);
  REMATCH_CHECK(
      hooks.start.empty() || hooks.start.size() == model_.num_columns(),
      "a start has one value per column");
  const LpLimits inner =
      leave_time(limits, kSecondsPerTermOfIntegers *
                             static_cast<double>(model_.num_terms()));
  if (auto answer = answer_at_once(model_, inner)) return *answer;
  tell_changes();
  solver_->forget();
  solver_has_basis_ = false;
  LpSolution solution = solver_->run_integers(inner, hooks, model_.integers());
  if (limits.cutoff < kInfinity) apply_cutoff(limits.cutoff, solution);
  return with_consistent_bound(std::move(solution), limits);
}

void LpSession::tell_changes() {
  REMATCH_CHECK(told_.cost.size() <= model_.num_columns() &&
                    told_.row_lower.size() <= model_.num_rows(),
                "a session's model only grows");
  if (!told_.model) {
    solver_->load(model_);
    told_.model = true;
  } else {
    tell_columns();
    tell_rows();
    if (told_.offset != model_.offset()) {
      solver_->change_offset(model_.offset());
    }
  }
  told_.offset = model_.offset();
  told_.cost = copy(model_.costs());
  told_.lower = copy(model_.lowers());
  told_.upper = copy(model_.uppers());
  told_.row_lower = copy(model_.row_lowers());
  told_.row_upper = copy(model_.row_uppers());
}

void LpSession::tell_columns() {
  std::vector<int> changed;
  const std::size_t known = told_.cost.size();
  for (std::size_t i = 0; i < known; ++i) {
    if (told_.cost[i] != model_.costs()[i] ||
        told_.lower[i] != model_.lowers()[i] ||
        told_.upper[i] != model_.uppers()[i]) {
      changed.push_back(static_cast<int>(i));
    }
  }
  if (!changed.empty()) solver_->change_columns(model_, changed);
  if (known < model_.num_columns()) solver_->add_columns(model_, known);
}

void LpSession::tell_rows() {
  std::vector<int> changed;
  const std::size_t known = told_.row_lower.size();
  for (std::size_t i = 0; i < known; ++i) {
    if (told_.row_lower[i] != model_.row_lowers()[i] ||
        told_.row_upper[i] != model_.row_uppers()[i]) {
      changed.push_back(static_cast<int>(i));
    }
  }
  if (!changed.empty()) solver_->change_rows(model_, changed);
  if (known < model_.num_rows()) solver_->add_rows(model_, known);
}

// A search over integers in between lost the solver's basis. Rows that came
// since are slack, columns that came since rest at a bound.
void LpSession::restore_basis() {
  if (solver_has_basis_ || basis_.columns.empty()) return;
  basis_.columns.resize(model_.num_columns(), HighsSolver::nonbasic_status());
  basis_.rows.resize(model_.num_rows(), HighsSolver::basic_status());
  solver_->set_basis(basis_.columns, basis_.rows);
}

}  // namespace rematch
