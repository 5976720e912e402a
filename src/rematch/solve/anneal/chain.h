// SPDX-License-Identifier: Apache-2.0
// One chain of the annealer: a schedule that changes at random, ever more
// reluctantly to become worse.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "rematch/base/limits.h"
#include "rematch/solve/anneal/moves.h"
#include "rematch/solve/anneal/schedule.h"

namespace rematch {

// The best sequence that a chain has seen: the cheapest that fits or, if none
// does, the one with the least peak.
struct Incumbent {
  std::vector<OpId> sequence;
  Cost extra = std::numeric_limits<Cost>::infinity();
  Bytes peak = std::numeric_limits<Bytes>::max();
  bool fits = false;

  bool better_than(const Incumbent& other) const;
};

// How to search for a while.
struct Round {
  std::int64_t moves = 0;
  double hot = 1;        // First temperature; 1 is the mean cost of an op.
  double cold = 1e-2;    // Last temperature.
  double looseness = 0;  // Of the moves.
  double earliness = 0;  // Of the moves.
};

// Refers to problem and table.
class Chain {
 public:
  Chain(const Problem& problem, const TouchTable& table, std::uint64_t seed,
        std::span<const OpId> start);

  // Forgets everything and goes on from another sequence.
  void restart(std::span<const OpId> sequence);
  // Evicts greedily until the schedule fits or nothing helps. False if the
  // meter, which counts evictions, says stop.
  bool descend(Meter& meter);
  // False if the meter says stop.
  bool anneal(const Round& round, Meter& meter);

  // Since the last restart.
  const Incumbent& best() const { return best_; }
  Dice& dice() { return dice_; }
  bool done() const { return best_.fits && best_.extra == 0; }

 private:
  void one_move(double temperature);
  void try_change(double allowance);
  void note();
  void adapt();
  double energy() const;

  const Problem& problem_;
  Dice dice_;
  Schedule schedule_;
  Moves moves_;
  Incumbent best_;
  double price_ = 0;  // Of a unit of excess.
  double least_price_ = 0;
  double unit_ = 1;   // What a typical rerun costs.
  std::int64_t moves_done_ = 0;
};

}  // namespace rematch
