// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/split_program.h"

#include <algorithm>

#include "rematch/base/check.h"

namespace rematch {
namespace {

// Whole numbers up to here, and their sums, are exact as doubles.
constexpr Bytes kExactUnits = Bytes{1} << 52;
constexpr double kSumRounding = 1e-12;

constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

// Of the ops that may run again, where one run costs at most `most`.
Cost largest_rerun_cost(const Graph& graph, Cost most) {
  Cost largest = 0;
  for (OpId op : graph.ops()) {
    const Cost cost = graph.op(op).cost;
    if (graph.op(op).recomputable && cost <= most) {
      largest = std::max(largest, cost);
    }
  }
  return largest;
}

}  // namespace

void LinearSum::add(Binary binary, double factor) {
  if (binary.is_one()) constant += factor;
  if (!binary.is_constant()) terms.push_back({binary.column(), factor});
}

double LinearSum::at(std::span<const double> columns) const {
  double sum = constant;
  for (const LinearTerm& term : terms) {
    sum += term.value * columns[term.column.index()];
  }
  return sum;
}

void MemoryUse::add_any(const std::vector<Binary>& lives, double value) {
  Block block{{}, value};
  for (Binary live : lives) {
    if (live.is_one()) {
      constant_ += value;
      return;
    }
    if (!live.is_zero()) block.lives.push_back(live);
  }
  if (!block.lives.empty()) blocks_.push_back(std::move(block));
}

double MemoryUse::at(std::span<const double> columns) const {
  double sum = constant_;
  for (const Block& block : blocks_) {
    double most = 0;
    for (Binary live : block.lives) most = std::max(most, live.at(columns));
    sum += block.value * most;
  }
  return sum;
}

void MemoryUse::add_row(std::string_view family, LinearModel& model) const {
  std::vector<LinearTerm> terms;
  for (const Block& block : blocks_) {
    // Too small a coefficient is left out, which asks for less.
    if (block.value < kLeastCoefficient) continue;
    if (block.lives.size() == 1) {
      terms.push_back({block.lives.front().column(), block.value});
      continue;
    }
    const ColumnId any =
        model.add_column(model.family("block"), {0, 1, 0, false});
    for (Binary live : block.lives) {
      model.add_row(model.family("block_lives"), 0, kInfinity,
                    {{any, 1}, {live.column(), -1}});
    }
    terms.push_back({any, block.value});
  }
  model.add_row(model.family(family), -kInfinity, -constant_, terms);
}

SplitProgram::SplitProgram(const Problem& problem, const Lives& lives,
                           const SplitPoints& points, Cost most)
    : problem_(problem),
      lives_(lives),
      detailed_(points.detailed),
      life_points_(lives.all.size()),
      live_(lives.all.size()),
      keep_(lives.all.size()),
      run_points_(problem.graph.num_ops()),
      run_(problem.graph.num_ops()) {
  const Graph& graph = problem.graph;
  most_ = most;
  largest_cost_ = largest_rerun_cost(graph, most);
  magnification_ = points.magnification;
  cost_scale_ = 1 / (magnification_ * scale_for(largest_cost_));
  units_ = program_units(graph);
  const Bytes budget_units = problem.budget / units_.byte_unit;
  units_.memory_scale = scale_for(static_cast<double>(budget_units));
  split_lives(points);
  split_runs();
  for (LifeId life : lives.all.ids()) add_life_columns(life);
  for (OpId op : graph.ops()) add_run_columns(op);
  for (LifeId life : lives.all.ids()) {
    add_keep_rows(life);
    add_restore_rows(life);
  }
  for (OpId op : graph.ops()) add_input_rows(op);
  for (std::int32_t stage : detailed_) add_last_rerun_rows(stage);
}

void SplitProgram::split_lives(const SplitPoints& points) {
  for (LifeId id : lives_.all.ids()) {
    const Life& life = lives_.all[id];
    std::vector<std::int32_t>& own = life_points_[id];
    own = life.touches;
    const auto add = [&](std::int32_t stage) {
      if (stage <= life.birth() || stage > life.horizon) return;
      if (!life.is_certain_at(stage)) own.push_back(stage);
    };
    for (std::int32_t stage : points.moments) add(stage);
    for (auto at = points.local.lower_bound({id, 0});
         at != points.local.end() && at->first == id; ++at) {
      add(at->second);
    }
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
}

void SplitProgram::split_runs() {
  for (OpId op : problem_.graph.ops()) {
    if (!problem_.graph.op(op).recomputable) continue;
    std::vector<std::int32_t>& own = run_points_[op];
    for (LifeId life : lives_.written_by[op]) {
      for (std::int32_t stage : life_points_[life]) {
        own.push_back(stage);
      }
    }
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
}

bool SplitProgram::is_adjacent(const Life& life, std::int32_t begin,
                               std::int32_t end) const {
  return end - begin == 1 && !detailed_.contains(end) &&
         life.is_touched_at(begin) && life.is_touched_at(end);
}

void SplitProgram::add_life_columns(LifeId id) {
  const Life& life = lives_.all[id];
  const FamilyId live = model_.family("live");
  const FamilyId keep = model_.family("keep");
  const auto& own = life_points_[id];
  for (std::size_t i = 0; i < own.size(); ++i) {
    live_[id].push_back(
        life.is_certain_at(own[i])
            ? Binary::constant(true)
            : Binary::of(model_.add_column(live, {0, 1, 0, true})));
    if (i + 1 == own.size()) break;
    const bool adjacent = is_adjacent(life, own[i], own[i + 1]);
    const bool certain = own[i + 1] - own[i] > 1 &&
                         life.is_certain_at(own[i] + 1) &&
                         !life.is_touched_at(own[i] + 1);
    keep_[id].push_back(
        adjacent || certain || life.pinned
            ? Binary::constant(true)
            : Binary::of(model_.add_column(keep, {0, 1, 0, false})));
  }
}

void SplitProgram::add_run_columns(OpId op) {
  const FamilyId family = model_.family("run");
  const auto& own = run_points_[op];
  if (own.empty()) return;
  const double cost = problem_.graph.op(op).cost / cost_scale_;
  for (std::size_t i = 0; i < own.size(); ++i) {
    bool modelled = false;
    for (LifeId id : lives_.written_by[op]) {
      const Life& life = lives_.all[id];
      const bool last = i + 1 == own.size();
      if (last || !is_adjacent(life, own[i], own[i + 1])) modelled = true;
    }
    if (!is_of_use_after(op, own[i]) || problem_.graph.op(op).cost > most_) {
      run_[op].push_back(Binary::constant(false));
    } else if (!modelled) {
      run_[op].push_back(Binary::constant(true));
    } else {
      run_[op].push_back(
          Binary::of(model_.add_column(family, {0, 1, cost, true})));
    }
  }
}

bool SplitProgram::is_of_use_after(OpId op, std::int32_t stage) const {
  return std::ranges::any_of(lives_.written_by[op], [&](LifeId id) {
    const Life& life = lives_.all[id];
    return life.last_touch() > stage || life.last_use > stage;
  });
}

// keep <= live at either end.
void SplitProgram::add_keep_rows(LifeId id) {
  const FamilyId family = model_.family("keep_ends");
  for (std::size_t i = 0; i < keep_[id].size(); ++i) {
    const Binary keep = keep_[id][i];
    if (keep.is_constant()) continue;
    for (std::size_t end : {i, i + 1}) {
      if (live_[id][end].is_constant()) continue;
      model_.add_row(family, -kInfinity, 0,
                     {{keep.column(), 1}, {live_[id][end].column(), -1}});
    }
  }
}

// What is live at the end of a piece and was not kept was run in it.
void SplitProgram::add_restore_rows(LifeId id) {
  const FamilyId family = model_.family("restore");
  const auto& own = life_points_[id];
  for (std::size_t i = 0; i < keep_[id].size(); ++i) {
    if (keep_[id][i].is_constant()) continue;
    const std::int32_t end = own[i + 1];
    LinearSum sum = runs(id, own[i], end);
    if (sum.constant > 0) continue;
    sum.add(keep_[id][i], 1);
    sum.add(live_[id][i + 1], -1);
    model_.add_row(family, -sum.constant, kInfinity, sum.terms);
  }
}

// A run needs each input: live at the input's last point before the piece, or
// run since.
void SplitProgram::add_input_rows(OpId op) {
  const FamilyId family = model_.family("inputs");
  for (std::size_t i = 0; i < run_[op].size(); ++i) {
    if (run_[op][i].is_constant()) continue;
    const std::int32_t begin = run_points_[op][i];
    const std::int32_t end =
        i + 1 < run_points_[op].size() ? run_points_[op][i + 1] : kNever;
    for (LifeId id : lives_.read_by[op]) {
      const Life& life = lives_.all[id];
      const auto before = point_before(id, begin);
      REMATCH_CHECK(before.has_value(), "an input is born before its reader");
      if (live_[id][*before].is_one()) continue;
      const std::int32_t since = life_points_[id][*before];
      const auto next = life.next_touch(since);
      if (next && *next < end) continue;
      LinearSum sum = runs(id, since, end);
      sum.add(live_[id][*before], 1);
      sum.add(run_[op][i], -1);
      if (sum.constant > 0) continue;
      model_.add_row(family, 0, kInfinity, sum.terms);
    }
  }
}

Binary SplitProgram::surely_live(LifeId id, std::int32_t stage) const {
  const auto& own = life_points_[id];
  const auto before = point_before(id, stage);
  if (!before || stage > lives_.all[id].horizon) return Binary::constant(false);
  if (own[*before] == stage) return live_[id][*before];
  if (lives_.all[id].is_certain_at(stage)) return Binary::constant(true);
  if (*before + 1 < own.size()) return keep_[id][*before];
  return Binary::constant(false);
}

std::optional<std::size_t> SplitProgram::point_before(
    LifeId id, std::int32_t stage) const {
  const auto& own = life_points_[id];
  const auto after = std::upper_bound(own.begin(), own.end(), stage);
  if (after == own.begin()) return std::nullopt;
  return static_cast<std::size_t>(after - own.begin()) - 1;
}

bool SplitProgram::is_point(LifeId id, std::int32_t stage) const {
  const auto& own = life_points_[id];
  return std::binary_search(own.begin(), own.end(), stage);
}

LinearSum SplitProgram::runs(LifeId id, std::int32_t after,
                             std::int32_t by) const {
  LinearSum sum;
  if (!lives_.all[id].root) return sum;
  const OpId op = *lives_.all[id].root;
  const auto& own = run_points_[op];
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::int32_t end = i + 1 < own.size() ? own[i + 1] : kNever;
    if (own[i] < by && end > after) sum.add(run_[op][i], 1);
  }
  return sum;
}

MemoryUse SplitProgram::empty_use() const {
  const Bytes room = problem_.budget - problem_.graph.fixed_bytes();
  double scaled = units_.room(room);
  // Sums of so many units are rounded: then rows grant a little more room than
  // there is.
  if (room / units_.byte_unit > kExactUnits) scaled *= 1 + kSumRounding;
  MemoryUse use;
  use.add_constant(-scaled);
  return use;
}

Bytes SplitProgram::bytes_touched_by(OpId op) const {
  Bytes bytes = problem_.graph.op(op).workspace;
  for (StorageId storage : storages_of(lives_, op)) {
    bytes += problem_.graph.storage(storage).bytes;
  }
  return bytes;
}

template <class IsThere>
void SplitProgram::add_others(OpId op, const IsThere& is_there,
                              MemoryUse& use) const {
  const auto touched = storages_of(lives_, op);
  std::vector<Binary> lives;
  for (StorageId storage : lives_.lives_in.ids()) {
    if (std::binary_search(touched.begin(), touched.end(), storage)) continue;
    lives.clear();
    for (LifeId id : lives_.lives_in[storage]) lives.push_back(is_there(id));
    if (lives.empty()) continue;
    const Bytes bytes = problem_.graph.storage(storage).bytes;
    use.add_any(lives, units_.size(bytes));
  }
}

MemoryUse SplitProgram::memory(std::int32_t stage) const {
  MemoryUse use = empty_use();
  const OpId op(stage);
  use.add_constant(units_.size(bytes_touched_by(op)));
  add_others(
      op, [&](LifeId id) { return surely_live(id, stage); }, use);
  return use;
}

std::optional<std::size_t> SplitProgram::run_piece(OpId op,
                                                   std::int32_t stage) const {
  const auto& own = run_points_[op];
  const auto end = std::lower_bound(own.begin(), own.end(), stage);
  if (end == own.begin() || end == own.end() || *end != stage) {
    return std::nullopt;
  }
  if (*(end - 1) != stage - 1) return std::nullopt;
  return static_cast<std::size_t>(end - own.begin()) - 1;
}

// One of the reruns of a stage is the last, and what is live at the stage's own
// op is live by then.
void SplitProgram::add_last_rerun_rows(std::int32_t stage) {
  const FamilyId columns = model_.family("last");
  const FamilyId rows = model_.family("last_rerun");
  std::vector<ColumnId> runs;
  std::vector<LinearTerm> one_is_last;
  for (OpId op : IdRange<OpId>(OpId(0), OpId(stage))) {
    const auto piece = run_piece(op, stage);
    if (!piece || run_[op][*piece].is_constant()) continue;
    const ColumnId last = model_.add_column(columns, {0, 1, 0, true});
    runs.push_back(run_[op][*piece].column());
    one_is_last.push_back({last, 1});
    model_.add_row(rows, -kInfinity, 0, {{last, 1}, {runs.back(), -1}});
    add_last_rerun_row(op, stage, last);
  }
  for (ColumnId run : runs) {
    one_is_last.push_back({run, -1});
    model_.add_row(rows, 0, kInfinity, one_is_last);
    one_is_last.pop_back();
  }
}

void SplitProgram::add_last_rerun_row(OpId op, std::int32_t stage,
                                      ColumnId last) {
  MemoryUse use = empty_use();
  use.add_any({Binary::of(last)}, units_.size(bytes_touched_by(op)));
  add_others(
      op,
      [&](LifeId id) {
        // What the stage's own op makes is not there yet.
        if (lives_.all[id].birth() >= stage) return Binary::constant(false);
        return surely_live(id, stage);
      },
      use);
  use.add_row("last_rerun", model_);
  // The last rerun is of use only if the stage's op finds its output live.
  LinearSum of_use;
  for (LifeId id : lives_.written_by[op]) {
    of_use.add(surely_live(id, stage), 1);
  }
  if (of_use.constant > 0) return;
  of_use.terms.push_back({last, -1});
  model_.add_row(model_.family("last_rerun"), 0, kInfinity, of_use.terms);
}

std::optional<MemoryUse> SplitProgram::rerun_memory(OpId op,
                                                    std::int32_t stage) const {
  const auto piece = run_piece(op, stage);
  if (!piece || run_[op][*piece].is_constant()) return std::nullopt;
  MemoryUse use = empty_use();
  use.add_any({run_[op][*piece]}, units_.size(bytes_touched_by(op)));
  add_others(
      op,
      [&](LifeId id) {
        const auto before = point_before(id, stage - 1);
        if (!before || *before >= keep_[id].size()) {
          return Binary::constant(lives_.all[id].pinned && before);
        }
        return keep_[id][*before];
      },
      use);
  return use;
}

}  // namespace rematch
