// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/paper_program.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rematch {
namespace {

constexpr std::size_t kSimplexColumns = 30'000;
constexpr std::array<std::string_view, 3> kStageNames = {
    "advancing", "cover_all", "cover_last"};

// In a stage: "i may be freed after this op".
std::vector<OpId> may_free(const Graph& graph, TensorId tensor) {
  const auto readers = graph.readers(tensor);
  std::vector<OpId> result(readers.begin(), readers.end());
  const OpId producer = *graph.tensor(tensor).producer;
  // A rerun for the sake of another output makes this one for nothing.
  if (graph.outputs(producer).size() > 1) {
    result.insert(result.begin(), producer);
  }
  return result;
}

// The ops that read or compute a tensor of the storage, ascending.
std::vector<OpId> touches_of(const Graph& graph, StorageId storage) {
  std::vector<OpId> result;
  for (TensorId tensor : graph.tensors_in(storage)) {
    if (graph.tensor(tensor).producer) {
      result.push_back(*graph.tensor(tensor).producer);
    }
    const auto readers = graph.readers(tensor);
    result.insert(result.end(), readers.begin(), readers.end());
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// Whether one number per stage and op does not say what a storage takes: it
// holds several tensors, or its op has several outputs.
bool is_shared(const Graph& graph, StorageId storage) {
  if (graph.storage(storage).resident) return false;
  const auto tensors = graph.tensors_in(storage);
  const OpId producer = *graph.tensor(tensors[0]).producer;
  return tensors.size() > 1 || graph.outputs(producer).size() > 1;
}

}  // namespace

std::optional<PaperStages> paper_stages_from_name(std::string_view name) {
  const auto found = std::ranges::find(kStageNames, name);
  if (found == kStageNames.end()) return std::nullopt;
  return static_cast<PaperStages>(found - kStageNames.begin());
}

PaperProgram::PaperProgram(const Problem& problem, PaperOptions options)
    : graph_(problem.graph),
      budget_(problem.budget),
      options_(std::move(options)),
      units_(program_units(graph_)),
      run_base_(graph_.num_ops()),
      kept_base_(graph_.num_tensors()),
      is_simple_(graph_.num_tensors()) {
  classify();
  add_run_columns();
  add_kept_columns();
  add_dependency_rows();
  add_source_rows();
  if (!advancing()) {
    add_cover_rows();
    add_once_rows();
    add_lasting_rows();
  }
  for (std::int32_t t = 0; t < stages() && !stopped(); ++t) {
    add_stage_memory(t);
  }
}

bool PaperProgram::stopped() {
  if (options_.clock != nullptr && options_.clock->stop()) is_whole_ = false;
  return !is_whole_;
}

ProgramSize PaperProgram::size_of(const Graph& graph,
                                  const PaperOptions& options) {
  const auto n = static_cast<std::int64_t>(graph.num_ops());
  const bool advancing = options.stages == PaperStages::kAdvancing;
  // Pairs of a stage and something that exists from op `from` on.
  const auto pairs = [&](std::int64_t from) {
    return advancing ? n - from : n;
  };
  ProgramSize size;
  for (OpId op : graph.ops()) {
    size.columns += 2 * pairs(op.value);
    size.rows += 2 * pairs(op.value);
    size.terms += 3 * pairs(op.value);
    for (TensorId tensor : graph.outputs(op)) {
      size.columns += pairs(op.value);
      size.rows += pairs(op.value);
      size.terms += 3 * pairs(op.value);
      const auto after = may_free(graph, tensor);
      for (std::size_t i = 0; i < after.size(); ++i) {
        const std::int64_t here = pairs(after[i].value);
        const auto later = static_cast<std::int64_t>(after.size() - i);
        const std::int64_t rows = options.tight ? 2 + later : 2;
        size.columns += here;
        size.rows += here * (1 + rows);
        size.terms += here * (4 + (options.tight ? 2 : later + 3) * rows);
      }
    }
  }
  for (StorageId storage : graph.storages()) {
    if (!is_shared(graph, storage)) continue;
    const auto tensors =
        static_cast<std::int64_t>(graph.tensors_in(storage).size());
    size.columns += n;
    for (OpId touch : touches_of(graph, storage)) {
      // One number while the op runs, one after it.
      const std::int64_t columns = 2 * pairs(touch.value);
      size.columns += columns;
      size.rows += 2 * columns * tensors;
      size.terms += 8 * columns * tensors;
    }
  }
  return size;
}

std::optional<ColumnId> PaperProgram::run(std::int32_t stage, OpId op) const {
  if (stage < 0 || stage >= stages()) return std::nullopt;
  if (!advancing()) return ColumnId(run_base_[op] + stage);
  if (stage < op.value) return std::nullopt;
  if (stage > op.value && !graph_.op(op).recomputable) return std::nullopt;
  return ColumnId(run_base_[op] + stage - op.value);
}

std::optional<ColumnId> PaperProgram::kept(std::int32_t stage,
                                           TensorId tensor) const {
  if (graph_.is_input(tensor) || stage >= stages()) return std::nullopt;
  const std::int32_t first =
      advancing() ? graph_.tensor(tensor).producer->value + 1 : 1;
  if (stage < first) return std::nullopt;
  return ColumnId(kept_base_[tensor] + stage - first);
}

void PaperProgram::classify() {
  for (StorageId storage : graph_.storages()) {
    if (graph_.storage(storage).resident) continue;
    if (is_shared(graph_, storage)) {
      shared_.push_back(storage);
    } else {
      is_simple_[graph_.tensors_in(storage)[0]] = true;
    }
  }
}

void PaperProgram::add_run_columns() {
  const FamilyId family = model_.family("run");
  for (OpId op : graph_.ops()) {
    run_base_[op] = static_cast<std::int32_t>(model_.num_columns());
    const double cost = units_.cost(graph_.op(op).cost);
    for (std::int32_t t = 0; t < stages(); ++t) {
      if (!run(t, op)) continue;
      // (8a): stage t computes op t.
      const bool own = advancing() && t == op.value;
      model_.add_column(family, {own ? 1.0 : 0.0, 1, cost, true});
    }
  }
}

void PaperProgram::add_kept_columns() {
  const FamilyId family = model_.family("kept");
  for (TensorId tensor : graph_.tensors()) {
    kept_base_[tensor] = static_cast<std::int32_t>(model_.num_columns());
    const bool stays = advancing() && graph_.tensor(tensor).is_output;
    for (std::int32_t t = 0; t < stages(); ++t) {
      if (!kept(t, tensor)) continue;
      model_.add_column(family, {stays ? 1.0 : 0.0, 1, 0, true});
    }
  }
}

// dependency[t,k,i], (1b): op k runs in stage t only if its input i was kept
// into the stage or runs in it.
void PaperProgram::add_dependency_rows() {
  if (!has("dependency")) return;
  const FamilyId family = model_.family("dependency");
  for (TensorId tensor : graph_.tensors()) {
    if (stopped()) return;
    if (graph_.is_input(tensor)) continue;
    for (OpId reader : graph_.readers(tensor)) {
      for (std::int32_t t = 0; t < stages(); ++t) {
        const auto runs = run(t, reader);
        if (!runs) continue;
        std::vector<LinearTerm> terms = {{*runs, -1}};
        if (const auto made = run(t, *graph_.tensor(tensor).producer)) {
          terms.push_back({*made, 1});
        }
        if (const auto there = kept(t, tensor)) terms.push_back({*there, 1});
        model_.add_row(family, 0, kInfinity, terms);
      }
    }
  }
}

// source[t,i], (1c): tensor i is kept into stage t only if it was kept into
// stage t - 1 or computed in that.
void PaperProgram::add_source_rows() {
  if (!has("source")) return;
  const FamilyId family = model_.family("source");
  for (TensorId tensor : graph_.tensors()) {
    if (stopped()) return;
    for (std::int32_t t = 1; t < stages(); ++t) {
      const auto there = kept(t, tensor);
      if (!there) continue;
      std::vector<LinearTerm> terms = {{*there, -1}};
      if (const auto made = run(t - 1, *graph_.tensor(tensor).producer)) {
        terms.push_back({*made, 1});
      }
      if (const auto before = kept(t - 1, tensor)) {
        terms.push_back({*before, 1});
      }
      model_.add_row(family, 0, kInfinity, terms);
    }
  }
}

// cover[k], (1e): op k runs in some stage; the last op only, or every op.
void PaperProgram::add_cover_rows() {
  if (!has("cover")) return;
  const FamilyId family = model_.family("cover");
  for (OpId op : graph_.ops()) {
    const bool last = op.value + 1 == stages();
    if (options_.stages == PaperStages::kCoverLast && !last) continue;
    std::vector<LinearTerm> terms;
    for (std::int32_t t = 0; t < stages(); ++t) {
      terms.push_back({*run(t, op), 1});
    }
    model_.add_row(family, 1, kInfinity, terms);
  }
}

// once[k]: an op that must not be recomputed runs in at most one stage.
void PaperProgram::add_once_rows() {
  if (!has("once")) return;
  const FamilyId family = model_.family("once");
  for (OpId op : graph_.ops()) {
    if (graph_.op(op).recomputable) continue;
    std::vector<LinearTerm> terms;
    for (std::int32_t t = 0; t < stages(); ++t) {
      terms.push_back({*run(t, op), 1});
    }
    model_.add_row(family, -kInfinity, 1, terms);
  }
}

// lasting[t,i]: a graph output that is there in stage t is kept into t + 1.
void PaperProgram::add_lasting_rows() {
  if (!has("lasting")) return;
  const FamilyId family = model_.family("lasting");
  for (TensorId tensor : graph_.tensors()) {
    if (graph_.is_input(tensor) || !graph_.tensor(tensor).is_output) continue;
    for (std::int32_t t = 0; t + 1 < stages(); ++t) {
      const ColumnId after = *kept(t + 1, tensor);
      const auto made = run(t, *graph_.tensor(tensor).producer);
      model_.add_row(family, 0, kInfinity, {{after, 1}, {*made, -1}});
      if (const auto before = kept(t, tensor)) {
        model_.add_row(family, 0, kInfinity, {{after, 1}, {*before, -1}});
      }
    }
  }
}

void PaperProgram::add_stage_memory(std::int32_t stage) {
  const std::vector<Free> frees = add_free_columns(stage);
  for (const Free& free : frees) {
    if (options_.tight) {
      add_tight_free_rows(stage, free);
    } else {
      add_free_rows(stage, free);
    }
  }
  add_live_rows(stage, frees);
  add_used_rows(stage, frees);
}

std::vector<PaperProgram::Free> PaperProgram::add_free_columns(
    std::int32_t stage) {
  const FamilyId family = model_.family("free");
  std::vector<Free> frees;
  for (TensorId tensor : graph_.tensors()) {
    if (!graph_.is_droppable(tensor)) continue;
    if (graph_.storage(graph_.tensor(tensor).storage).resident) continue;
    for (OpId after : may_free(graph_, tensor)) {
      if (!run(stage, after)) continue;
      frees.push_back(
          {tensor, after, model_.add_column(family, {0, 1, 0, true})});
    }
  }
  return frees;
}

// With hazards = (1 - R[t,k]) + S[t+1,i] + sum of R[t,j] over readers j > k:
// free_if_safe[t,i,k], (6): 1 - FREE <= hazards;
// free_only_if_safe[t,i,k], (7): hazards <= kappa (1 - FREE), where kappa is
// the largest number of hazards there can be.
void PaperProgram::add_free_rows(std::int32_t stage, const Free& free) {
  std::vector<LinearTerm> hazards = {{*run(stage, free.after), -1}};
  double most = 1;
  if (const auto after = kept(stage + 1, free.tensor)) {
    hazards.push_back({*after, 1});
    most += 1;
  }
  for (OpId reader : graph_.readers(free.tensor)) {
    if (reader <= free.after) continue;
    if (const auto runs = run(stage, reader)) {
      hazards.push_back({*runs, 1});
      most += 1;
    }
  }
  if (has("free_if_safe")) {
    std::vector<LinearTerm> terms = hazards;
    terms.push_back({free.column, 1});
    model_.add_row(model_.family("free_if_safe"), 0, kInfinity, terms);
  }
  if (has("free_only_if_safe")) {
    std::vector<LinearTerm> terms = hazards;
    terms.push_back({free.column, most});
    model_.add_row(model_.family("free_only_if_safe"), -kInfinity, most - 1,
                   terms);
  }
}

// free_run[t,i,k]: FREE <= R[t,k]; free_kept[t,i,k]: FREE <= 1 - S[t+1,i];
// free_later[t,i,k,j]: FREE <= 1 - R[t,j].
void PaperProgram::add_tight_free_rows(std::int32_t stage, const Free& free) {
  if (has("free_run")) {
    model_.add_row(model_.family("free_run"), 0, kInfinity,
                   {{*run(stage, free.after), 1}, {free.column, -1}});
  }
  const auto after = kept(stage + 1, free.tensor);
  if (after && has("free_kept")) {
    model_.add_row(model_.family("free_kept"), -kInfinity, 1,
                   {{*after, 1}, {free.column, 1}});
  }
  if (!has("free_later")) return;
  for (OpId reader : graph_.readers(free.tensor)) {
    if (reader <= free.after) continue;
    if (const auto runs = run(stage, reader)) {
      model_.add_row(model_.family("free_later"), -kInfinity, 1,
                     {{*runs, 1}, {free.column, 1}});
    }
  }
}

// live[t,s,k,i]: V[t,s,k], which says that the storage is live while op k runs,
// is at least what was kept of a tensor in it, and what was computed of it up
// to k, less what was freed before k. It changes only where k or the op before
// touches the storage.
void PaperProgram::add_live_rows(std::int32_t stage,
                                 const std::vector<Free>& frees) {
  live_.assign(static_cast<std::size_t>(last_op(stage)) + 1,
               std::vector<ColumnId>(shared_.size()));
  IdVector<TensorId, std::vector<Free>> frees_of(graph_.num_tensors());
  for (const Free& free : frees) frees_of[free.tensor].push_back(free);
  for (std::size_t i = 0; i < shared_.size(); ++i) {
    const std::vector<OpId> touches = touches_of(graph_, shared_[i]);
    for (std::int32_t k = 0; k <= last_op(stage); ++k) {
      ColumnId& column = live_[static_cast<std::size_t>(k)][i];
      const bool changes = k == 0 ||
                           std::ranges::binary_search(touches, OpId(k)) ||
                           std::ranges::binary_search(touches, OpId(k - 1));
      if (!changes) {
        column = live_[static_cast<std::size_t>(k) - 1][i];
        continue;
      }
      column = model_.add_column(model_.family("live"), {0, 1, 0, false});
      if (!has("live")) continue;
      for (TensorId tensor : graph_.tensors_in(shared_[i])) {
        add_live_rows_of(stage, tensor, k, frees_of[tensor], column);
      }
    }
  }
}

void PaperProgram::add_live_rows_of(std::int32_t stage, TensorId tensor,
                                    std::int32_t k,
                                    const std::vector<Free>& frees,
                                    ColumnId column) {
  const OpId producer = *graph_.tensor(tensor).producer;
  const FamilyId family = model_.family("live");
  std::vector<LinearTerm> terms = {{column, 1}};
  for (const Free& free : frees) {
    if (free.after.value < k) terms.push_back({free.column, 1});
  }
  if (const auto there = kept(stage, tensor)) {
    terms.push_back({*there, -1});
    model_.add_row(family, 0, kInfinity, terms);
    terms.pop_back();
  }
  const auto made = run(stage, producer);
  if (made && producer.value <= k) {
    terms.push_back({*made, -1});
    model_.add_row(family, 0, kInfinity, terms);
  }
}

// used[t,k], (2) and (3): U[t,k] is what was there while op k - 1 ran, less
// what was freed after it, plus what op k adds.
void PaperProgram::add_used_rows(std::int32_t stage,
                                 const std::vector<Free>& frees) {
  const FamilyId family = model_.family("used");
  std::optional<ColumnId> before;
  const double room = units_.room(budget_ - graph_.fixed_bytes());
  for (OpId op : IdRange<OpId>(OpId(0), OpId(last_op(stage) + 1))) {
    const ColumnId used = model_.add_column(
        family, {0, has("budget") ? room : kInfinity, 0, false});
    std::vector<LinearTerm> terms = {{used, -1}};
    const auto add = [&](ColumnId column, double factor, Bytes bytes) {
      const double size = units_.size(bytes);
      if (size > 0) terms.push_back({column, factor * size});
    };
    const auto bytes = [&](TensorId tensor) {
      return graph_.storage(graph_.tensor(tensor).storage).bytes;
    };
    if (before) {
      terms.push_back({*before, 1});
      for (const Free& free : frees) {
        if (free.after.value + 1 == op.value && is_simple_[free.tensor]) {
          add(free.column, -1, bytes(free.tensor));
        }
      }
    } else {
      for (TensorId tensor : graph_.tensors()) {
        const auto there = kept(stage, tensor);
        if (there && is_simple_[tensor]) add(*there, 1, bytes(tensor));
      }
    }
    for (TensorId output : graph_.outputs(op)) {
      const auto made = run(stage, op);
      if (made && is_simple_[output]) add(*made, 1, bytes(output));
    }
    for (std::size_t i = 0; i < shared_.size(); ++i) {
      const Bytes size = graph_.storage(shared_[i]).bytes;
      add(live_[op.index()][i], 1, size);
      if (before) add(live_[op.index() - 1][i], -1, size);
    }
    if (has("used")) model_.add_row(family, 0, 0, terms);
    add_budget_row(stage, op, used);
    before = used;
  }
}

// budget[t,k]: U[t,k], with the workspace of op k if it runs, is within the
// budget; without a workspace that is a bound of the column.
void PaperProgram::add_budget_row(std::int32_t stage, OpId op, ColumnId used) {
  const double workspace = units_.size(graph_.op(op).workspace);
  const auto runs = run(stage, op);
  if (!(workspace > 0) || !runs || !has("budget")) return;
  model_.add_row(model_.family("budget"), -kInfinity,
                 units_.room(budget_ - graph_.fixed_bytes()),
                 {{used, 1}, {*runs, workspace}});
}

KeptSets PaperProgram::kept_at(std::span<const double> point) const {
  KeptSets sets(graph_.num_ops() + 1);
  for (TensorId tensor : graph_.tensors()) {
    if (!graph_.is_droppable(tensor)) continue;
    for (std::int32_t t = 0; t < stages(); ++t) {
      const auto there = kept(t, tensor);
      if (there && point[there->index()] >= 0.5) {
        sets[static_cast<std::size_t>(t)].push_back(tensor);
      }
    }
  }
  return sets;
}

std::vector<double> PaperProgram::point_of(const KeptSets& sets,
                                           std::size_t num_columns) const {
  std::vector<double> point(num_columns, std::nan(""));
  for (TensorId tensor : graph_.tensors()) {
    if (!graph_.is_droppable(tensor)) continue;
    for (std::int32_t t = 0; t < stages(); ++t) {
      const auto there = kept(t, tensor);
      if (!there) continue;
      const auto& set = sets[static_cast<std::size_t>(t)];
      point[there->index()] = std::ranges::binary_search(set, tensor) ? 1 : 0;
    }
  }
  return point;
}

LpMethod paper_method(const LinearModel& model) {
  return model.num_columns() > kSimplexColumns ? LpMethod::kInteriorNoBasis
                                               : LpMethod::kSimplex;
}

}  // namespace rematch
