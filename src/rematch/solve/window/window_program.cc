// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/window/window_program.h"

#include <algorithm>
#include <utility>

#include "rematch/base/check.h"

namespace rematch {
namespace {

std::size_t index_of(std::int32_t slot) {
  return static_cast<std::size_t>(slot);
}

// All slots at which the frame reads the tensor, ascending.
std::vector<std::int32_t> reads_of(const Graph& graph, const WindowFrame& frame,
                                   TensorId tensor) {
  std::vector<std::int32_t> reads;
  for (OpId reader : graph.readers(tensor)) {
    const auto& at = frame.slots[reader];
    reads.insert(reads.end(), at.begin(), at.end());
  }
  std::sort(reads.begin(), reads.end());
  return reads;
}

// From where a copy is made to where it is read last.
struct Span {
  std::int32_t begin = 0;
  std::int32_t end = 0;
};

std::vector<Span> copies(const std::vector<std::int32_t>& made,
                         const std::vector<std::int32_t>& read, bool is_pinned,
                         std::int32_t runs) {
  if (is_pinned) return {{made.front(), runs}};
  std::vector<Span> spans;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto next = i + 1 < made.size() ? made[i + 1] : runs;
    const auto end = std::upper_bound(read.begin(), read.end(), next);
    const bool is_read = end != read.begin() && *(end - 1) > made[i];
    spans.push_back({made[i], is_read ? *(end - 1) : made[i]});
  }
  return spans;
}

// When a storage is there, in the frame alone; no two of the times meet but at
// their ends.
std::vector<Span> times_of(const Graph& graph, const WindowFrame& frame,
                           StorageId storage) {
  const auto last = static_cast<std::int32_t>(frame.runs.size()) - 1;
  std::vector<Span> all;
  for (TensorId tensor : graph.tensors_in(storage)) {
    const auto spans = copies(frame.slots[*graph.tensor(tensor).producer],
                              reads_of(graph, frame, tensor),
                              graph.tensor(tensor).is_output, last);
    all.insert(all.end(), spans.begin(), spans.end());
  }
  std::ranges::sort(all, {}, &Span::begin);
  std::vector<Span> times;
  for (const Span& span : all) {
    if (times.empty() || span.begin > times.back().end) {
      times.push_back(span);
    } else {
      times.back().end = std::max(times.back().end, span.end);
    }
  }
  return times;
}

}  // namespace

WindowProgram::WindowProgram(const Problem& problem, WindowFrame frame)
    : problem_(problem),
      graph_(problem.graph),
      frame_(std::move(frame)),
      is_held_(graph_.num_storages()),
      held_of_(graph_.num_tensors()),
      run_(graph_.num_ops()) {
  units_ = program_units(graph_);
  const Bytes budget_units = problem.budget / units_.byte_unit;
  units_.memory_scale = scale_for(static_cast<double>(budget_units));
  choose_storages();
  add_run_columns();
  for (StorageId storage : storages_) {
    for (TensorId tensor : graph_.tensors_in(storage)) add_held(tensor);
  }
  for (const Held& held : held_) add_source_rows(held);
  for (OpId op : frame_.free) add_input_rows(op);
  measure_rest();
  add_memory_rows();
}

bool WindowProgram::has(const std::vector<std::int32_t>& list,
                        std::int32_t slot) {
  return std::binary_search(list.begin(), list.end(), slot);
}

void WindowProgram::choose_storages() {
  const auto choose = [&](TensorId tensor) {
    const StorageId storage = graph_.tensor(tensor).storage;
    const Storage& block = graph_.storage(storage);
    if (is_held_[storage] || block.resident || block.bytes == 0) return;
    is_held_[storage] = true;
    storages_.push_back(storage);
  };
  for (OpId op : frame_.free) {
    for (TensorId tensor : graph_.inputs(op)) choose(tensor);
    for (TensorId tensor : graph_.outputs(op)) choose(tensor);
  }
  std::sort(storages_.begin(), storages_.end());
}

void WindowProgram::add_run_columns() {
  const FamilyId family = model_.family("run");
  for (OpId op : frame_.free) {
    const double cost = units_.cost(graph_.op(op).cost);
    for (std::size_t i = 0; i < frame_.places[op].size(); ++i) {
      run_[op].push_back(
          Binary::of(model_.add_column(family, {0, 1, cost, true})));
    }
  }
}

Binary WindowProgram::run(OpId op, std::int32_t slot) const {
  const auto& places = frame_.places[op];
  const auto at = std::lower_bound(places.begin(), places.end(), slot);
  if (at == places.end() || *at != slot) return Binary::constant(false);
  return run_[op][static_cast<std::size_t>(at - places.begin())];
}

void WindowProgram::add_held(TensorId tensor) {
  const OpId producer = *graph_.tensor(tensor).producer;
  Held held{.tensor = tensor,
            .producer = producer,
            .breaks = {},
            .hold = {},
            .made = frame_.slots[producer],
            .read = reads_of(graph_, frame_, tensor)};
  held.breaks = breaks_of(held);
  held.hold = holds_of(held);
  held_of_[tensor] = held_.size();
  held_.push_back(std::move(held));
}

