// SPDX-License-Identifier: Apache-2.0
// The telescoped program: what is kept from stage to stage, what runs again,
// and the memory at the end of every stage, without big numbers. Every plan in
// the fixed order is a point of it, whatever the order of its reruns.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rematch/lp/linear_model.h"
#include "rematch/solve/program/program_size.h"
#include "rematch/solve/program/stage_search.h"
#include "rematch/solve/program/staging.h"
#include "rematch/solve/program/units.h"

namespace rematch {

struct TelescopedOptions {
  // Families of rows to leave out: for the ablation tests, which show that each
  // one is needed.
  std::set<std::string, std::less<>> omitted = {};
  // Stops the building where a limit says so. May be null.
  const SolveClock* clock = nullptr;
};

// Builds the model and adds rows to it that a point breaks. Columns: "run"
// (R[t,k]), "kept" (S[t,i], integer), "held" (L[t,s]), "through" (Z[t,s]),
// "extra" (E[t]). The objective is what is spent on reruns, in scaled units.
// Equations are in docs/formulation.md, by the names of the families.
class TelescopedProgram {
 public:
  // `problem` has a fixed order and a budget of at least the floor, and its
  // graph outlives the program, as does the clock.
  explicit TelescopedProgram(const Problem& problem,
                             TelescopedOptions options = {});

  // What it would take, without building it. O(stages * size of the graph).
  static ProgramSize size_of(const Graph& graph);

  // False if the clock stopped the building: rows are missing.
  bool is_whole() const { return is_whole_; }
  LinearModel take_model() { return std::move(model_); }
  const ProgramUnits& units() const { return units_; }

  // What a point keeps, if at least `threshold` of a tensor is kept.
  KeptSets kept_at(std::span<const double> point, double threshold) const;
  // A point for the sets that a plan keeps; NaN where they do not say.
  std::vector<double> point_of(const KeptSets& kept,
                               std::size_t num_columns) const;

  // What a point pays for reruns in a stage, in scaled units.
  double paid_in(OpId stage, std::span<const double> point) const;

  // rerun_memory: adds the rows of reruns that do not fit at the point, until
  // the clock says stop. Returns how many. O(stages * size of the graph).
  std::size_t add_rerun_memory_rows(std::span<const double> point,
                                    LinearModel& model);

  // no_room: going from (a part of) what the task keeps in to (at least) what
  // it keeps out costs at least `least` on reruns, or cannot be done if that
  // is infinite.
  void add_no_room_row(const StageTask& task, Cost least, LinearModel& model);

  // Changes the budget in all rows that there are.
  void set_budget(Bytes budget, LinearModel& model);

 private:
  // A column, or a number that is known.
  struct Value {
    std::optional<ColumnId> column;
    double number = 0;
  };
  // lower <= sum + constant.
  struct Expression {
    std::vector<LinearTerm> terms;
    double constant = 0;
    void add(double factor, const Value& value);
  };
  // A row that says that something fits, and what it takes besides its columns.
  struct MemoryRow {
    RowId row;
    Bytes taken = 0;
  };

  bool has(std::string_view family) const {
    return !options_.omitted.contains(family);
  }
  Value run(std::int32_t stage, OpId op) const;
  Value kept(std::int32_t stage, TensorId tensor) const;
  double at(const Value& value, std::span<const double> point) const;
  void add_at_least(std::string_view family, double lower,
                    const Expression& expression, LinearModel& model) const;

  // Remembers that there is no more time to build.
  bool stopped();
  void add_columns();
  void add_input_rows(OpId op);
  void add_source_rows(TensorId tensor);
  void add_memory_row(OpId stage);
  Value held(OpId stage, StorageId storage);
  ColumnId through(OpId stage, StorageId storage, LinearModel& model);
  double through_at(OpId stage, StorageId storage,
                    std::span<const double> point) const;
  std::vector<std::pair<OpId, OpId>> broken_reruns(
      std::span<const double> point) const;
  void add_rerun_memory_row(OpId stage, OpId op, LinearModel& model);
  ColumnId extra(OpId stage, double least, LinearModel& model);
  void add_payments(OpId stage, Cost least, Expression& row,
                    LinearModel& model);

  const Graph& graph_;
  Bytes budget_;
  TelescopedOptions options_;
  Staging staging_;
  ProgramUnits units_;
  LinearModel model_;
  bool is_whole_ = true;
  IdVector<OpId, std::int32_t> run_base_;       // First column of the op.
  IdVector<TensorId, std::int32_t> kept_base_;  // Of the tensor.
  std::vector<MemoryRow> memory_rows_;
  // By stage: which storages have a column Z, and which ops have a row.
  std::vector<std::map<StorageId, ColumnId>> through_;
  std::set<std::pair<std::int32_t, std::int32_t>> rerun_rows_;
  std::map<OpId, ColumnId> extra_;  // By stage.
  // Storages touched by an op, each once, and its bytes with its workspace.
  IdVector<OpId, std::vector<StorageId>> touched_;
  IdVector<OpId, Bytes> taken_;
};

}  // namespace rematch
