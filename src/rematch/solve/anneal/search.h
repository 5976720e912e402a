// SPDX-License-Identifier: Apache-2.0
// Decides what a chain does next: start afresh, cross two good sequences, go
// on, begin all over.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "rematch/solve/anneal/chain.h"
#include "rematch/solve/anneal/elites.h"
#include "rematch/solve/anneal/population.h"
#include "rematch/solve/program/solve_clock.h"
#include "rematch/solve/window/window_search.h"

namespace rematch {

// Whether good plans are found from nothing: it is a training graph, and the
// budget is well above the floor.
bool is_training_with_room(const Problem& problem);

// One chain and its populations, one after the other. Everything it does
// follows from the seed and from what it is told by others. Refers to problem
// and table.
class Search {
 public:
  // `first` is where to begin; later rounds that start afresh begin with
  // `fresh`.
  Search(const Problem& problem, const TouchTable& table, std::uint64_t seed,
         std::vector<OpId> first, std::vector<OpId> fresh,
         const Limits& limits);

  // Searches for `moves` moves, a little less if a round ends.
  void advance(std::int64_t moves);
  // Learns of a sequence that another search found.
  void offer(const Incumbent& found);

  const Incumbent& best() const { return best_; }
  // Moves since the best got better.
  std::int64_t idle_moves() const { return meter_.work() - work_at_best_; }
  const Meter& meter() const { return meter_; }

 private:
  // What suits training graphs and what suits random ones: which it is shows
  // after a round of each.
  enum class Style { kCalm, kWild };

  void begin_population();
  void begin_round();
  void begin_fresh_round();
  void begin_crossed_round();
  // The first stage and the one behind the last.
  std::pair<std::size_t, std::size_t> part_of(
      const std::vector<std::size_t>& differing);
  void end_round();
  // Makes the best of the population better by solving for parts of it as well
  // as possible, if it is time for that: where it differs from what the last
  // round has found, and in windows.
  void solve_parts();
  bool may_solve_parts() const;
  // Crosses the best with another one as well as possible, once. True if that
  // made it better.
  bool cross(const Incumbent& best, const Incumbent& other);
  // True if that made it better.
  bool solve_part(const std::function<bool(double)>& solve);
  Round round_of(Style style, bool fresh);
  double calm_heat(bool fresh) const;
  double next_slack();
  Style next_style();
  void take_over(const Incumbent& found);
  std::int64_t first_length() const;

  const Graph& graph_;
  bool is_training_with_room_;
  const std::atomic<bool>* interrupt_;
  Dice dice_;
  Chain chain_;
  Meter meter_;
  std::vector<OpId> first_;
  std::vector<OpId> fresh_;
  Population population_;
  Elites champions_;     // The best of populations that ended and of others.
  int populations_ = 0;  // That ended.
  Incumbent best_;
  std::int64_t work_at_best_ = 0;
  std::int64_t length_;  // Of a round, in moves.
  int rounds_ = 0;
  int idle_rounds_ = 0;  // Since the population got better or larger.
  bool in_round_ = false;
  Style style_ = Style::kCalm;
  Incumbent best_calm_;  // Without their sequences.
  Incumbent best_wild_;
  SolveClock clock_;
  double share_for_parts_;  // Of all work.
  WindowSearch windows_;
  std::int64_t work_in_parts_ = 0;
  std::set<std::pair<Cost, Cost>> crossed_;  // By what their reruns cost.
};

}  // namespace rematch