std::vector<std::int32_t> WindowProgram::breaks_of(const Held& held) const {
  std::vector<std::int32_t> breaks = held.made;
  const auto add = [&](const std::vector<std::int32_t>& slots) {
    breaks.insert(breaks.end(), slots.begin(), slots.end());
  };
  add(held.read);
  add(frame_.places[held.producer]);
  for (OpId reader : graph_.readers(held.tensor)) add(frame_.places[reader]);
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  return breaks;
}

// What does not come back is there for its reads.
std::vector<Binary> WindowProgram::holds_of(const Held& held) {
  const FamilyId family = model_.family("hold");
  const bool is_pinned = graph_.tensor(held.tensor).is_output;
  const auto runs = static_cast<std::int32_t>(frame_.runs.size());
  const auto spans = copies(held.made, held.read, is_pinned, runs);
  const bool comes_back = !frame_.places[held.producer].empty() && !is_pinned;
  std::vector<Binary> hold;
  for (std::size_t i = 0; i < held.breaks.size(); ++i) {
    const bool is_last = i + 1 == held.breaks.size();
    const std::int32_t begin = held.breaks[i];
    const bool is_certain =
        !comes_back && std::ranges::any_of(spans, [&](const Span& span) {
          return span.begin <= begin && begin < span.end;
        });
    if (is_certain || is_pinned) {
      hold.push_back(Binary::constant(true));
    } else if (is_last) {
      hold.push_back(Binary::constant(false));
    } else {
      hold.push_back(Binary::of(model_.add_column(family, {0, 1, 0, true})));
    }
  }
  return hold;
}

// What is held after a break was held before it, or was made there; what the
// frame reads is there.
void WindowProgram::add_source_rows(const Held& held) {
  for (std::size_t i = 1; i < held.breaks.size(); ++i) {
    const std::int32_t slot = held.breaks[i];
    if (held.hold[i - 1].is_one()) continue;
    LinearSum sum;
    sum.add(held.hold[i - 1], 1);
    sum.add(run(held.producer, slot), 1);
    if (has(held.read, slot)) {
      model_.add_row(model_.family("read"), 1, kInfinity, sum.terms);
      continue;
    }
    if (has(held.made, slot) || held.hold[i].is_zero()) continue;
    sum.add(held.hold[i], -1);
    model_.add_row(model_.family("source"), -sum.constant, kInfinity,
                   sum.terms);
  }
}

// A rerun needs each input: held until then, or run again at the same slot.
void WindowProgram::add_input_rows(OpId op) {
  const FamilyId family = model_.family("input");
  for (TensorId input : graph_.inputs(op)) {
    if (!held_of_[input]) continue;
    const Held& held = held_[*held_of_[input]];
    for (std::int32_t slot : frame_.places[op]) {
      const auto at = break_before(held, slot - 1);
      REMATCH_CHECK(at.has_value(), "an input is made before its reader");
      LinearSum sum;
      sum.add(held.hold[*at], 1);
      sum.add(run(held.producer, slot), 1);
      if (sum.constant > 0) continue;
      sum.add(run(op, slot), -1);
      model_.add_row(family, 0, kInfinity, sum.terms);
    }
  }
}

std::optional<std::size_t> WindowProgram::break_before(const Held& held,
                                                       std::int32_t slot) {
  const auto after =
      std::upper_bound(held.breaks.begin(), held.breaks.end(), slot);
  if (after == held.breaks.begin()) return std::nullopt;
  return static_cast<std::size_t>(after - held.breaks.begin()) - 1;
}

void WindowProgram::measure_rest() {
  const std::size_t runs = frame_.runs.size();
  // Changes from each slot to the next, then sums.
  rest_at_.assign(runs + 1, 0);
  rest_before_ = rest_at_;
  for (StorageId storage : graph_.storages()) {
    const Storage& block = graph_.storage(storage);
    if (block.resident || block.bytes == 0 || is_held_[storage]) continue;
    for (const Span& span : times_of(graph_, frame_, storage)) {
      rest_at_[index_of(span.begin)] += block.bytes;
      rest_at_[index_of(span.end + 1)] -= block.bytes;
      rest_before_[index_of(span.begin + 1)] += block.bytes;
      rest_before_[index_of(span.end + 1)] -= block.bytes;
    }
  }
  Bytes at = graph_.fixed_bytes();
  Bytes before = at;
  for (std::size_t t = 0; t < runs; ++t) {
    rest_at_[t] = at += rest_at_[t];
    rest_before_[t] = before += rest_before_[t];
  }
}

bool WindowProgram::touches(OpId op, StorageId storage) const {
  const auto is_there = [&](TensorId tensor) {
    return graph_.tensor(tensor).storage == storage;
  };
  return std::ranges::any_of(graph_.inputs(op), is_there) ||
         std::ranges::any_of(graph_.outputs(op), is_there);
}

