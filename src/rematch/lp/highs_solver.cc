// SPDX-License-Identifier: Apache-2.0
#include "rematch/lp/highs_solver.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <interfaces/highs_c_api.h>

#include "rematch/base/check.h"
#include "rematch/lp/lp_events.h"

namespace rematch {
namespace {

static_assert(sizeof(HighsInt) == sizeof(std::int32_t),
              "HiGHS counts with 32 bits");

// In HiGHS since 1.12, but not yet in its C header.
constexpr HighsInt kModelStatusMemoryLimit = 18;
constexpr HighsInt kModelStatusHighsInterrupt = 19;

constexpr const char* kOff = "off";
constexpr const char* kOn = "on";

// Nothing stops HiGHS while it presolves, which with more terms takes seconds.
// The interior point method is as quick without: Checkmate's program of a graph
// of 500 ops loses 0.4% of its rows in 9 s.
constexpr HighsInt kMostTermsToPresolve = 1'000'000;

// How the dual simplex method chooses rows. Steepest edges, which are its
// choice, have weights that take a solve per row to begin at a basis: longer
// than the few steps that are left after some rows were added.
constexpr const char* kEdgeWeights = "simplex_dual_edge_weight_strategy";
constexpr int kChooseEdgeWeights = -1;
constexpr int kDevex = 1;

// The size of this thread's pool in HiGHS; 0: none yet.
thread_local int pool_size = 0;

void check_call(HighsInt returned, const char* call) {
  REMATCH_CHECK(returned != kHighsStatusError,
                fmt::format("{} succeeds, but it failed", call));
}

void check_option(HighsInt returned, const char* call, const char* name) {
  check_call(returned, fmt::format("{}({})", call, name).c_str());
}

void set_option(void* highs, const char* name, bool value) {
  check_option(Highs_setBoolOptionValue(highs, name, value ? 1 : 0),
               "Highs_setBoolOptionValue", name);
}
void set_option(void* highs, const char* name, int value) {
  check_option(Highs_setIntOptionValue(highs, name, value),
               "Highs_setIntOptionValue", name);
}
void set_option(void* highs, const char* name, double value) {
  check_option(Highs_setDoubleOptionValue(highs, name, value),
               "Highs_setDoubleOptionValue", name);
}
void set_option(void* highs, const char* name, const char* value) {
  check_option(Highs_setStringOptionValue(highs, name, value),
               "Highs_setStringOptionValue", name);
}

int at_most_int(std::int64_t value) {
  return static_cast<int>(
      std::min<std::int64_t>(value, std::numeric_limits<int>::max()));
}

// HiGHS has values in its info only after a run that got that far.
HighsInt int_info(const void* highs, const char* name) {
  HighsInt value = 0;
  const HighsInt got = Highs_getIntInfoValue(highs, name, &value);
  return got == kHighsStatusOk ? std::max(value, 0) : 0;
}

double double_info(const void* highs, const char* name, double otherwise) {
  double value = 0;
  if (Highs_getDoubleInfoValue(highs, name, &value) != kHighsStatusOk) {
    return otherwise;
  }
  return std::isnan(value) ? otherwise : value;
}

std::int64_t count_info(const void* highs, const char* name) {
  std::int64_t value = 0;
  const HighsInt got = Highs_getInt64InfoValue(highs, name, &value);
  return got == kHighsStatusOk ? std::max<std::int64_t>(value, 0) : 0;
}

std::vector<HighsInt> var_types(std::span<const std::uint8_t> integers) {
  std::vector<HighsInt> types(integers.size());
  std::ranges::transform(integers, types.begin(), [](std::uint8_t integer) {
    return integer != 0 ? kHighsVarTypeInteger : kHighsVarTypeContinuous;
  });
  return types;
}

std::vector<double> pick(std::span<const double> list,
                         std::span<const int> which) {
  std::vector<double> picked(which.size());
  std::ranges::transform(which, picked.begin(), [&](int i) {
    return list[static_cast<std::size_t>(i)];
  });
  return picked;
}

// Makes columns integer while it lives.
class IntegerColumns {
 public:
  IntegerColumns(void* highs, std::span<const std::uint8_t> integers)
      : highs_(highs) {
    check_call(Highs_changeColsIntegralityByRange(
                   highs, 0, static_cast<HighsInt>(integers.size()) - 1,
                   var_types(integers).data()),
               "Highs_changeColsIntegralityByRange");
  }
  ~IntegerColumns() { Highs_clearIntegrality(highs_); }
  IntegerColumns(const IntegerColumns&) = delete;
  IntegerColumns& operator=(const IntegerColumns&) = delete;

