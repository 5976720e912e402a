// SPDX-License-Identifier: Apache-2.0
// The changes that the annealer tries: rerun something with what it needs, hold
// something instead, put a rerun elsewhere.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "rematch/solve/anneal/dice.h"
#include "rematch/solve/anneal/neighbourhood.h"
#include "rematch/solve/anneal/schedule.h"

namespace rematch {

// What it takes to run some op again before a given run.
struct Closure {
  RunId next;             // Everything goes just before it.
  std::vector<OpId> ops;  // In the order in which they run.
  Cost cost = 0;
};

// Proposes and makes changes to one schedule. What is made is in the schedule's
// log; the caller keeps or undoes it. Refers to schedule and random numbers.
class Moves {
 public:
  Moves(Schedule& schedule, Dice& dice);

  // No change may bring the cost of the reruns above this; those that would
  // fail half done.
  void allow(Cost most_extra) { most_extra_ = most_extra; }

  // How often to hold inputs though that exceeds the budget, and the like: a
  // probability.
  void set_looseness(double looseness) { looseness_ = looseness; }

  // How often to make things again before they are needed: a probability.
  void set_earliness(double earliness) { earliness_ = earliness; }

  // Evicts something that is there at `slot` but not used there: of `tries`
  // storages drawn, the one with the least cost per byte that is needed.
  // False if none was found.
  bool evict_at(std::size_t slot, int tries);
  // Evicts things where the footprint is above the budget until it fits.
  // False if it does not after `rounds` evictions.
  bool make_fit(int rounds, int tries);
  // Evicts something anywhere.
  bool evict_anywhere();

  // Takes out a rerun and then every rerun that only served it.
  void remove(RunId rerun);
  // Takes out up to `count` reruns that are near each other.
  void ruin(int count);
  // Puts a rerun elsewhere: next to something that it has to do with.
  bool shift(RunId rerun);
  // Moves a first run within what dependencies allow; only with a free order.
  bool reorder();

  RunId any_rerun();

 private:
  // A tensor that an op reads and that can be made again.
  struct Need {
    TensorId tensor;
    StorageId storage;
    Bytes bytes = 0;  // Of the storage.
    TensorBits bit = 0;
    OpId producer;
  };

  void draw_tolerance();
  RunId beside_relative(OpId op);
  RunId place_between(OpId op, std::size_t slot, RunId reader);
  bool plan_eviction(StorageId storage, std::size_t slot, Cost most,
                     Closure& closure);
  bool plan_closure(OpId op, RunId next, StorageId gone, std::size_t slot,
                    Cost most, Closure& closure);
  bool evict(StorageId storage, std::size_t slot, Closure& closure);
  void apply(const Closure& closure);
  bool wants_rerun(const Need& need, std::size_t at, StorageId gone,
                   std::size_t slot) const;
  void remove_if_useless(RunId run);
  void remove_needless_before(OpId op, std::size_t slot);
  OpId nearest_first(std::size_t slot) const;
  TensorId tensor_of(StorageId storage, TensorBits bit) const;

  std::span<const Need> needs(OpId op) const {
    return std::span(needs_).subspan(
        need_starts_[op.index()],
        need_starts_[op.index() + 1] - need_starts_[op.index()]);
  }

  Schedule& schedule_;
  const Graph& graph_;
  const TouchTable& table_;
  Dice& dice_;
  Cost most_extra_ = std::numeric_limits<Cost>::infinity();
  double looseness_ = 0;
  double earliness_ = 0;
  IdVector<TensorId, bool> evictable_;  // Can be made again.
  std::vector<Need> needs_;             // By op.
  std::vector<std::size_t> need_starts_;
  Neighbourhood neighbourhood_;
  std::vector<OpId> once_;  // Ops that run once, in order.
  // Scratch.
  IdVector<OpId, std::uint32_t> chosen_;    // == stamp_: in the closure.
  IdVector<TensorId, std::uint32_t> seen_;  // == stamp_: was looked at.
  std::uint32_t stamp_ = 0;
  Bytes tolerance_ = 0;  // Negative: make everything again that is not there.
  Closure trial_;
  Closure best_;
};

}  // namespace rematch
