// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/schedule.h"

#include <algorithm>

#include "rematch/base/check.h"

namespace rematch {
namespace {

// Slots per run when the array is made, and the share of taken slots in a
// window above which it is not worth spreading it.
constexpr std::size_t kSlotsPerRun = 2;
constexpr std::size_t kSmallestWindow = 64;
// How far to look for a hole before spreading.
constexpr std::size_t kNearby = 48;

bool too_full(std::size_t runs, std::size_t slots) {
  return runs * 5 > slots * 4;
}

// No footprint exceeds this.
Bytes most_bytes(const Graph& graph) {
  Bytes most = graph.fixed_bytes();
  Bytes workspace = 0;
  for (StorageId storage : graph.storages()) {
    most += graph.storage(storage).bytes;
  }
  for (OpId op : graph.ops()) {
    workspace = std::max(workspace, graph.op(op).workspace);
  }
  return most + workspace;
}

}  // namespace

Schedule::Schedule(const Graph& graph, const TouchTable& table, Bytes budget,
                   std::span<const OpId> sequence)
    : graph_(graph),
      table_(table),
      most_(most_bytes(graph)),
      profile_(1, budget, 0),
      slot_(graph.num_ops(), kNowhere),
      op_(graph.num_ops()),
      place_(graph.num_ops()),
      runs_(graph.num_ops()),
      events_(graph.num_storages()) {
  for (OpId op : graph.ops()) op_[RunId(op.value)] = op;
  rebuild(sequence);
}

void Schedule::assign(std::span<const OpId> sequence) {
  for (auto& runs : runs_) runs.clear();
  for (auto& events : events_) events.clear();
  slot_ = IdVector<RunId, std::size_t>(graph_.num_ops(), kNowhere);
  IdVector<RunId, OpId> ops(graph_.num_ops());
  for (OpId op : graph_.ops()) ops[RunId(op.value)] = op;
  op_ = std::move(ops);
  place_ = IdVector<RunId, std::size_t>(graph_.num_ops());
  reruns_.clear();
  free_.clear();
  log_.clear();
  extra_ = 0;
  rebuild(sequence);
}

// Everything from scratch: linear in the edges of the runs, but for events of
// storages with many tensors.
void Schedule::rebuild(std::span<const OpId> sequence) {
  const std::size_t slots =
      std::max<std::size_t>(1, sequence.size()) * kSlotsPerRun;
  profile_ = LoadProfile(slots, profile_.limit(), most_);
  at_.assign(profile_.size(), kNoRun);
  const std::size_t stride =
      profile_.size() / std::max<std::size_t>(1, sequence.size());
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const OpId op = sequence[i];
    const bool again = !runs_[op].empty();
    const RunId run = again ? new_run(op) : RunId(op.value);
    if (again) add_rerun(run);
    slot_[run] = i * stride + stride / 2;
    at_[slot_[run]] = run;
    runs_[op].push_back(run);
    std::int32_t index = table_.first_touch(op);
    for (const Touch& touch : table_.of(op)) {
      events_[touch.storage].push_back({run, index++, 0});
    }
  }
  std::vector<Bytes> steps(profile_.size() + 1);
  for (StorageId storage : graph_.storages()) {
    auto& events = events_[storage];
    TensorBits needed = table_.kept(storage);
    std::size_t end = profile_.size();
    for (std::size_t i = events.size(); i-- > 0;) {
      const Touch& touch = table_.touch(events[i].touch);
      const std::size_t slot = slot_[events[i].run];
      if (needed != 0) {
        steps[slot + 1] += touch.bytes;
        steps[end] -= touch.bytes;
      }
      needed = (needed & ~made(events[i].run, touch)) | touch.reads;
      events[i].needed = needed;
      end = slot;
    }
  }
  Bytes load = 0;
  for (std::size_t slot = 0; slot < profile_.size(); ++slot) {
    load += steps[slot];
    if (at_[slot] == kNoRun) {
      profile_.clear(slot, load);
    } else {
      profile_.take(slot, load + table_.own_bytes(op_[at_[slot]]));
    }
  }
}