 private:
  void* highs_;
};

bool is_interrupt(int type) {
  return type == kHighsCallbackSimplexInterrupt ||
         type == kHighsCallbackIpmInterrupt ||
         type == kHighsCallbackMipInterrupt;
}

// Makes HiGHS tell `events` what happens, while it lives.
class Callbacks {
 public:
  Callbacks(void* highs, LpEvents& events, bool integers)
      : highs_(highs), events_(events), integers_(integers) {
    check_call(Highs_setCallback(highs, on_event, this), "Highs_setCallback");
    start(kHighsCallbackSimplexInterrupt, !integers);
    start(kHighsCallbackIpmInterrupt, !integers);
    start(kHighsCallbackMipInterrupt, integers);
    start(kHighsCallbackMipImprovingSolution,
          integers && events.wants_progress());
    start(kHighsCallbackCallbackMipUserSolution,
          integers && events.wants_offers());
  }
  ~Callbacks() {
    for (const int type : started_) Highs_stopCallback(highs_, type);
    Highs_setCallback(highs_, nullptr, nullptr);
  }
  Callbacks(const Callbacks&) = delete;
  Callbacks& operator=(const Callbacks&) = delete;

 private:
  void start(HighsInt type, bool wanted) {
    const bool heard = events_.may_interrupt() || events_.wants_progress() ||
                       events_.wants_offers() ||
                       (integers_ && events_.counts_iterations());
    if (!wanted || !heard) return;
    check_call(Highs_startCallback(highs_, type), "Highs_startCallback");
    started_.push_back(type);
  }

  static void on_event(int type, const char* /*message*/,
                       const HighsCallbackDataOut* out, HighsCallbackDataIn* in,
                       void* data) {
    const auto& self = *static_cast<const Callbacks*>(data);
    if (type == kHighsCallbackCallbackMipUserSolution) {
      self.take_offer(in);
    } else {
      self.report(type, *out);
    }
    if (!is_interrupt(type)) return;
    const bool stop =
        self.integers_ ? self.events_.stop_after(out->mip_total_lp_iterations)
                       : self.events_.stop();
    if (stop) in->user_interrupt = 1;
  }

  void take_offer(HighsCallbackDataIn* in) const {
    const auto size = Highs_getNumCol(highs_);
    const auto point = events_.offer(static_cast<std::size_t>(size));
    if (point.empty()) return;
    // HiGHS checks that the point is feasible. Up to 1.15 at least, it looks
    // at the point only if the flag is set as well.
    if (Highs_setCallbackSolution(in, size, point.data()) == kHighsStatusOk) {
      in->user_has_solution = 1;
    }
  }

  void report(int type, const HighsCallbackDataOut& out) const {
    LpProgress progress;
    progress.seconds = out.running_time;
    if (integers_) {
      progress.incumbent = out.mip_primal_bound;
      progress.bound = out.mip_dual_bound;
      progress.nodes = std::max<std::int64_t>(out.mip_node_count, 0);
    } else {
      progress.iterations =
          std::max(out.simplex_iteration_count, out.ipm_iteration_count);
    }
    if (type == kHighsCallbackMipImprovingSolution) {
      const auto size = static_cast<std::size_t>(Highs_getNumCol(highs_));
      progress.incumbent = out.objective_function_value;
      progress.point = {out.mip_solution, size};
    }
    events_.report(progress);
  }

