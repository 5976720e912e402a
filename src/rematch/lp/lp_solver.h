// SPDX-License-Identifier: Apache-2.0
// What is asked of a solver of linear programs, and what it answers.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rematch/base/limits.h"
#include "rematch/base/result.h"
#include "rematch/lp/linear_model.h"

namespace rematch {

// When to stop. The defaults allow everything and ask for a proof.
struct LpLimits {
  // Wall clock of one solve. A model that would take longer to read alone is
  // not begun with; nor is any, if this is 0.
  double seconds = kInfinity;
  // A search over integers is done once objective - bound is at most
  // relative_gap * |objective|, or at most absolute_gap.
  double relative_gap = 0;
  double absolute_gap = 0;
  // Stop once nothing better than this can exist (kCutoff), ...
  double cutoff = kInfinity;
  // ... and a search over integers, once something as good was found (kTarget).
  double target = -kInfinity;
  // Simplex or interior point steps; nodes of a search over integers. Unlike
  // time, both stop at the same place on every machine. A search over integers
  // adds up the steps of its relaxations and looks between them. 0 iterations:
  // do not begin.
  std::int64_t iterations = std::numeric_limits<std::int32_t>::max();
  std::int64_t nodes = std::numeric_limits<std::int32_t>::max();
  // How much of a search over integers goes into looking for points, from 0 to
  // 1. With a good cutoff, proofs are quicker without: 0 also leaves out what
  // the solver would do at the root to the same end, ...
  double effort_on_points = 0.05;
  // ... but for a look with most columns fixed by their reduced costs. A search
  // that will hardly come to its end may at least have a point.
  bool looks_at_root = false;
  int threads = 1;  // At least 1.
  std::uint64_t seed = 0;
  // Set to true from elsewhere to stop. May be null. A search over integers
  // looks between the relaxations that it solves, not within one, and the first
  // can take minutes: where that matters, set `seconds`, which holds within.
  const std::atomic<bool>* interrupt = nullptr;
};

// The limits of a search as those of a solve: seconds, gap, threads, seed and
// interrupt. How much work the rest of a search is worth its caller knows.
LpLimits lp_limits(const Limits& limits);

enum class LpStatus {
  kOptimal,     // Proved, within the gaps and tolerances.
  kInfeasible,  // Proved: there is no feasible point.
  kUnbounded,   // Proved: there are points of any objective below.
  kUnboundedOrInfeasible,
  kCutoff,  // Proved: no feasible point is better than the cutoff.
  kTarget,  // A point as good as the target was found.
  kTimeLimit,
  kIterationLimit,
  kNodeLimit,
  kMemoryLimit,
  kInterrupted,    // By the caller.
  kSolverStopped,  // By the solver itself.
  kUnknown,        // The solver could not tell.
  kEmptyModel,     // Not from here: a model without columns has an answer.
  kModelError,     // From here on the solver failed; nothing is known.
  kLoadError,
  kPresolveError,
  kSolveError,
  kPostsolveError,
  kNotSet,
  kUnrecognised,  // The solver said what we do not know.
};

// "optimal", "time_limit", ...
std::string_view lp_status_name(LpStatus status);

struct LpSolution {
  LpStatus status = LpStatus::kNotSet;
  // The best feasible point found, one value per column, and its objective.
  // Rows and bounds hold within about 1e-6 in absolute terms, integrality too.
  bool has_point = false;
  std::vector<double> columns;
  double objective = kInfinity;
  // No feasible point is below this, says the solver; dual_bound() of the
  // row_duals says the same without trust. -infinity: nothing is known;
  // infinity: infeasible. After kCutoff it is the cutoff.
  double bound = -kInfinity;
  // Of a relaxation that was solved to the end, else empty: what the objective
  // grows by per unit that a row's active bound, or a column's, grows by. For
  // each column, cost = sum(row_dual * coefficient) + reduced_cost.
  std::vector<double> row_duals;
  std::vector<double> reduced_costs;
  std::int64_t iterations = 0;
  std::int64_t nodes = 0;
  double seconds = 0;
};

// Where a solve stands.
struct LpProgress {
  double seconds = 0;
  double incumbent = kInfinity;  // Objective of the best point so far.
  double bound = -kInfinity;     // Of a search over integers.
  std::int64_t nodes = 0;
  std::int64_t iterations = 0;  // Of a relaxation.
  // A point that has just been found, better than all before, or empty. Valid
  // during the call.
  std::span<const double> point;
};

// What a caller hands to a solve and hears from it. The functions run on the
// calling thread or on a helper of the solver, one at a time, and hold up the
// solve meanwhile. They must not touch any LpSession. What they throw stops the
// solve and comes out of it.
struct LpHooks {
  // A point to begin a search over integers with: one value per column, NaN
  // where the solver is to find one. A start that is not feasible, or cannot be
  // made so, is ignored. Empty: none.
  std::vector<double> start;
  std::function<void(const LpProgress&)> progress;
  // Called now and then in a search over integers: a point that was found
  // elsewhere, one value per column, or nothing. Points that are not feasible
  // are ignored.
  std::function<std::vector<double>()> offer;
};

enum class LpMethod {
  kSimplex,         // Dual; begins where the last relaxation ended.
  kInteriorPoint,   // Then a crossover to a vertex, for a basis.
  kInteriorNoBasis  // The interior optimum as it is; the next solve is cold.
};

// Solves a model once. LpSession solves one again and again.
//
// The same model, limits and hooks give the same answer, however often and with
// whatever else going on, unless the clock or an interrupt decides.
// Throws InternalError if a call to the solver fails that cannot.
LpSolution solve_relaxation(const LinearModel& model, const LpLimits& limits,
                            LpMethod method = LpMethod::kSimplex);
LpSolution solve_integers(const LinearModel& model, const LpLimits& limits,
                          const LpHooks& hooks = {});

// Reads a model from a .mps or .lp file. Its columns and rows are in the
// families "column" and "row", in the file's order; names are not kept. Fails
// with kParse if the file cannot be read, or holds what a LinearModel cannot:
// maximisation, semicontinuous columns, quadratic terms.
Result<LinearModel> read_linear_model(const std::string& path);

}  // namespace rematch