Bytes Schedule::peak() const {
  return std::max(profile_.largest(), graph_.fixed_bytes());
}

std::vector<OpId> Schedule::sequence() const {
  std::vector<OpId> result;
  result.reserve(num_runs());
  for (RunId run : at_) {
    if (run != kNoRun) result.push_back(op_[run]);
  }
  return result;
}

RunId Schedule::next_from(std::size_t slot) const {
  while (slot < at_.size() && at_[slot] == kNoRun) ++slot;
  return slot < at_.size() ? at_[slot] : kNoRun;
}

RunId Schedule::next(RunId run) const { return next_from(slot_[run] + 1); }

RunId Schedule::previous(RunId run) const {
  std::size_t slot = slot_[run];
  while (slot-- > 0) {
    if (at_[slot] != kNoRun) return at_[slot];
  }
  return kNoRun;
}

std::size_t Schedule::events_before(StorageId storage, std::size_t slot) const {
  const auto& events = events_[storage];
  std::size_t begin = 0;
  std::size_t end = events.size();
  while (end - begin > 8) {
    const std::size_t middle = (begin + end) / 2;
    if (slot_[events[middle].run] < slot) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  // Without jumps that depend on what is found.
  std::size_t count = begin;
  for (; begin < end; ++begin) {
    count += static_cast<std::size_t>(slot_[events[begin].run] < slot);
  }
  return count;
}

bool Schedule::is_useless(RunId rerun) const {
  for (const Touch& touch : table_.of(op_[rerun])) {
    if (touch.rerun == 0) continue;
    const std::size_t index = events_before(touch.storage, slot_[rerun]) + 1;
    if ((needed_from(touch.storage, index) & touch.rerun) != 0) return false;
  }
  return true;
}

// What is there just before or just after a run.
Bytes Schedule::load_beside(RunId run, bool after) const {
  Bytes load = profile_.load(slot_[run]) - table_.own_bytes(op_[run]);
  for (const Touch& touch : table_.of(op_[run])) {
    if (touch.bytes == 0) continue;
    const std::size_t index = events_before(touch.storage, slot_[run]);
    if (needed_from(touch.storage, after ? index + 1 : index) != 0) {
      load += touch.bytes;
    }
  }
  return load;
}

// Moves the nearest hole to just before slot `at`, or to `at` itself; returns
// where it is, or kNowhere if none is near. What was at `at` may move by one.
std::size_t Schedule::shift_hole(std::size_t at) {
  for (std::size_t far = 1; far < kNearby; ++far) {
    if (at >= far + 1 && at_[at - far - 1] == kNoRun) {
      // Everything from there to just before `at` moves to the left.
      const Bytes load = load_beside(at_[at - 1], true);
      for (std::size_t slot = at - far; slot < at; ++slot) {
        at_[slot - 1] = at_[slot];
        slot_[at_[slot]] = slot - 1;
        profile_.take(slot - 1, profile_.load(slot));
      }
      at_[at - 1] = kNoRun;
      profile_.clear(at - 1, load);
      return at - 1;
    }
    if (at + far < at_.size() && at_[at + far] == kNoRun) {
      const Bytes load = load_beside(at_[at], false);
      for (std::size_t slot = at + far; slot > at; --slot) {
        at_[slot] = at_[slot - 1];
        slot_[at_[slot]] = slot;
        profile_.take(slot, profile_.load(slot - 1));
      }
      at_[at] = kNoRun;
      profile_.clear(at, load);
      return at;
    }
  }
  return kNowhere;
}

std::vector<Schedule::Item> Schedule::items_in(std::size_t begin,
                                               std::size_t end) const {
  std::vector<Item> items;
  for (std::size_t slot = begin; slot < end; ++slot) {
    if (at_[slot] == kNoRun) continue;
    const RunId run = at_[slot];
    items.push_back({run, profile_.load(slot), load_beside(run, false)});
  }
  return items;
}

// Spreads the items, which are all there is, evenly over the slots [begin,
// end); `tail` is the load of the holes after the last.
void Schedule::spread(std::span<const Item> items, Bytes tail,
                      std::size_t begin, std::size_t end) {
  std::size_t slot = begin;
  for (std::size_t i = 0; i < items.size(); ++i) {
    // Half a stride before the first, so that holes are on both sides.
    const std::size_t target =
        begin + (2 * i + 1) * (end - begin) / (2 * items.size());
    for (; slot < target; ++slot) {
      at_[slot] = kNoRun;
      profile_.clear(slot, items[i].before);
    }
    at_[slot] = items[i].run;
    slot_[items[i].run] = slot;
    profile_.take(slot++, items[i].load);
  }
  for (; slot < end; ++slot) {
    at_[slot] = kNoRun;
    profile_.clear(slot, tail);
  }
}

// Makes holes near slot `at`, in the smallest window that is not too full.
void Schedule::make_room(std::size_t at) {
  for (std::size_t size = kSmallestWindow;; size *= 2) {
    const bool all = size >= at_.size();
    const std::size_t begin =
        all ? 0 : std::min(at, at_.size() - 1) / size * size;
    const std::size_t end = std::min(begin + size, at_.size());
    const std::vector<Item> items = items_in(begin, end);
    const bool full = too_full(items.size(), end - begin);
    if (full && !all) continue;
    const Bytes tail = load_beside(items.back().run, true);
    if (full) {
      profile_ = LoadProfile(2 * at_.size(), profile_.limit(), most_);
      at_.assign(profile_.size(), kNoRun);
    }
    spread(items, tail, begin, full ? at_.size() : end);
    return;
  }
}

// An empty slot just before `next`.
std::size_t Schedule::make_hole(RunId next) {
  while (true) {
    const std::size_t at = next == kNoRun ? at_.size() : slot_[next];
    if (at > 0 && at_[at - 1] == kNoRun) {
      std::size_t far = 1;
      while (far < 4 && at > far && at_[at - far - 1] == kNoRun) ++far;
      return at - (far + 1) / 2;
    }
    const std::size_t hole = shift_hole(at);
    if (hole != kNowhere) return hole;
    make_room(at);
  }
}

// A change of what is needed of a storage just before its event number `count`
// goes back to the events before it.
void Schedule::propagate(StorageId storage, std::size_t count,
                         TensorBits needed) {
  auto& events = events_[storage];
  while (count-- > 0) {
    Event& event = events[count];
    const Touch& touch = table_.touch(event.touch);
    needed = (needed & ~made(event.run, touch)) | touch.reads;
    if (needed == event.needed) return;
    if ((needed != 0) != (event.needed != 0)) {
      const std::size_t begin =
          count == 0 ? 0 : slot_[events[count - 1].run] + 1;
      profile_.add(begin, slot_[event.run],
                   needed != 0 ? touch.bytes : -touch.bytes);
    }
    event.needed = needed;
  }
}

void Schedule::put(RunId run, RunId next) {
  const std::size_t slot = make_hole(next);
  const OpId op = op_[run];
  at_[slot] = run;
  slot_[run] = slot;
  Bytes load = profile_.load(slot) + table_.own_bytes(op);
  std::int32_t touch_index = table_.first_touch(op);
  for (const Touch& touch : table_.of(op)) {
    auto& events = events_[touch.storage];
    const std::size_t index = events_before(touch.storage, slot);
    const TensorBits after = needed_from(touch.storage, index);
    const TensorBits needed = (after & ~made(run, touch)) | touch.reads;
    if (after != 0) load -= touch.bytes;
    if ((needed != 0) != (after != 0)) {
      const std::size_t begin =
          index == 0 ? 0 : slot_[events[index - 1].run] + 1;
      profile_.add(begin, slot, needed != 0 ? touch.bytes : -touch.bytes);
    }
    events.insert(events.begin() + static_cast<std::ptrdiff_t>(index),
                  {run, touch_index++, needed});
    if (needed != after) propagate(touch.storage, index, needed);
  }
  profile_.take(slot, load);
  auto& runs = runs_[op];
  const auto place =
      std::partition_point(runs.begin(), runs.end(),
                           [&](RunId other) { return slot_[other] < slot; });
  runs.insert(place, run);
}

void Schedule::take_out(RunId run) {
  const std::size_t slot = slot_[run];
  const OpId op = op_[run];
  Bytes load = profile_.load(slot) - table_.own_bytes(op);
  for (const Touch& touch : table_.of(op)) {
    auto& events = events_[touch.storage];
    const std::size_t index = events_before(touch.storage, slot);
    const TensorBits needed = events[index].needed;
    const TensorBits after = needed_from(touch.storage, index + 1);
    if (after != 0) load += touch.bytes;
    if ((needed != 0) != (after != 0)) {
      const std::size_t begin =
          index == 0 ? 0 : slot_[events[index - 1].run] + 1;
      profile_.add(begin, slot, after != 0 ? touch.bytes : -touch.bytes);
    }
    events.erase(events.begin() + static_cast<std::ptrdiff_t>(index));
    if (needed != after) propagate(touch.storage, index, after);
  }
  profile_.clear(slot, load);
  at_[slot] = kNoRun;
  slot_[run] = kNowhere;
  auto& runs = runs_[op];
  runs.erase(std::find(runs.begin(), runs.end(), run));
}

RunId Schedule::new_run(OpId op) {
  if (free_.empty()) {
    slot_.push_back(kNowhere);
    place_.push_back(0);
    return op_.push_back(op);
  }
  const RunId run = free_.back();
  free_.pop_back();
  op_[run] = op;
  return run;
}

void Schedule::add_rerun(RunId run) {
  place_[run] = reruns_.size();
  reruns_.push_back(run);
  extra_ += graph_.op(op_[run]).cost;
}

void Schedule::drop_rerun(RunId run) {
  const RunId last = reruns_.back();
  reruns_[place_[run]] = last;
  place_[last] = place_[run];
  reruns_.pop_back();
  // Sums of fractions drift; where there is nothing, there is no cost.
  extra_ = reruns_.empty() ? 0 : extra_ - graph_.op(op_[run]).cost;
}

RunId Schedule::insert(OpId op, RunId next) {
  const RunId run = new_run(op);
  put(run, next);
  add_rerun(run);
  log_.push_back({Change::kInserted, run, kNoRun});
  return run;
}

void Schedule::remove(RunId rerun) {
  REMATCH_CHECK(!is_first(rerun), "a first run stays");
  log_.push_back({Change::kRemoved, rerun, next(rerun)});
  take_out(rerun);
  drop_rerun(rerun);
}

void Schedule::move(RunId run, RunId next_run) {
  if (next_run == run) return;
  log_.push_back({Change::kMoved, run, next(run)});
  take_out(run);
  put(run, next_run);
}

void Schedule::undo_to(std::size_t mark) {
  while (log_.size() > mark) {
    const Entry entry = log_.back();
    log_.pop_back();
    if (entry.change == Change::kInserted) {
      take_out(entry.run);
      drop_rerun(entry.run);
      free_.push_back(entry.run);
    } else if (entry.change == Change::kRemoved) {
      put(entry.run, entry.next);
      add_rerun(entry.run);
    } else {
      take_out(entry.run);
      put(entry.run, entry.next);
    }
  }
}

void Schedule::commit() {
  for (const Entry& entry : log_) {
    if (entry.change == Change::kRemoved) free_.push_back(entry.run);
  }
  log_.clear();
}

}  // namespace rematch
