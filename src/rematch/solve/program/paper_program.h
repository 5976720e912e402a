// SPDX-License-Identifier: Apache-2.0
// Checkmate's program (Jain et al. 2020) as published, for graphs with several
// outputs per op, views, workspace and ops that run once.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rematch/lp/linear_model.h"
#include "rematch/lp/lp_solver.h"
#include "rematch/solve/program/program_size.h"
#include "rematch/solve/program/solve_clock.h"
#include "rematch/solve/program/staging.h"
#include "rematch/solve/program/units.h"

namespace rematch {

// What a stage is. All but the first are for study: their relaxations are weak.
enum class PaperStages {
  kAdvancing,  // Stage t computes op t: (8a) to (8c).
  kCoverAll,   // Every op is computed in some stage.
  kCoverLast,  // The last op is computed in some stage: (1d), (1e).
};

// "advancing", "cover_all", "cover_last".
std::optional<PaperStages> paper_stages_from_name(std::string_view name);

struct PaperOptions {
  PaperStages stages = PaperStages::kAdvancing;
  // In place of (6) and (7): FREE against each of its hazards on its own.
  bool tight = false;
  // Families of rows to leave out: for the ablation tests.
  std::set<std::string, std::less<>> omitted = {};
  // Stops the building where a limit says so. May be null.
  const SolveClock* clock = nullptr;
};

// Columns: "run" (R[t,k]), "kept" (S[t,i]), "free" (FREE[t,i,k]), "used"
// (U[t,k]), "live" (V[t,s,k], where one number per tensor does not do). The
// objective is the cost of the plan in scaled units. Equations are in
// docs/formulation.md, by the names of the families.
class PaperProgram {
 public:
  // `problem` has a fixed order and a budget of at least the fixed bytes.
  explicit PaperProgram(const Problem& problem, PaperOptions options = {});

  // What it would take, without building it. O(stages * size of the graph).
  static ProgramSize size_of(const Graph& graph, const PaperOptions& options);

  // False if the clock stopped the building: rows are missing.
  bool is_whole() const { return is_whole_; }
  const LinearModel& model() const { return model_; }
  LinearModel take_model() { return std::move(model_); }
  const ProgramUnits& units() const { return units_; }

  // With advancing stages: what a point keeps, rounded.
  KeptSets kept_at(std::span<const double> point) const;
  // A point for the sets that a plan keeps; NaN where they do not say.
  std::vector<double> point_of(const KeptSets& kept,
                               std::size_t num_columns) const;

 private:
  struct Free {
    TensorId tensor;
    OpId after;  // A reader, or the producer itself.
    ColumnId column;
  };

  bool has(std::string_view family) const {
    return !options_.omitted.contains(family);
  }
  bool advancing() const { return options_.stages == PaperStages::kAdvancing; }
  std::int32_t stages() const {
    return static_cast<std::int32_t>(graph_.num_ops());
  }
  // The last op of a stage.
  std::int32_t last_op(std::int32_t stage) const {
    return advancing() ? stage : stages() - 1;
  }
  std::optional<ColumnId> run(std::int32_t stage, OpId op) const;
  std::optional<ColumnId> kept(std::int32_t stage, TensorId tensor) const;

  // Remembers that there is no more time to build.
  bool stopped();
  void classify();
  void add_run_columns();
  void add_kept_columns();
  void add_dependency_rows();
  void add_source_rows();
  void add_cover_rows();
  void add_once_rows();
  void add_lasting_rows();
  void add_stage_memory(std::int32_t stage);
  std::vector<Free> add_free_columns(std::int32_t stage);
  void add_free_rows(std::int32_t stage, const Free& free);
  void add_tight_free_rows(std::int32_t stage, const Free& free);
  void add_live_rows(std::int32_t stage, const std::vector<Free>& frees);
  void add_live_rows_of(std::int32_t stage, TensorId tensor, std::int32_t k,
                        const std::vector<Free>& frees, ColumnId column);
  void add_used_rows(std::int32_t stage, const std::vector<Free>& frees);
  void add_budget_row(std::int32_t stage, OpId op, ColumnId used);

  const Graph& graph_;
  Bytes budget_;
  PaperOptions options_;
  ProgramUnits units_;
  LinearModel model_;
  bool is_whole_ = true;
  IdVector<OpId, std::int32_t> run_base_;
  IdVector<TensorId, std::int32_t> kept_base_;
  // Alone in its storage, and the only output of its op.
  IdVector<TensorId, bool> is_simple_;
  std::vector<StorageId> shared_;  // The storages of the other tensors.
  // Of the stage at hand, by op: V of each of shared_.
  std::vector<std::vector<ColumnId>> live_;
};

// What solves its relaxation: the dual simplex takes minutes where there are
// many columns, the interior point seconds; its prices are a little less sharp.
LpMethod paper_method(const LinearModel& model);

}  // namespace rematch