  void* highs_;
  LpEvents& events_;
  bool integers_;
  std::vector<int> started_;
};

}  // namespace

LpStatus lp_status_from_highs(int status) {
  switch (status) {
    case kHighsModelStatusNotset:
      return LpStatus::kNotSet;
    case kHighsModelStatusLoadError:
      return LpStatus::kLoadError;
    case kHighsModelStatusModelError:
      return LpStatus::kModelError;
    case kHighsModelStatusPresolveError:
      return LpStatus::kPresolveError;
    case kHighsModelStatusSolveError:
      return LpStatus::kSolveError;
    case kHighsModelStatusPostsolveError:
      return LpStatus::kPostsolveError;
    case kHighsModelStatusModelEmpty:
      return LpStatus::kEmptyModel;
    case kHighsModelStatusOptimal:
      return LpStatus::kOptimal;
    case kHighsModelStatusInfeasible:
      return LpStatus::kInfeasible;
    case kHighsModelStatusUnboundedOrInfeasible:
      return LpStatus::kUnboundedOrInfeasible;
    case kHighsModelStatusUnbounded:
      return LpStatus::kUnbounded;
    case kHighsModelStatusObjectiveBound:
      return LpStatus::kCutoff;
    case kHighsModelStatusObjectiveTarget:
      return LpStatus::kTarget;
    case kHighsModelStatusTimeLimit:
      return LpStatus::kTimeLimit;
    case kHighsModelStatusIterationLimit:
      return LpStatus::kIterationLimit;
    case kHighsModelStatusUnknown:
      return LpStatus::kUnknown;
    case kHighsModelStatusSolutionLimit:
      return LpStatus::kNodeLimit;
    case kHighsModelStatusInterrupt:
      return LpStatus::kInterrupted;
    case kModelStatusMemoryLimit:
      return LpStatus::kMemoryLimit;
    case kModelStatusHighsInterrupt:
      return LpStatus::kSolverStopped;
    default:
      return LpStatus::kUnrecognised;
  }
}

HighsSolver::HighsSolver() {
  REMATCH_CHECK(!LpEvents::in_hook(), "no session is made inside of a hook");
  highs_ = Highs_create();
  REMATCH_CHECK(highs_ != nullptr, "Highs_create succeeds");
  set_option(highs_, "output_flag", false);
  // The parts that are in every build of HiGHS.
  set_option(highs_, "mip_lp_solver", "simplex");
  set_option(highs_, "mip_ipm_solver", "ipx");
}

HighsSolver::~HighsSolver() { Highs_destroy(highs_); }

void HighsSolver::load(const LinearModel& model) {
  check_call(
      Highs_passLp(highs_, static_cast<HighsInt>(model.num_columns()),
                   static_cast<HighsInt>(model.num_rows()),
                   static_cast<HighsInt>(model.num_terms()),
                   kHighsMatrixFormatRowwise, kHighsObjSenseMinimize,
                   model.offset(), model.costs().data(), model.lowers().data(),
                   model.uppers().data(), model.row_lowers().data(),
                   model.row_uppers().data(), model.starts().data(),
                   model.term_columns().data(), model.term_values().data()),
      "Highs_passLp");
}

void HighsSolver::add_columns(const LinearModel& model, std::size_t from) {
  const std::size_t count = model.num_columns() - from;
  check_call(Highs_addCols(highs_, static_cast<HighsInt>(count),
                           model.costs().subspan(from).data(),
                           model.lowers().subspan(from).data(),
                           model.uppers().subspan(from).data(), 0, nullptr,
                           nullptr, nullptr),
             "Highs_addCols");
}

void HighsSolver::add_rows(const LinearModel& model, std::size_t from) {
  const std::size_t count = model.num_rows() - from;
  const HighsInt first = model.starts()[from];
  std::vector<HighsInt> starts(count);
  std::ranges::transform(model.starts().subspan(from, count), starts.begin(),
                         [first](HighsInt start) { return start - first; });
  const auto begin = static_cast<std::size_t>(first);
  check_call(
      Highs_addRows(highs_, static_cast<HighsInt>(count),
                    model.row_lowers().subspan(from).data(),
                    model.row_uppers().subspan(from).data(),
                    static_cast<HighsInt>(model.num_terms() - begin),
                    starts.data(), model.term_columns().subspan(begin).data(),
                    model.term_values().subspan(begin).data()),
      "Highs_addRows");
}

void HighsSolver::change_columns(const LinearModel& model,
                                 std::span<const int> columns) {
  const auto count = static_cast<HighsInt>(columns.size());
  check_call(Highs_changeColsBoundsBySet(highs_, count, columns.data(),
                                         pick(model.lowers(), columns).data(),
                                         pick(model.uppers(), columns).data()),
             "Highs_changeColsBoundsBySet");
  check_call(Highs_changeColsCostBySet(highs_, count, columns.data(),
                                       pick(model.costs(), columns).data()),
             "Highs_changeColsCostBySet");
}

void HighsSolver::change_rows(const LinearModel& model,
                              std::span<const int> rows) {
  check_call(Highs_changeRowsBoundsBySet(
                 highs_, static_cast<HighsInt>(rows.size()), rows.data(),
                 pick(model.row_lowers(), rows).data(),
                 pick(model.row_uppers(), rows).data()),
             "Highs_changeRowsBoundsBySet");
}

void HighsSolver::change_offset(double offset) {
  check_call(Highs_changeObjectiveOffset(highs_, offset),
             "Highs_changeObjectiveOffset");
}

void HighsSolver::forget() {
  check_call(Highs_clearSolver(highs_), "Highs_clearSolver");
}

bool HighsSolver::has_basis() const {
  return int_info(highs_, "basis_validity") == kHighsBasisValidityValid;
}

void HighsSolver::get_basis(std::vector<int>& columns,
                            std::vector<int>& rows) const {
  columns.resize(static_cast<std::size_t>(Highs_getNumCol(highs_)));
  rows.resize(static_cast<std::size_t>(Highs_getNumRow(highs_)));
  check_call(Highs_getBasis(highs_, columns.data(), rows.data()),
             "Highs_getBasis");
}

void HighsSolver::set_basis(std::span<const int> columns,
                            std::span<const int> rows) {
  check_call(Highs_setBasis(highs_, columns.data(), rows.data()),
             "Highs_setBasis");
}

int HighsSolver::basic_status() { return kHighsBasisStatusBasic; }
int HighsSolver::nonbasic_status() { return kHighsBasisStatusNonbasic; }

void HighsSolver::set_limits(const LpLimits& limits) {
  if (pool_size != limits.threads) {
    if (pool_size != 0) Highs_resetGlobalScheduler(1);
    pool_size = limits.threads;
  }
  set_option(highs_, "threads", limits.threads);
  set_option(highs_, "parallel", limits.threads > 1 ? "choose" : kOff);
  constexpr std::uint64_t kSeeds = std::numeric_limits<int>::max();
  set_option(highs_, "random_seed", static_cast<int>(limits.seed % kSeeds));
  check_call(Highs_zeroAllClocks(highs_), "Highs_zeroAllClocks");
  set_option(highs_, "time_limit", limits.seconds);
  set_option(highs_, "mip_rel_gap", limits.relative_gap);
  set_option(highs_, "mip_abs_gap", limits.absolute_gap);
  set_option(highs_, "objective_bound", limits.cutoff);
  set_option(highs_, "objective_target", limits.target);
  set_option(highs_, "simplex_iteration_limit", at_most_int(limits.iterations));
  set_option(highs_, "ipm_iteration_limit", at_most_int(limits.iterations));
  set_option(highs_, "mip_max_nodes", at_most_int(limits.nodes));
  const bool look_for_points = limits.effort_on_points > 0;
  set_option(highs_, "mip_heuristic_effort", limits.effort_on_points);
  for (const char* heuristic :
       {"mip_heuristic_run_rins", "mip_heuristic_run_rens",
        "mip_heuristic_run_feasibility_jump", "mip_allow_restart"}) {
    set_option(highs_, heuristic, look_for_points);
  }
  set_option(highs_, "mip_heuristic_run_root_reduced_cost",
             look_for_points || limits.looks_at_root);
}

void HighsSolver::set_start(const std::vector<double>& start) {
  std::vector<HighsInt> columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (std::isnan(start[i])) continue;
    columns.push_back(static_cast<HighsInt>(i));
    values.push_back(start[i]);
  }
  if (columns.empty()) return;
  check_call(
      Highs_setSparseSolution(highs_, static_cast<HighsInt>(columns.size()),
                              columns.data(), values.data()),
      "Highs_setSparseSolution");
}

