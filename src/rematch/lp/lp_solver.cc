// SPDX-License-Identifier: Apache-2.0
#include "rematch/lp/lp_solver.h"

#include <fmt/format.h>

#include "rematch/lp/highs_solver.h"
#include "rematch/lp/lp_session.h"

namespace rematch {

LpLimits lp_limits(const Limits& limits) {
  LpLimits result;
  result.seconds = limits.seconds;
  // Limits relate the gap to the bound, solvers to the objective.
  result.relative_gap = limits.gap / (1 + limits.gap);
  result.threads = limits.threads;
  result.seed = limits.seed;
  result.interrupt = limits.interrupt;
  return result;
}

std::string_view lp_status_name(LpStatus status) {
  switch (status) {
    case LpStatus::kOptimal:
      return "optimal";
    case LpStatus::kInfeasible:
      return "infeasible";
    case LpStatus::kUnbounded:
      return "unbounded";
    case LpStatus::kUnboundedOrInfeasible:
      return "unbounded_or_infeasible";
    case LpStatus::kCutoff:
      return "cutoff";
    case LpStatus::kTarget:
      return "target";
    case LpStatus::kTimeLimit:
      return "time_limit";
    case LpStatus::kIterationLimit:
      return "iteration_limit";
    case LpStatus::kNodeLimit:
      return "node_limit";
    case LpStatus::kMemoryLimit:
      return "memory_limit";
    case LpStatus::kInterrupted:
      return "interrupted";
    case LpStatus::kSolverStopped:
      return "solver_stopped";
    case LpStatus::kUnknown:
      return "unknown";
    case LpStatus::kEmptyModel:
      return "empty_model";
    case LpStatus::kModelError:
      return "model_error";
    case LpStatus::kLoadError:
      return "load_error";
    case LpStatus::kPresolveError:
      return "presolve_error";
    case LpStatus::kSolveError:
      return "solve_error";
    case LpStatus::kPostsolveError:
      return "postsolve_error";
    case LpStatus::kNotSet:
      return "not_set";
    case LpStatus::kUnrecognised:
      return "unrecognised";
  }
  return "unrecognised";
}

LpSolution solve_relaxation(const LinearModel& model, const LpLimits& limits,
                            LpMethod method) {
  LpSession session(model);
  return session.solve_relaxation(limits, method);
}

LpSolution solve_integers(const LinearModel& model, const LpLimits& limits,
                          const LpHooks& hooks) {
  LpSession session(model);
  return session.solve_integers(limits, hooks);
}

Result<LinearModel> read_linear_model(const std::string& path) {
  HighsSolver solver;
  if (!solver.read(path)) {
    return Error{ErrorCode::kParse,
                 fmt::format("{}: not a model that can be read", path)};
  }
  LinearModel model;
  if (!solver.get_model(model)) {
    return Error{ErrorCode::kParse,
                 fmt::format("{}: the model is not a minimisation over "
                             "continuous and integer columns",
                             path)};
  }
  return model;
}

}  // namespace rematch
