// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/moves.h"

#include <algorithm>

namespace rematch {
namespace {

// A closure of more ops than this is not worth looking at.
constexpr std::size_t kLargestClosure = 400;
// How many storages to draw for one that can be evicted at a slot.
constexpr int kDraws = 24;
// How often a rerun that moves a few steps becomes earlier. Earlier reruns hold
// memory for longer; left to chance they would fill all the room there is.
constexpr double kLeftwards = 0.1;
// How far a first run moves if it does not move far.
constexpr std::size_t kNearbySlots = 24;

TensorBits lowest(TensorBits bits) { return bits & (~bits + 1); }

// Tensors that can be made again.
IdVector<TensorId, bool> evictable_tensors(const Graph& graph,
                                           const TouchTable& table) {
  IdVector<TensorId, bool> evictable(graph.num_tensors());
  for (OpId op : graph.ops()) {
    if (!graph.op(op).recomputable) continue;
    for (TensorId tensor : graph.outputs(op)) {
      for (const Touch& touch : table.of(op)) {
        if (touch.storage != graph.tensor(tensor).storage) continue;
        evictable[tensor] = (touch.rerun & table.bit(tensor)) != 0;
      }
    }
  }
  return evictable;
}

// Storages that may be worth evicting.
std::vector<StorageId> evictable_storages(
    const Graph& graph, const IdVector<TensorId, bool>& evictable) {
  std::vector<StorageId> storages;
  for (StorageId storage : graph.storages()) {
    const Storage& block = graph.storage(storage);
    if (block.resident || block.bytes == 0) continue;
    const auto tensors = graph.tensors_in(storage);
    if (std::any_of(tensors.begin(), tensors.end(),
                    [&](TensorId tensor) { return evictable[tensor]; })) {
      storages.push_back(storage);
    }
  }
  return storages;
}

}  // namespace

Moves::Moves(Schedule& schedule, Dice& dice)
    : schedule_(schedule),
      graph_(schedule.graph()),
      table_(schedule.table()),
      dice_(dice),
      evictable_(evictable_tensors(graph_, table_)),
      neighbourhood_(graph_, evictable_storages(graph_, evictable_)),
      chosen_(graph_.num_ops()),
      seen_(graph_.num_tensors()) {
  need_starts_.push_back(0);
  for (OpId op : graph_.ops()) {
    if (!graph_.op(op).recomputable) once_.push_back(op);
    for (TensorId input : graph_.inputs(op)) {
      if (!evictable_[input]) continue;
      const Tensor& tensor = graph_.tensor(input);
      const Storage& block = graph_.storage(tensor.storage);
      needs_.push_back({input, tensor.storage, block.resident ? 0 : block.bytes,
                        table_.bit(input), *tensor.producer});
    }
    need_starts_.push_back(needs_.size());
  }
}

RunId Moves::any_rerun() {
  const auto reruns = schedule_.reruns();
  return reruns.empty() ? kNoRun : reruns[dice_.below(reruns.size())];
}

TensorId Moves::tensor_of(StorageId storage, TensorBits bit) const {
  for (TensorId tensor : graph_.tensors_in(storage)) {
    if (table_.bit(tensor) == bit) return tensor;
  }
  return TensorId(-1);
}

// Whether an input that is not there at slot `at` should be made again rather
// than held from where it was touched last. `gone` must not be there at `slot`.
bool Moves::wants_rerun(const Need& need, std::size_t at, StorageId gone,
                        std::size_t slot) const {
  const std::size_t index = schedule_.events_before(need.storage, at);
  const TensorBits needed = schedule_.needed_from(need.storage, index);
  const bool there = (needed & need.bit) != 0;
  if (there && need.storage != gone) return false;
  if (index == 0) return false;
  const std::size_t from =
      schedule_.slot(schedule_.events(need.storage)[index - 1].run) + 1;
  if (need.storage == gone && from <= slot && slot < at) return true;
  // Is the storage there anyhow?
  if (there || needed != 0 || from >= at) return false;
  if (tolerance_ < 0) return true;
  return schedule_.profile().largest(from, at) + need.bytes - tolerance_ >
         schedule_.budget();
}

// By how much holding an input may exceed the budget before it is made again
// instead: mostly not at all.
void Moves::draw_tolerance() {
  if (!dice_.chance(looseness_)) {
    tolerance_ = 0;
    return;
  }
  const std::size_t kind = dice_.below(4);
  tolerance_ = kind < 2    ? kMaxBytes / 4
               : kind == 2 ? schedule_.budget() / 64
                           : -1;
}

// What it takes to run `op` before `next`, if `gone` must not be held over
// `slot`. False if that costs more than `most`.
bool Moves::plan_closure(OpId op, RunId next, StorageId gone, std::size_t slot,
                         Cost most, Closure& closure) {
  closure.cost = graph_.op(op).cost;
  if (closure.cost > most) return false;
  const std::size_t at = schedule_.slot(next);
  closure.next = next;
  closure.ops.assign(1, op);
  chosen_[op] = ++stamp_;
  draw_tolerance();
  for (std::size_t i = 0; i < closure.ops.size(); ++i) {
    for (const Need& need : needs(closure.ops[i])) {
      if (seen_[need.tensor] == stamp_) continue;
      seen_[need.tensor] = stamp_;
      if (chosen_[need.producer] == stamp_) continue;
      if (!wants_rerun(need, at, gone, slot)) continue;
      closure.cost += graph_.op(need.producer).cost;
      if (closure.cost > most) return false;
      chosen_[need.producer] = stamp_;
      closure.ops.push_back(need.producer);
      if (closure.ops.size() > kLargestClosure) return false;
    }
  }
  if (closure.ops.size() == 1) return true;
  std::sort(closure.ops.begin(), closure.ops.end(), [&](OpId a, OpId b) {
    return schedule_.before(RunId(a.value), RunId(b.value));
  });
  return true;
}

// The place of a rerun of something that `op` reads or makes: just after the
// former, just before the latter.
RunId Moves::beside_relative(OpId op) {
  const auto inputs = needs(op);
  const auto outputs = graph_.outputs(op);
  const std::size_t which = dice_.below(inputs.size() + outputs.size());
  if (which < inputs.size()) {
    const auto runs = schedule_.runs(inputs[which].producer);
    if (runs.size() < 2) return kNoRun;
    return schedule_.next(runs[1 + dice_.below(runs.size() - 1)]);
  }
  const auto readers = graph_.readers(outputs[which - inputs.size()]);
  if (readers.empty()) return kNoRun;
  const auto runs = schedule_.runs(readers[dice_.below(readers.size())]);
  return runs[dice_.below(runs.size())];
}

// A run after `slot`, not after `reader`, before which to make something that
// `reader` needs: late, so that it is gone for long, or early, where what that
// takes may still be there.
RunId Moves::place_between(OpId op, std::size_t slot, RunId reader) {
  const std::size_t end = schedule_.slot(reader);
  if (slot + 1 >= end || !dice_.chance(earliness_)) return reader;
  const std::size_t kind = dice_.below(3);
  if (kind == 0) {
    const RunId run = beside_relative(op);
    const bool inside = run != kNoRun && schedule_.slot(run) > slot &&
                        schedule_.slot(run) <= end;
    return inside ? run : reader;
  }
  if (kind == 1) {
    return schedule_.next_from(slot + 1 + dice_.below(end - slot));
  }
  RunId run = schedule_.next_from(slot + 1);
  while (run != reader &&
         schedule_.profile().load(schedule_.slot(run)) > schedule_.budget()) {
    run = schedule_.next(run);
  }
  return run;
}

// What it takes to evict one of the tensors that are needed of a storage at a
// slot which does not touch it.
bool Moves::plan_eviction(StorageId storage, std::size_t slot, Cost most,
                          Closure& closure) {
  const auto events = schedule_.events(storage);
  const std::size_t index = schedule_.events_before(storage, slot);
  if (index == 0 || index >= events.size()) return false;
  if (schedule_.slot(events[index].run) == slot) return false;
  const TensorBits needed = events[index].needed;
  if (needed == 0) return false;
  const TensorBits bit = lowest(needed);
  for (TensorBits bits = needed; bits != 0; bits &= bits - 1) {
    if (!evictable_[tensor_of(storage, lowest(bits))]) return false;
  }
  const OpId producer = *graph_.tensor(tensor_of(storage, bit)).producer;
  for (std::size_t i = index; i < events.size(); ++i) {
    if ((table_.touch(events[i].touch).reads & bit) == 0) continue;
    return plan_closure(producer, place_between(producer, slot, events[i].run),
                        storage, slot, most, closure);
  }
  return false;
}

void Moves::apply(const Closure& closure) {
  for (OpId op : closure.ops) schedule_.insert(op, closure.next);
  const std::size_t slot = schedule_.slot(closure.next);
  for (std::size_t i = closure.ops.size(); i-- > 0;) {
    remove_needless_before(closure.ops[i], slot);
  }
}

// A new run of the op just before `slot` may leave the one before it without
// readers.
void Moves::remove_needless_before(OpId op, std::size_t slot) {
  const auto runs = schedule_.runs(op);
  std::size_t last = runs.size();
  while (last > 0 && schedule_.slot(runs[last - 1]) >= slot) --last;
  if (last >= 2) remove_if_useless(runs[last - 2]);
}

void Moves::remove_if_useless(RunId run) {
  if (schedule_.is_first(run) || !schedule_.is_useless(run)) return;
  remove(run);
}

void Moves::remove(RunId rerun) {
  const OpId op = schedule_.op(rerun);
  const std::size_t slot = schedule_.slot(rerun);
  schedule_.remove(rerun);
  for (TensorId input : graph_.inputs(op)) {
    if (!evictable_[input]) continue;
    const auto runs = schedule_.runs(*graph_.tensor(input).producer);
    std::size_t last = runs.size();
    while (last > 0 && schedule_.slot(runs[last - 1]) > slot) --last;
    if (last >= 2) remove_if_useless(runs[last - 1]);
  }
}

// Evicts all tensors of a storage from a slot; `closure` is for the first.
bool Moves::evict(StorageId storage, std::size_t slot, Closure& closure) {
  const RunId here = schedule_.run_at(slot);
  for (int i = 0; i < 8; ++i) {
    apply(closure);
    if (schedule_.extra_cost() > most_extra_) return false;
    const std::size_t now = schedule_.slot(here);
    const std::size_t index = schedule_.events_before(storage, now);
    if (schedule_.needed_from(storage, index) == 0) return true;
    if (!plan_eviction(storage, now, most_extra_ - schedule_.extra_cost(),
                       closure)) {
      return false;
    }
  }
  return false;
}

// The first run at a slot or after it, by its op.
OpId Moves::nearest_first(std::size_t slot) const {
  RunId run = schedule_.next_from(slot);
  while (run != kNoRun && !schedule_.is_first(run)) run = schedule_.next(run);
  return run == kNoRun ? OpId(graph_.num_ops() - 1) : schedule_.op(run);
}

bool Moves::evict_at(std::size_t slot, int tries) {
  const Bytes over =
      std::max<Bytes>(1, schedule_.profile().load(slot) - schedule_.budget());
  StorageId best_storage(-1);
  double best_score = std::numeric_limits<double>::infinity();
  Cost most = most_extra_ - schedule_.extra_cost();
  if (neighbourhood_.empty()) return false;
  const OpId near = nearest_first(slot);
  for (int i = 0; i < kDraws && tries > 0; ++i) {
    const Neighbourhood::Draw draw = neighbourhood_.draw(near, dice_);
    const StorageId storage = draw.storage;
    const std::size_t index = schedule_.events_before(storage, slot);
    if (schedule_.needed_from(storage, index) == 0) {
      neighbourhood_.was_not_there(draw);
      continue;
    }
    neighbourhood_.was_there(draw);
    --tries;
    const auto gain =
        static_cast<double>(std::min(over, graph_.storage(storage).bytes));
    const Cost cheaper = std::min(most, best_score * gain);
    if (!plan_eviction(storage, slot, cheaper, trial_)) continue;
    const double score = trial_.cost / gain;
    if (score > best_score) continue;
    best_score = score;
    best_storage = storage;
    std::swap(best_, trial_);
  }
  if (best_storage.value < 0) return false;
  return evict(best_storage, slot, best_);
}

bool Moves::make_fit(int rounds, int tries) {
  for (int i = 0; i < rounds && !schedule_.fits(); ++i) {
    if (schedule_.extra_cost() > most_extra_) return false;
    evict_at(schedule_.profile().slot_at_excess(dice_.unit()), tries);
  }
  return schedule_.fits();
}

bool Moves::evict_anywhere() {
  if (neighbourhood_.empty()) return false;
  const StorageId storage = neighbourhood_.any(dice_);
  const auto events = schedule_.events(storage);
  if (events.size() < 2) return false;
  const std::size_t index = 1 + dice_.below(events.size() - 1);
  if (events[index].needed == 0) return false;
  const RunId from = schedule_.next(events[index - 1].run);
  if (from == events[index].run) return false;
  const std::size_t slot = schedule_.slot(from);
  const Cost most = most_extra_ - schedule_.extra_cost();
  if (!plan_eviction(storage, slot, most, trial_)) return false;
  return evict(storage, slot, trial_);
}

void Moves::ruin(int count) {
  const RunId first = any_rerun();
  if (first == kNoRun) return;
  const std::size_t slot = schedule_.slot(first);
  remove(first);
  RunId right = schedule_.next_from(slot);
  for (int step = 0; step < 40 && count > 1 && right != kNoRun; ++step) {
    const RunId next = schedule_.next(right);
    if (!schedule_.is_first(right) && dice_.below(2) == 0) {
      remove(right);
      --count;
    }
    right = next;
    if (right != kNoRun && !schedule_.exists(right)) break;
  }
}

bool Moves::shift(RunId rerun) {
  const OpId op = schedule_.op(rerun);
  RunId target = kNoRun;
  const std::size_t kind = dice_.below(8);
  if (kind == 0) {
    target = beside_relative(op);
  } else if (kind < 7) {
    // A few steps to either side.
    target = rerun;
    const bool left = dice_.chance(kLeftwards);
    for (auto steps = 1 + dice_.below(8); steps > 0; --steps) {
      const RunId far =
          left ? schedule_.previous(target) : schedule_.next(target);
      if (far == kNoRun) break;
      target = far;
    }
  } else {
    // Next to another rerun.
    target = any_rerun();
  }
  if (target == rerun) return false;
  if (target == kNoRun || schedule_.before(target, RunId(op.value)) ||
      target == RunId(op.value)) {
    return false;
  }
  const std::size_t old = schedule_.slot(rerun);
  const Cost most = most_extra_ - schedule_.extra_cost() + graph_.op(op).cost;
  if (!plan_closure(op, target, StorageId(-1), 0, most, trial_)) return false;
  schedule_.remove(rerun);
  apply(trial_);
  for (TensorId input : graph_.inputs(op)) {
    if (!evictable_[input]) continue;
    const auto runs = schedule_.runs(*graph_.tensor(input).producer);
    std::size_t last = runs.size();
    while (last > 0 && schedule_.slot(runs[last - 1]) > old) --last;
    if (last >= 2) remove_if_useless(runs[last - 1]);
  }
  return schedule_.extra_cost() <= most_extra_;
}

// Between what it needs and what needs it; ops that run once keep their order
// among themselves.
bool Moves::reorder() {
  const OpId op(dice_.below(graph_.num_ops()));
  const RunId run(op.value);
  std::size_t begin = 0;
  std::size_t end = schedule_.profile().size();
  const auto after = [&](OpId other) {
    begin = std::max(begin, schedule_.slot(RunId(other.value)) + 1);
  };
  const auto before = [&](OpId other) {
    end = std::min(end, schedule_.slot(RunId(other.value)));
  };
  for (TensorId input : graph_.inputs(op)) {
    if (!graph_.is_input(input)) after(*graph_.tensor(input).producer);
  }
  for (TensorId output : graph_.outputs(op)) {
    for (OpId reader : graph_.readers(output)) before(reader);
  }
  if (!graph_.op(op).recomputable) {
    const auto here = std::lower_bound(once_.begin(), once_.end(), op);
    if (here != once_.begin()) after(*(here - 1));
    if (here + 1 != once_.end()) before(*(here + 1));
  }
  const auto runs = schedule_.runs(op);
  if (runs.size() > 1) end = std::min(end, schedule_.slot(runs[1]));
  if (dice_.below(2) == 0) {
    const std::size_t here = schedule_.slot(run);
    begin = std::max(begin, here - std::min(here, kNearbySlots));
    end = std::min(end, here + kNearbySlots);
  }
  const RunId next = schedule_.next_from(begin + dice_.below(end - begin + 1));
  if (next == run || next == schedule_.next(run)) return false;
  schedule_.move(run, next);
  return true;
}

}  // namespace rematch