LpSolution HighsSolver::run_relaxation(const LpLimits& limits, LpMethod method,
                                       const LpHooks& hooks) {
  set_limits(limits);
  set_option(highs_, kEdgeWeights, has_basis() ? kDevex : kChooseEdgeWeights);
  const bool simplex = method == LpMethod::kSimplex;
  const bool presolves =
      simplex || Highs_getNumNz(highs_) <= kMostTermsToPresolve;
  set_option(highs_, "presolve", presolves ? "choose" : kOff);
  set_option(highs_, "solver", simplex ? "simplex" : "ipx");
  set_option(highs_, "run_crossover",
             method == LpMethod::kInteriorNoBasis ? kOff : kOn);
  return run(limits, hooks, false);
}

LpSolution HighsSolver::run_integers(const LpLimits& limits,
                                     const LpHooks& hooks,
                                     std::span<const std::uint8_t> integers) {
  const IntegerColumns while_running(highs_, integers);
  set_limits(limits);
  set_option(highs_, kEdgeWeights, kChooseEdgeWeights);
  set_option(highs_, "solver", "choose");
  set_option(highs_, "presolve", "choose");
  set_option(highs_, "run_crossover", kOn);
  if (!hooks.start.empty()) set_start(hooks.start);
  LpSolution solution = run(limits, hooks, true);
  solution.bound = double_info(highs_, "mip_dual_bound", -kInfinity);
  // Where there was nothing left to search it does not say.
  const bool is_best =
      solution.status == LpStatus::kOptimal && solution.has_point;
  if (is_best && solution.bound == -kInfinity) {
    solution.bound = solution.objective;
  }
  return solution;
}

