// SPDX-License-Identifier: Apache-2.0
// One chain of the annealer: a schedule that changes at random, ever more
// reluctantly to become worse.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "rematch/base/limits.h"
#include "rematch/solve/anneal/moves.h"
#include "rematch/solve/anneal/schedule.h"

namespace rematch {

// A sequence and what it takes.
struct Incumbent {
  std::vector<OpId> sequence;
  Cost extra = std::numeric_limits<Cost>::infinity();  // Of the reruns.
  Bytes peak = std::numeric_limits<Bytes>::max();
  bool fits = false;

  // Cheaper, if both fit; with the lower peak, if neither does.
  bool better_than(const Incumbent& other) const;
};

// How to search for a while.
struct Round {
  std::int64_t moves = 0;
  double hot = 1;        // First temperature; 1 is the mean cost of an op.
  double cold = 1;       // Last temperature.
  double looseness = 0;  // Of the moves.
  double earliness = 0;  // Of the moves.
  // What lies above the budget has a price; it changes by these factors every
  // few moves.
  double price_rise = 1.1;        // While the schedule does not fit.
  double price_fall = 0.97;       // While it fits.
  bool price_starts_low = false;  // Else as in the round before.
  // A round may begin with more than the budget, by this share of it, and go
  // down to it.
  double slack = 0;
};

// Refers to problem and table.
class Chain {
 public:
  Chain(const Problem& problem, const TouchTable& table, std::uint64_t seed,
        std::span<const OpId> start);

  // Begins a round from a sequence; forgets the best so far.
  void begin(std::span<const OpId> sequence, const Round& round);
  // Evicts greedily until the schedule fits or nothing helps. False if the
  // meter, which counts evictions, says stop.
  bool descend(Meter& meter);
  // Up to `moves` moves of the round. False if the meter says stop.
  bool advance(std::int64_t moves, Meter& meter);
  bool round_is_over() const {
    return moves_in_round_ >= round_.moves || cannot_improve();
  }

  // The best since begin().
  const Incumbent& best();
  // Nothing is recomputed and it fits.
  bool cannot_improve() const { return best_.fits && best_.extra == 0; }

 private:
  void one_move();
  void try_change(double allowance);
  void change_what_fits();
  bool fits() const;
  bool is_new_best() const;
  void take_as_best();
  void save();
  void adapt();
  void ratchet();
  double energy() const;

  bool free_order_;
  Bytes budget_;
  Dice dice_;
  Schedule schedule_;
  Moves moves_;
  Round round_;
  std::int64_t moves_in_round_ = 0;
  std::int64_t moves_since_save_ = 0;
  double temperature_ = 0;
  double cooling_ = 1;  // Per move.
  Incumbent best_;      // Its sequence is of use only if best_is_saved_.
  bool best_is_saved_ = false;
  double price_ = 0;  // Of a unit of excess.
  double least_price_ = 0;
  double unit_ = 1;  // The mean cost of an op.
};

}  // namespace rematch
