// SPDX-License-Identifier: Apache-2.0
// A sequence of ops with repeats that changes one run at a time and always
// knows its cost and its footprint at every run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rematch/plan/problem.h"
#include "rematch/solve/anneal/load_profile.h"
#include "rematch/solve/anneal/touch_table.h"

namespace rematch {

// One run of an op. The first run of an op has the op's number; reruns have
// larger ones, which are used again after a run is gone.
using RunId = Id<struct RunTag>;

inline constexpr RunId kNoRun{-1};

// A run that touches a storage. Between two consecutive touches a storage is
// there or not: it is if some tensor of it is needed next rather than made.
struct Event {
  RunId run;
  std::int32_t touch = 0;  // In the touch table.
  TensorBits needed = 0;   // Of the copies that exist just before the run.
};

// The footprints are those of replay() on plan_from_sequence(), as long as
// every first run comes after the first runs that it needs and before every
// rerun of its op; who moves first runs sees to that. Refers to graph and
// table.
//
// A change costs a few range additions to a LoadProfile.
class Schedule {
 public:
  // The sequence must contain every op.
  Schedule(const Graph& graph, const TouchTable& table, Bytes budget,
           std::span<const OpId> sequence);

  const Graph& graph() const { return graph_; }
  const TouchTable& table() const { return table_; }

  // What the sequence costs and takes.
  Cost extra_cost() const { return extra_; }  // Of the reruns.
  Bytes peak() const;
  std::int64_t excess() const { return profile_.excess(); }
  bool fits() const { return profile_.excess() == 0; }
  Bytes budget() const { return profile_.limit(); }
  void set_budget(Bytes budget) { profile_.set_limit(budget); }
  const LoadProfile& profile() const { return profile_; }
  std::vector<OpId> sequence() const;

  // Changes. All but assign() can be undone. `next` may be kNoRun: the end.
  RunId insert(OpId op, RunId next);
  void remove(RunId rerun);
  void move(RunId run, RunId next);
  void assign(std::span<const OpId> sequence);
  std::size_t mark() const { return log_.size(); }
  void undo_to(std::size_t mark);
  void commit();  // What was done so far can no longer be undone.

  // Where things are. Slots are in the order of the runs, with holes, and
  // change with every insertion.
  static bool is_first(const Graph& graph, RunId run) {
    return run.index() < graph.num_ops();
  }
  bool is_first(RunId run) const { return is_first(graph_, run); }
  OpId op(RunId run) const { return op_[run]; }
  std::size_t slot(RunId run) const { return slot_[run]; }
  bool before(RunId a, RunId b) const { return slot_[a] < slot_[b]; }
  bool exists(RunId run) const {
    return run.index() < slot_.size() && slot_[run] != kNowhere;
  }
  RunId run_at(std::size_t slot) const { return at_[slot]; }
  // The neighbours in the sequence; kNoRun beyond its ends.
  RunId next(RunId run) const;
  RunId previous(RunId run) const;
  // The first run at a slot or after it.
  RunId next_from(std::size_t slot) const;
  std::span<const RunId> reruns() const { return reruns_; }
  // All runs of an op, in order.
  std::span<const RunId> runs(OpId op) const { return runs_[op]; }
  std::size_t num_runs() const { return graph_.num_ops() + reruns_.size(); }

  std::span<const Event> events(StorageId storage) const {
    return events_[storage];
  }
  // The number of events of a storage at slots before `slot`.
  std::size_t events_before(StorageId storage, std::size_t slot) const;
  // What is needed of a storage after its event number `index` - 1.
  TensorBits needed_from(StorageId storage, std::size_t index) const {
    const auto& events = events_[storage];
    return index < events.size() ? events[index].needed : table_.kept(storage);
  }
  // Nothing that a rerun makes is read: it can go without any other change.
  bool is_useless(RunId rerun) const;

 private:
  static constexpr std::size_t kNowhere = SIZE_MAX;

  enum class Change : std::uint8_t { kInserted, kRemoved, kMoved };
  struct Entry {
    Change change;
    RunId run;
    RunId next;  // Where it was before, unless inserted.
  };
  struct Item {
    RunId run;
    Bytes load;    // At the run.
    Bytes before;  // In the holes before it.
  };

  void rebuild(std::span<const OpId> sequence);
  std::size_t make_hole(RunId next);
  std::size_t shift_hole(std::size_t at);
  std::vector<Item> items_in(std::size_t begin, std::size_t end) const;
  void spread(std::span<const Item> items, Bytes tail, std::size_t begin,
              std::size_t end);
  void make_room(std::size_t at);
  Bytes load_beside(RunId run, bool after) const;
  void put(RunId run, RunId next);
  void take_out(RunId run);
  void propagate(StorageId storage, std::size_t count, TensorBits needed);
  TensorBits made(RunId run, const Touch& touch) const {
    return is_first(run) ? touch.first_run : touch.rerun;
  }
  void add_rerun(RunId run);
  void drop_rerun(RunId run);
  RunId new_run(OpId op);

  const Graph& graph_;
  const TouchTable& table_;
  Bytes most_;  // No footprint exceeds it.
  Cost extra_ = 0;
  LoadProfile profile_;
  std::vector<RunId> at_;  // By slot; kNoRun where empty.
  IdVector<RunId, std::size_t> slot_;
  IdVector<RunId, OpId> op_;
  IdVector<RunId, std::size_t> place_;  // In reruns_.
  std::vector<RunId> reruns_;
  std::vector<RunId> free_;
  IdVector<OpId, std::vector<RunId>> runs_;
  IdVector<StorageId, std::vector<Event>> events_;
  std::vector<Entry> log_;
};

}  // namespace rematch