LpSolution HighsSolver::run(const LpLimits& limits, const LpHooks& hooks,
                            bool integers) {
  REMATCH_CHECK(!LpEvents::in_hook(), "no session is used inside of a hook");
  LpEvents events(limits, hooks);
  HighsInt returned = kHighsStatusOk;
  {
    const Callbacks callbacks(highs_, events, integers);
    returned = Highs_run(highs_);
  }
  events.rethrow();
  LpSolution solution;
  solution.status = lp_status_from_highs(Highs_getModelStatus(highs_));
  if (events.is_out_of_iterations() &&
      solution.status == LpStatus::kInterrupted) {
    solution.status = LpStatus::kIterationLimit;
  }
  if (returned == kHighsStatusError && solution.status == LpStatus::kNotSet) {
    solution.status = LpStatus::kSolveError;
  }
  solution.seconds = Highs_getRunTime(highs_);
  solution.nodes = integers ? count_info(highs_, "mip_node_count") : 0;
  solution.iterations =
      std::int64_t{int_info(highs_, "simplex_iteration_count")} +
      int_info(highs_, "ipm_iteration_count") +
      int_info(highs_, "crossover_iteration_count");
  read_point(solution, integers);
  return solution;
}

void HighsSolver::read_point(LpSolution& solution, bool integers) const {
  const auto columns = static_cast<std::size_t>(Highs_getNumCol(highs_));
  const auto rows = static_cast<std::size_t>(Highs_getNumRow(highs_));
  const bool primal = int_info(highs_, "primal_solution_status") ==
                      kHighsSolutionStatusFeasible;
  const bool dual = !integers && int_info(highs_, "dual_solution_status") ==
                                     kHighsSolutionStatusFeasible;
  if (!primal && !dual) return;
  std::vector<double> values(columns);
  std::vector<double> costs(columns);
  std::vector<double> activities(rows);
  std::vector<double> duals(rows);
  check_call(Highs_getSolution(highs_, values.data(), costs.data(),
                               activities.data(), duals.data()),
             "Highs_getSolution");
  if (primal) {
    solution.has_point = true;
    solution.columns = std::move(values);
    solution.objective = Highs_getObjectiveValue(highs_);
  }
  if (dual) {
    solution.row_duals = std::move(duals);
    solution.reduced_costs = std::move(costs);
  }
}

bool HighsSolver::read(const std::string& path) {
  return Highs_readModel(highs_, path.c_str()) != kHighsStatusError;
}

bool HighsSolver::get_model(LinearModel& model) const {
  const auto columns = static_cast<std::size_t>(Highs_getNumCol(highs_));
  const auto rows = static_cast<std::size_t>(Highs_getNumRow(highs_));
  const auto terms = static_cast<std::size_t>(Highs_getNumNz(highs_));
  HighsInt num_columns = 0, num_rows = 0, num_terms = 0, sense = 0;
  double offset = 0;
  std::vector<double> cost(columns), lower(columns), upper(columns);
  std::vector<double> row_lower(rows), row_upper(rows), values(terms);
  std::vector<HighsInt> starts(rows + 1), indices(terms), types(columns);
  check_call(
      Highs_getLp(highs_, kHighsMatrixFormatRowwise, &num_columns, &num_rows,
                  &num_terms, &sense, &offset, cost.data(), lower.data(),
                  upper.data(), row_lower.data(), row_upper.data(),
                  starts.data(), indices.data(), values.data(), types.data()),
      "Highs_getLp");
  starts[rows] = num_terms;
  const bool known_types = std::ranges::all_of(types, [](HighsInt type) {
    return type == kHighsVarTypeContinuous || type == kHighsVarTypeInteger;
  });
  if (sense != kHighsObjSenseMinimize || !known_types ||
      Highs_getHessianNumNz(highs_) != 0) {
    return false;
  }
  model.set_offset(offset);
  const FamilyId column_family = model.family("column");
  for (std::size_t i = 0; i < columns; ++i) {
    model.add_column(column_family, {lower[i], upper[i], cost[i],
                                     types[i] == kHighsVarTypeInteger});
  }
  const FamilyId row_family = model.family("row");
  std::vector<LinearTerm> row;
  for (std::size_t i = 0; i < rows; ++i) {
    row.clear();
    for (auto at = static_cast<std::size_t>(starts[i]);
         at < static_cast<std::size_t>(starts[i + 1]); ++at) {
      row.push_back({ColumnId(indices[at]), values[at]});
    }
    model.add_row(row_family, row_lower[i], row_upper[i], row);
  }
  return true;
}

}  // namespace rematch
