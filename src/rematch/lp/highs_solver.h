// SPDX-License-Identifier: Apache-2.0
// HiGHS behind checked calls; part of LpSession, which has the policy.
//
// HiGHS is used through its C API: one source file includes its header, and no
// C++ type of its crosses the border. A call that fails throws InternalError
// with the call's name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rematch/lp/lp_solver.h"

namespace rematch {

// The status that goes with a number of HiGHS' own. Every status of HiGHS has
// one to itself; a number that is none is kUnrecognised.
LpStatus lp_status_from_highs(int status);

// Traps of the C API that this class takes care of:
// - The thread pool belongs to the calling thread. Once made it keeps its size,
//   and a run that asks for another size fails: it is reset between. Destroying
//   any HiGHS object resets the pool of the thread that does it, so that must
//   never happen inside of a callback.
// - The relaxation of a model with integer columns never begins at a basis: the
//   model is continuous here, and columns are integer only during a search.
// - Clocks add up over runs and would use up a time limit: they are zeroed.
// - A search over integers cannot be interrupted while it solves a relaxation.
// - By default a search over integers is done at a relative gap of 1e-4.
// - With a cutoff, "infeasible" may only mean that nothing is below it, and
//   "optimal" nothing at all.
// - A point that is handed over in a callback is lost unless a flag is set too.
class HighsSolver {
 public:
  HighsSolver();
  ~HighsSolver();
  HighsSolver(const HighsSolver&) = delete;
  HighsSolver& operator=(const HighsSolver&) = delete;

  // Replaces whatever was there.
  void load(const LinearModel& model);
  // Those from a number on. New columns have no terms in old rows.
  void add_columns(const LinearModel& model, std::size_t from);
  void add_rows(const LinearModel& model, std::size_t from);
  // Hands over the model's numbers for some columns or rows, in rising order.
  void change_columns(const LinearModel& model, std::span<const int> columns);
  void change_rows(const LinearModel& model, std::span<const int> rows);
  void change_offset(double offset);

  // Forgets basis and solution, not the model.
  void forget();
  bool has_basis() const;
  void get_basis(std::vector<int>& columns, std::vector<int>& rows) const;
  void set_basis(std::span<const int> columns, std::span<const int> rows);
  static int basic_status();
  static int nonbasic_status();

  // Runs, and reads out everything that is valid. `solution.bound` of a
  // relaxation is left to the caller.
  LpSolution run_relaxation(const LpLimits& limits, LpMethod method,
                            const LpHooks& hooks);
  LpSolution run_integers(const LpLimits& limits, const LpHooks& hooks,
                          std::span<const std::uint8_t> integers);

  // Reads a file; false if HiGHS refuses it.
  bool read(const std::string& path);
  // What read() got; none if a LinearModel cannot hold it.
  bool get_model(LinearModel& model) const;

 private:
  void set_limits(const LpLimits& limits);
  void set_start(const std::vector<double>& start);
  LpSolution run(const LpLimits& limits, const LpHooks& hooks, bool integers);
  void read_point(LpSolution& solution, bool integers) const;

  void* highs_ = nullptr;
};

}  // namespace rematch