// Between two breaks of whatever tensors, what may be held is the same at every
// slot: the one with the least room speaks for all.
std::vector<std::int32_t> WindowProgram::slots_to_look_at() const {
  const auto runs = static_cast<std::int32_t>(frame_.runs.size());
  std::vector<bool> is_break(frame_.runs.size());
  for (const Held& held : held_) {
    for (std::int32_t slot : held.breaks) is_break[index_of(slot)] = true;
  }
  std::vector<std::int32_t> slots;
  std::optional<std::int32_t> worst;  // Since the last break.
  for (std::int32_t t = 0; t <= runs; ++t) {
    const bool ends = t == runs || is_break[index_of(t)];
    if (ends && worst) slots.push_back(*std::exchange(worst, std::nullopt));
    if (t == runs) break;
    if (ends) {
      slots.push_back(t);
    } else if (!worst || taken_at(t) > taken_at(*worst)) {
      worst = t;
    }
  }
  return slots;
}

// At a run of the frame, by what may not be held.
Bytes WindowProgram::taken_at(std::int32_t slot) const {
  return rest_at_[index_of(slot)] +
         graph_.op(frame_.runs[index_of(slot)]).workspace;
}

void WindowProgram::add_memory_rows() {
  for (std::int32_t slot : slots_to_look_at()) add_memory_row(slot);
}

void WindowProgram::add_memory_row(std::int32_t slot) {
  const OpId op = frame_.runs[index_of(slot)];
  Bytes taken = taken_at(slot);
  Bytes most = taken;
  MemoryUse use;
  std::vector<Binary> lives;
  for (StorageId storage : storages_) {
    const Bytes bytes = graph_.storage(storage).bytes;
    most += bytes;
    if (touches(op, storage)) {
      taken += bytes;
      continue;
    }
    lives.clear();
    for (TensorId tensor : graph_.tensors_in(storage)) {
      const Held& held = held_[*held_of_[tensor]];
      const auto at = break_before(held, slot);
      if (at) lives.push_back(held.hold[*at]);
    }
    use.add_any(lives, units_.size(bytes));
  }
  if (most <= problem_.budget) return;
  use.add_constant(-units_.room(problem_.budget - taken));
  use.add_row("memory", model_);
}

std::vector<PlacedRun> WindowProgram::runs_at(
    std::span<const double> columns) const {
  return place_reruns(frame_, [&](OpId op, std::size_t i) {
    return run_[op][i].at(columns) > 0.5;
  });
}

// What makes a tensor be there while `op` runs again at the slot: one of these
// sums is 1.
void WindowProgram::add_present(const Held& held, OpId op, std::int32_t slot,
                                std::vector<LinearSum>& present) const {
  const auto before = break_before(held, slot - 1);
  if (!before) return;
  const auto add = [&](Binary needed, Binary comes_later) {
    LinearSum sum;
    sum.add(needed, 1);
    sum.add(comes_later, -1);
    present.push_back(std::move(sum));
  };
  if (!has(held.breaks, slot)) {
    add(held.hold[*before], Binary::constant(false));
    return;
  }
  const Binary later =
      held.producer > op ? run(held.producer, slot) : Binary::constant(false);
  if (has(held.read, slot)) {
    add(Binary::constant(true), later);
  } else if (!has(held.made, slot)) {
    add(held.hold[*before + 1], later);
  }
  for (OpId reader : graph_.readers(held.tensor)) {
    if (reader > op) add(run(reader, slot), later);
  }
}

void WindowProgram::add_rerun_row(OpId op, std::int32_t slot,
                                  LinearModel& model) const {
  std::vector<LinearTerm> terms;
  double own = units_.size(graph_.op(op).workspace);
  std::vector<LinearSum> present;
  for (StorageId storage : storages_) {
    const double size = units_.size(graph_.storage(storage).bytes);
    if (touches(op, storage)) {
      own += size;
      continue;
    }
    if (size < kLeastCoefficient) continue;
    present.clear();
    for (TensorId tensor : graph_.tensors_in(storage)) {
      add_present(held_[*held_of_[tensor]], op, slot, present);
    }
    std::erase_if(present, [](const LinearSum& sum) {
      return sum.terms.empty() && sum.constant <= 0;
    });
    if (present.empty()) continue;
    const ColumnId there =
        model.add_column(model.family("there"), {0, 1, 0, false});
    for (LinearSum& sum : present) {
      sum.terms.push_back({there, -1});
      model.add_row(model.family("there"), -kInfinity, -sum.constant,
                    sum.terms);
    }
    terms.push_back({there, size});
  }
  // Without the rerun, what is there at that moment fits, too.
  const Binary runs = run(op, slot);
  REMATCH_CHECK(!runs.is_constant(), "the op may run again there");
  if (own >= kLeastCoefficient) terms.push_back({runs.column(), own});
  model.add_row(model.family("rerun"), -kInfinity,
                units_.room(problem_.budget - rest_before_[index_of(slot)]),
                terms);
}

}  // namespace rematch
