// SPDX-License-Identifier: Apache-2.0
#include "support/split_points.h"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

constexpr double kRounding = 1e-7;
constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

bool takes_memory(const Graph& graph, TensorId tensor) {
  const Storage& block = graph.storage(graph.tensor(tensor).storage);
  return !block.resident && block.bytes > 0;
}

// Takes out reruns none of whose outputs is read before the next run.
std::vector<OpId> without_useless(const Graph& graph,
                                  const std::vector<OpId>& sequence) {
  IdVector<OpId, std::size_t> first(graph.num_ops());
  for (std::size_t i = sequence.size(); i-- > 0;) first[sequence[i]] = i;
  IdVector<TensorId, bool> needed(graph.num_tensors());
  std::vector<OpId> kept;
  for (std::size_t i = sequence.size(); i-- > 0;) {
    const OpId op = sequence[i];
    bool of_use = first[op] == i;
    for (TensorId output : graph.outputs(op)) {
      if (needed[output]) of_use = true;
    }
    if (!of_use) continue;
    for (TensorId output : graph.outputs(op)) needed[output] = false;
    for (TensorId input : graph.inputs(op)) {
      needed[input] = graph.is_droppable(input) && takes_memory(graph, input);
    }
    kept.push_back(op);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

// One rerun column of an op, and the column that says that it is the last.
std::map<ColumnId, ColumnId> last_of_run(const LinearModel& model) {
  std::map<ColumnId, ColumnId> result;
  const auto is = [&](std::int32_t column, std::string_view name) {
    const FamilyId family = model.family_of(ColumnId(column));
    return model.families()[family.index()].name == name;
  };
  for (RowId row : model.rows()) {
    const auto columns = model.row_columns(row);
    if (columns.size() != 2) continue;
    if (is(columns[0], "last") && is(columns[1], "run")) {
      result[ColumnId(columns[1])] = ColumnId(columns[0]);
    }
    if (is(columns[1], "last") && is(columns[0], "run")) {
      result[ColumnId(columns[0])] = ColumnId(columns[1]);
    }
  }
  return result;
}

double row_value(const LinearModel& model, RowId row,
                 std::span<const double> columns) {
  double sum = 0;
  for (std::size_t i = 0; i < model.row_columns(row).size(); ++i) {
    sum += model.row_values(row)[i] *
           columns[ColumnId(model.row_columns(row)[i]).index()];
  }
  return sum;
}

const std::string& family_name(const LinearModel& model, FamilyId family) {
  return model.families()[family.index()].name;
}

class PointMaker {
 public:
  PointMaker(const SplitProgram& program, const LinearModel& model,
             const Graph& graph, const PlanTrace& trace)
      : program_(program),
        model_(model),
        graph_(graph),
        trace_(trace),
        last_of_run_(last_of_run(model)),
        columns_(model.num_columns()) {}

  std::vector<double> make() {
    for (LifeId life : program_.lives().all.ids()) set_life(life);
    for (OpId op : graph_.ops()) set_runs(op);
    set_dependent();
    return columns_;
  }

 private:
  void set(Binary binary, bool value) {
    if (binary.is_constant()) return;
    columns_[binary.column().index()] = value ? 1 : 0;
  }

  void set_life(LifeId id) {
    const TensorId tensor = program_.lives().all[id].tensor;
    const auto points = program_.points(id);
    for (std::size_t i = 0; i < points.size(); ++i) {
      set(program_.live(id, i), trace_.is_live(tensor, points[i]));
      if (i + 1 == points.size()) break;
      set(program_.keep(id, i),
          trace_.is_kept(tensor, points[i], points[i + 1]));
    }
  }

  void set_runs(OpId op) {
    const auto points = program_.run_points(op);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool open = i + 1 == points.size();
      const std::int32_t end = open ? kNever : points[i + 1];
      const bool runs = trace_.reruns(op, points[i], end);
      const Binary run = program_.run(op, i);
      set(run, runs);
      if (run.is_constant() || open) continue;
      const auto last = last_of_run_.find(run.column());
      if (last == last_of_run_.end()) continue;
      columns_[last->second.index()] = trace_.last_rerun(end) == op ? 1 : 0;
    }
  }

  // Columns that are as large as rows ask for.
  void set_dependent() {
    for (RowId row : model_.rows()) {
      const std::string& family = family_name(model_, model_.family_of(row));
      if (family == "block_lives") raise(row, "block");
      if (family == "stage") raise(row, "extra");
    }
  }

  void raise(RowId row, std::string_view family) {
    for (std::size_t i = 0; i < model_.row_columns(row).size(); ++i) {
      const ColumnId column(model_.row_columns(row)[i]);
      if (family_name(model_, model_.family_of(column)) != family) continue;
      const double missing =
          model_.row_lower(row) - row_value(model_, row, columns_);
      if (missing <= 0) return;
      columns_[column.index()] += missing / model_.row_values(row)[i];
    }
  }

  const SplitProgram& program_;
  const LinearModel& model_;
  const Graph& graph_;
  const PlanTrace& trace_;
  std::map<ColumnId, ColumnId> last_of_run_;
  std::vector<double> columns_;
};

}  // namespace

