// SPDX-License-Identifier: Apache-2.0
// One model that is solved again and again while it changes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "rematch/lp/lp_solver.h"

namespace rematch {

class HighsSolver;

// Edit model(), then solve: what changed since the last solve is found by
// comparing bounds and costs, O(columns + rows), and handed over with the new
// columns and rows. A relaxation begins at the basis where the last one ended;
// its optimum does not depend on that, but which of several optimal points is
// found may. A search over integers depends on nothing before it.
//
// Not thread-safe. Sessions on different threads are independent, and a session
// may move from thread to thread between solves. No session may be made, used
// or destroyed inside of a hook.
class LpSession {
 public:
  explicit LpSession(LinearModel model);
  LpSession(LpSession&& other) noexcept;
  LpSession& operator=(LpSession&& other) noexcept;
  ~LpSession();

  // Terms of rows that are there cannot change; a model must not be replaced
  // by another.
  LinearModel& model() { return model_; }
  const LinearModel& model() const { return model_; }

  // Takes integer columns for continuous ones. Of the hooks only `progress`
  // applies.
  LpSolution solve_relaxation(const LpLimits& limits,
                              LpMethod method = LpMethod::kSimplex,
                              const LpHooks& hooks = {});

  // A model without integer columns is solved as a relaxation.
  LpSolution solve_integers(const LpLimits& limits, const LpHooks& hooks = {});

 private:
  // What the solver was last told.
  struct Told {
    bool model = false;
    double offset = 0;
    std::vector<double> cost, lower, upper, row_lower, row_upper;
  };
  // In the solver's own numbers.
  struct Basis {
    std::vector<int> columns, rows;
  };

  void tell_changes();
  void tell_columns();
  void tell_rows();
  void restore_basis();

  LinearModel model_;
  std::unique_ptr<HighsSolver> solver_;
  Told told_;
  Basis basis_;  // Where the last relaxation ended; empty: nowhere.
  bool solver_has_basis_ = false;
};

}  // namespace rematch
