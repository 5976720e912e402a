// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/telescoped_program.h"

#include <algorithm>
#include <cmath>

#include "rematch/base/check.h"

namespace rematch {
namespace {

// Below this a solver does not tell a violation from rounding.
constexpr double kTolerance = 1e-6;
// What a share of a cost is raised by, so that sums in another order agree.
constexpr double kRounding = 1e-12;

std::vector<StorageId> storages_of(const Graph& graph, OpId op) {
  std::vector<StorageId> result;
  const auto add = [&](TensorId tensor) {
    const StorageId storage = graph.tensor(tensor).storage;
    if (!graph.storage(storage).resident) result.push_back(storage);
  };
  for (TensorId tensor : graph.inputs(op)) add(tensor);
  for (TensorId tensor : graph.outputs(op)) add(tensor);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace

void TelescopedProgram::Expression::add(double factor, const Value& value) {
  if (value.column) {
    terms.push_back({*value.column, factor});
  } else {
    constant += factor * value.number;
  }
}

TelescopedProgram::TelescopedProgram(const Problem& problem,
                                     TelescopedOptions options)
    : graph_(problem.graph),
      budget_(problem.budget),
      options_(std::move(options)),
      staging_(staging(graph_)),
      units_(program_units(graph_)),
      run_base_(graph_.num_ops()),
      kept_base_(graph_.num_tensors()),
      through_(graph_.num_ops()),
      touched_(graph_.num_ops()),
      taken_(graph_.num_ops()) {
  for (OpId op : graph_.ops()) {
    touched_[op] = storages_of(graph_, op);
    taken_[op] = graph_.op(op).workspace;
    for (StorageId storage : touched_[op]) {
      taken_[op] += graph_.storage(storage).bytes;
    }
  }
  add_columns();
  for (OpId op : graph_.ops()) {
    if (stopped()) return;
    add_input_rows(op);
  }
  for (TensorId tensor : graph_.tensors()) {
    if (stopped()) return;
    add_source_rows(tensor);
  }
  for (OpId op : graph_.ops()) {
    if (stopped()) return;
    add_memory_row(op);
  }
}

bool TelescopedProgram::stopped() {
  if (options_.clock != nullptr && options_.clock->stop()) is_whole_ = false;
  return !is_whole_;
}

ProgramSize TelescopedProgram::size_of(const Graph& graph) {
  const Staging stages = staging(graph);
  ProgramSize size;
  for (OpId op : graph.ops()) {
    const std::int64_t runs = stages.last_run[op] - op.value;
    const auto inputs = static_cast<std::int64_t>(graph.inputs(op).size());
    size.columns += runs;
    size.rows += (runs + 1) * inputs + 1;
    size.terms += (runs + 1) * inputs * 3;
    for (TensorId tensor : graph.outputs(op)) {
      if (!graph.is_droppable(tensor)) continue;
      const std::int64_t kept = stages.last_kept[tensor] - op.value;
      size.columns += kept;
      size.rows += kept;
      size.terms += 4 * kept;  // Three in a source row, one in a memory row.
    }
  }
  return size;
}

TelescopedProgram::Value TelescopedProgram::run(std::int32_t stage,
                                                OpId op) const {
  if (stage == op.value) return {std::nullopt, 1};
  if (stage < op.value || stage > staging_.last_run[op]) return {};
  return {ColumnId(run_base_[op] + stage - op.value - 1), 0};
}

TelescopedProgram::Value TelescopedProgram::kept(std::int32_t stage,
                                                 TensorId tensor) const {
  if (graph_.is_input(tensor)) return {std::nullopt, 1};
  const std::int32_t made = graph_.tensor(tensor).producer->value;
  if (stage <= made) return {};
  if (!graph_.is_droppable(tensor)) return {std::nullopt, 1};
  if (stage > staging_.last_kept[tensor]) return {};
  return {ColumnId(kept_base_[tensor] + stage - made - 1), 0};
}

double TelescopedProgram::at(const Value& value,
                             std::span<const double> point) const {
  return value.column ? point[value.column->index()] : value.number;
}

void TelescopedProgram::add_at_least(std::string_view family, double lower,
                                     const Expression& expression,
                                     LinearModel& model) const {
  const double bound = lower - expression.constant;
  model.add_row(model.family(family), bound, kInfinity, expression.terms);
}

void TelescopedProgram::add_columns() {
  const FamilyId runs = model_.family("run");
  for (OpId op : graph_.ops()) {
    run_base_[op] = static_cast<std::int32_t>(model_.num_columns());
    for (auto t = op.value; t < staging_.last_run[op]; ++t) {
      model_.add_column(runs, {0, 1, units_.cost(graph_.op(op).cost), false});
    }
  }
  const FamilyId kept = model_.family("kept");
  for (TensorId tensor : graph_.tensors()) {
    kept_base_[tensor] = static_cast<std::int32_t>(model_.num_columns());
    if (!graph_.is_droppable(tensor)) continue;
    for (auto t = graph_.tensor(tensor).producer->value;
         t < staging_.last_kept[tensor]; ++t) {
      model_.add_column(kept, {0, 1, 0, true});
    }
  }
}

// input[t,k,i]: op k runs in stage t only if its input i was kept into the
// stage or is computed in it.
void TelescopedProgram::add_input_rows(OpId op) {
  if (!has("input")) return;
  std::vector<TensorId> inputs(graph_.inputs(op).begin(),
                               graph_.inputs(op).end());
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  for (TensorId input : inputs) {
    if (!graph_.is_droppable(input)) continue;
    const OpId producer = *graph_.tensor(input).producer;
    for (auto t = op.value; t <= staging_.last_run[op]; ++t) {
      Expression row;
      row.add(1, kept(t, input));
      row.add(1, run(t, producer));
      row.add(-1, run(t, op));
      add_at_least("input", 0, row, model_);
    }
  }
}

// source[t,i]: tensor i is kept into stage t only if it was kept into the stage
// before or computed in that.
void TelescopedProgram::add_source_rows(TensorId tensor) {
  if (!graph_.is_droppable(tensor) || !has("source")) return;
  const OpId producer = *graph_.tensor(tensor).producer;
  for (auto t = producer.value + 2; t <= staging_.last_kept[tensor]; ++t) {
    Expression row;
    row.add(1, kept(t - 1, tensor));
    row.add(1, run(t - 1, producer));
    row.add(-1, kept(t, tensor));
    add_at_least("source", 0, row, model_);
  }
}

// Whether anything in the storage is kept past the stage: the tensor itself if
// it is alone there, else L[t,s] with
// held[t,s,i]: L[t,s] is at least what is kept of each tensor in it.
TelescopedProgram::Value TelescopedProgram::held(OpId stage,
                                                 StorageId storage) {
  std::vector<ColumnId> columns;
  for (TensorId tensor : graph_.tensors_in(storage)) {
    const Value value = kept(stage.value + 1, tensor);
    if (value.column) {
      columns.push_back(*value.column);
    } else if (value.number > 0) {
      return value;
    }
  }
  if (columns.empty()) return {};
  if (columns.size() == 1) return {columns[0], 0};
  const ColumnId whole =
      model_.add_column(model_.family("held"), {0, 1, 0, false});
  if (!has("held")) return {whole, 0};
  for (ColumnId part : columns) {
    model_.add_row(model_.family("held"), 0, kInfinity,
                   {{whole, 1}, {part, -1}});
  }
  return {whole, 0};
}

// memory[t]: what op t touches, its workspace and whatever else is kept past
// the stage fit into the budget.
void TelescopedProgram::add_memory_row(OpId stage) {
  if (!has("memory")) return;
  Bytes taken = graph_.fixed_bytes() + taken_[stage];
  std::vector<LinearTerm> terms;
  for (StorageId storage : graph_.storages()) {
    if (graph_.storage(storage).resident) continue;
    if (std::ranges::binary_search(touched_[stage], storage)) continue;
    const Value value = held(stage, storage);
    if (!value.column && value.number > 0) {
      taken += graph_.storage(storage).bytes;
    }
    const double size = units_.size(graph_.storage(storage).bytes);
    if (value.column && size > 0) terms.push_back({*value.column, size});
  }
  const RowId row = model_.add_row(model_.family("memory"), -kInfinity,
                                   units_.room(budget_ - taken), terms);
  memory_rows_.push_back({row, taken});
}

// through[t,s,i]: Z[t,s], which says that s is live throughout stage t, is at
// least what is kept past the stage of a tensor in it and not computed in it.
ColumnId TelescopedProgram::through(OpId stage, StorageId storage,
                                    LinearModel& model) {
  const auto [known, is_new] = through_[stage.index()].try_emplace(storage);
  if (!is_new) return known->second;
  const FamilyId family = model.family("through");
  const ColumnId column = model.add_column(family, {0, 1, 0, false});
  known->second = column;
  if (!has("through")) return column;
  for (TensorId tensor : graph_.tensors_in(storage)) {
    const Value after = kept(stage.value + 1, tensor);
    if (!after.column && after.number == 0) continue;
    if (graph_.tensor(tensor).producer == stage) continue;
    Expression row;
    row.add(1, {column, 0});
    row.add(-1, after);
    if (graph_.is_droppable(tensor)) {
      row.add(1, run(stage.value, *graph_.tensor(tensor).producer));
    }
    add_at_least("through", 0, row, model);
  }
  return column;
}

double TelescopedProgram::through_at(OpId stage, StorageId storage,
                                     std::span<const double> point) const {
  double most = 0;
  for (TensorId tensor : graph_.tensors_in(storage)) {
    double part = at(kept(stage.value + 1, tensor), point);
    if (graph_.tensor(tensor).producer == stage) continue;
    if (graph_.is_droppable(tensor)) {
      part -= at(run(stage.value, *graph_.tensor(tensor).producer), point);
    }
    most = std::max(most, part);
  }
  return most;
}

// rerun_memory[t,k]: while op k runs again in stage t, what it touches, its
// workspace and whatever is live throughout the stage fit into the budget.
void TelescopedProgram::add_rerun_memory_row(OpId stage, OpId op,
                                             LinearModel& model) {
  std::vector<LinearTerm> terms;
  for (StorageId storage : graph_.storages()) {
    if (graph_.storage(storage).resident) continue;
    if (std::ranges::binary_search(touched_[op], storage)) continue;
    const double size = units_.size(graph_.storage(storage).bytes);
    const bool may_be_live =
        std::ranges::any_of(graph_.tensors_in(storage), [&](TensorId tensor) {
          const Value after = kept(stage.value + 1, tensor);
          return graph_.tensor(tensor).producer != stage &&
                 (after.column || after.number > 0);
        });
    if (size > 0 && may_be_live) {
      terms.push_back({through(stage, storage, model), size});
    }
  }
  const Value again = run(stage.value, op);
  terms.push_back({*again.column, units_.size(taken_[op])});
  const RowId row =
      model.add_row(model.family("rerun_memory"), -kInfinity,
                    units_.room(budget_ - graph_.fixed_bytes()), terms);
  memory_rows_.push_back({row, graph_.fixed_bytes()});
}

// The stages and ops whose row is missing and broken.
std::vector<std::pair<OpId, OpId>> TelescopedProgram::broken_reruns(
    std::span<const double> point) const {
  std::vector<std::pair<OpId, OpId>> broken;
  const double room = units_.room(budget_ - graph_.fixed_bytes());
  IdVector<StorageId, double> live(graph_.num_storages());
  for (OpId stage : graph_.ops()) {
    if (options_.clock != nullptr && options_.clock->stop()) return broken;
    double all = 0;
    for (StorageId storage : graph_.storages()) {
      if (graph_.storage(storage).resident) continue;
      live[storage] = through_at(stage, storage, point) *
                      units_.size(graph_.storage(storage).bytes);
      all += live[storage];
    }
    for (OpId op : IdRange<OpId>(OpId(0), stage)) {
      const Value again = run(stage.value, op);
      if (!again.column || at(again, point) <= kTolerance) continue;
      double sum = all + units_.size(taken_[op]) * at(again, point);
      for (StorageId storage : touched_[op]) sum -= live[storage];
      if (sum <= room + kTolerance) continue;
      if (!rerun_rows_.contains({stage.value, op.value})) {
        broken.emplace_back(stage, op);
      }
    }
  }
  return broken;
}

std::size_t TelescopedProgram::add_rerun_memory_rows(
    std::span<const double> point, LinearModel& model) {
  if (!has("rerun_memory")) return 0;
  std::size_t added = 0;
  for (const auto& [stage, op] : broken_reruns(point)) {
    if (options_.clock != nullptr && options_.clock->stop()) break;
    add_rerun_memory_row(stage, op, model);
    rerun_rows_.emplace(stage.value, op.value);
    ++added;
  }
  return added;
}

// What stage t costs beyond one run of each op in it: a stage with little room
// may run an op twice, which R[t,k] does not say.
ColumnId TelescopedProgram::extra(OpId stage, double least,
                                  LinearModel& model) {
  // Above 1, so that nobody takes it for a column of zero or one.
  const double upper = 1 + least;
  const auto [known, is_new] = extra_.try_emplace(stage);
  if (is_new) {
    known->second = model.add_column(model.family("extra"), {0, upper, 1});
  } else if (model.column(known->second).upper < upper) {
    model.set_bounds(known->second, 0, upper);
  }
  return known->second;
}

// no_room[t]: from at most these tensors to at least those, stage t costs at
// least so much: sum c R + extra[t] + least (sum of S[t,i] not kept in
// + sum of 1 - S[t+1,i] kept out) >= least, divided by least.
void TelescopedProgram::add_no_room_row(const StageTask& task, Cost least,
                                        LinearModel& model) {
  if (!has("no_room")) return;
  const std::int32_t stage = task.stage.value;
  Expression row;
  for (TensorId tensor : graph_.tensors()) {
    if (std::ranges::binary_search(task.kept_in, tensor)) continue;
    const Value value = kept(stage, tensor);
    if (value.column) row.add(1, value);
  }
  double lower = 1;
  for (TensorId tensor : task.kept_out) {
    const Value value = kept(stage + 1, tensor);
    if (!value.column) continue;
    row.add(-1, value);
    lower -= 1;
  }
  // Nothing that costs can pay for what cannot be done.
  if (least < kInfinity) add_payments(task.stage, least, row, model);
  add_at_least("no_room", lower, row, model);
}

// The shares of `least` that reruns in the stage pay, rounded up, which makes
// the row weaker.
void TelescopedProgram::add_payments(OpId stage, Cost least, Expression& row,
                                     LinearModel& model) {
  for (OpId op : IdRange<OpId>(OpId(0), stage)) {
    const Value value = run(stage.value, op);
    if (!value.column || graph_.op(op).cost == 0) continue;
    const double share = graph_.op(op).cost / least * (1 + kRounding);
    row.add(std::clamp(share, kLeastCoefficient, 1.0), value);
  }
  const double scaled = units_.cost(least);
  const double share = (1 + kRounding) / scaled;
  row.add(std::max(share, kLeastCoefficient), {extra(stage, scaled, model), 0});
}

void TelescopedProgram::set_budget(Bytes budget, LinearModel& model) {
  budget_ = budget;
  for (const MemoryRow& memory : memory_rows_) {
    model.set_row_bounds(memory.row, -kInfinity,
                         units_.room(budget - memory.taken));
  }
}

double TelescopedProgram::paid_in(OpId stage,
                                  std::span<const double> point) const {
  double sum = 0;
  for (OpId op : IdRange<OpId>(OpId(0), stage)) {
    sum += units_.cost(graph_.op(op).cost) * at(run(stage.value, op), point);
  }
  const auto extra = extra_.find(stage);
  if (extra != extra_.end() && extra->second.index() < point.size()) {
    sum += point[extra->second.index()];
  }
  return sum;
}

KeptSets TelescopedProgram::kept_at(std::span<const double> point,
                                    double threshold) const {
  KeptSets sets(graph_.num_ops() + 1);
  for (TensorId tensor : graph_.tensors()) {
    if (!graph_.is_droppable(tensor)) continue;
    for (auto t = graph_.tensor(tensor).producer->value + 1;
         t <= staging_.last_kept[tensor]; ++t) {
      if (at(kept(t, tensor), point) >= threshold) {
        sets[static_cast<std::size_t>(t)].push_back(tensor);
      }
    }
  }
  return sets;
}

std::vector<double> TelescopedProgram::point_of(const KeptSets& kept_sets,
                                                std::size_t num_columns) const {
  std::vector<double> point(num_columns, std::nan(""));
  for (TensorId tensor : graph_.tensors()) {
    if (!graph_.is_droppable(tensor)) continue;
    for (auto t = graph_.tensor(tensor).producer->value + 1;
         t <= staging_.last_kept[tensor]; ++t) {
      const auto& set = kept_sets[static_cast<std::size_t>(t)];
      point[kept(t, tensor).column->index()] =
          std::ranges::binary_search(set, tensor) ? 1 : 0;
    }
  }
  return point;
}

}  // namespace rematch