PlanTrace::PlanTrace(const Graph& graph, const Plan& plan)
    : graph_(graph),
      reruns_(reruns_of(graph, plan)),
      live_(graph.num_tensors()),
      drops_(graph.num_tensors()) {
  IdVector<TensorId, bool> live(graph.num_tensors());
  IdVector<TensorId, int> drops(graph.num_tensors());
  std::int32_t stage = 0;
  for (const Step& step : plan.steps) {
    if (!step.is_compute()) {
      live[step.tensor()] = false;
      ++drops[step.tensor()];
      continue;
    }
    for (TensorId output : graph.outputs(step.op())) live[output] = true;
    if (step.op().value != stage) continue;
    for (TensorId tensor : graph.tensors()) {
      live_[tensor].push_back(live[tensor]);
      drops_[tensor].push_back(drops[tensor]);
    }
    ++stage;
  }
}

bool PlanTrace::is_live(TensorId tensor, std::int32_t stage) const {
  return live_[tensor][static_cast<std::size_t>(stage)];
}

bool PlanTrace::is_kept(TensorId tensor, std::int32_t begin,
                        std::int32_t end) const {
  const auto& drops = drops_[tensor];
  return is_live(tensor, begin) && drops[static_cast<std::size_t>(begin)] ==
                                       drops[static_cast<std::size_t>(end)];
}

bool PlanTrace::reruns(OpId op, std::int32_t after, std::int32_t by) const {
  return std::any_of(reruns_.begin(), reruns_.end(), [&](const Rerun& rerun) {
    return rerun.op == op && rerun.stage > after && rerun.stage <= by;
  });
}

std::optional<OpId> PlanTrace::last_rerun(std::int32_t stage) const {
  for (std::size_t i = reruns_.size(); i-- > 0;) {
    if (reruns_[i].stage == stage) return reruns_[i].op;
  }
  return std::nullopt;
}

Cost PlanTrace::rerun_cost() const {
  Cost cost = 0;
  for (const Rerun& rerun : reruns_) cost += graph_.op(rerun.op).cost;
  return cost;
}

Plan random_plan(Random& random, const Graph& graph) {
  std::vector<OpId> sequence;
  const std::uint64_t rare = 1 + random.below(4);
  for (OpId op : graph.ops()) {
    for (std::uint64_t pass = random.below(3); pass > 0; --pass) {
      for (OpId again : IdRange<OpId>(OpId(0), op)) {
        if (!graph.op(again).recomputable) continue;
        if (random.below(rare + 1) == 0) sequence.push_back(again);
      }
    }
    sequence.push_back(op);
  }
  return plan_from_sequence(graph, without_useless(graph, sequence));
}

Plan with_useful_reruns(const Graph& graph, const Plan& plan) {
  return plan_from_sequence(graph, without_useless(graph, computed_ops(plan)));
}

Cost spare_of(const Graph& graph, const Lives& lives, const PlanTrace& trace) {
  Cost spare = 0;
  for (const Rerun& rerun : trace.all_reruns()) {
    const auto& written = lives.written_by[rerun.op];
    const bool in_gap =
        std::any_of(written.begin(), written.end(), [&](LifeId id) {
          if (lives.all[id].pinned) return false;
          const auto& touches = lives.all[id].touches;
          const auto next =
              std::lower_bound(touches.begin(), touches.end(), rerun.stage);
          return next != touches.end() && *next - *(next - 1) > 1;
        });
    if (!in_gap) spare += graph.op(rerun.op).cost;
  }
  return spare;
}

SplitPoints random_points(Random& random, const Graph& graph) {
  const std::uint64_t rare = random.below(4);
  std::set<std::int32_t> moments;
  SplitPoints points;
  for (OpId op : graph.ops()) {
    if (random.below(rare + 1) == 0) moments.insert(op.value);
    if (op.value == 0 || random.below(rare + 1) != 0) continue;
    points.detailed.insert(op.value);
    moments.insert(op.value);
    moments.insert(op.value - 1);
  }
  points.moments.assign(moments.begin(), moments.end());
  const auto stages = static_cast<std::int64_t>(graph.num_ops());
  const auto tensors = static_cast<std::int64_t>(graph.num_tensors());
  for (std::uint64_t i = random.below(6); tensors > 0 && i > 0; --i) {
    points.local.emplace(
        static_cast<std::int32_t>(random.between(0, tensors - 1)),
        static_cast<std::int32_t>(random.between(0, stages - 1)));
  }
  return points;
}

std::vector<double> point_of(const SplitProgram& program,
                             const LinearModel& model, const Graph& graph,
                             const PlanTrace& trace) {
  return PointMaker(program, model, graph, trace).make();
}

std::string broken_row(const LinearModel& model,
                       std::span<const double> columns) {
  for (RowId row : model.rows()) {
    const double value = row_value(model, row, columns);
    if (value < model.row_lower(row) - kRounding ||
        value > model.row_upper(row) + kRounding) {
      std::string terms;
      for (std::size_t i = 0; i < model.row_columns(row).size(); ++i) {
        const ColumnId column(model.row_columns(row)[i]);
        terms += fmt::format(" {:+} {}({})", model.row_values(row)[i],
                             model.name(column), columns[column.index()]);
      }
      return fmt::format("{}: {} <={} <= {}", model.name(row),
                         model.row_lower(row), terms, model.row_upper(row));
    }
  }
  return {};
}

}  // namespace rematch
