// SPDX-License-Identifier: Apache-2.0
// A line of rounds that build on each other: its best results, and when there
// is little hope left that they get better.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rematch/solve/anneal/elites.h"

namespace rematch {

// Work is counted by the search that it belongs to, in moves.
class Population {
 public:
  // Begins without any result; ready for crossing once it has `capacity`.
  Population(std::size_t capacity, std::int64_t work);
  // Begins with the elites of others, at least two.
  Population(const Elites& others, std::int64_t work);

  // Takes in the result of a round, unless it costs much more than the best.
  // Whether it is better than all before.
  bool offer(const Incumbent& found, std::int64_t work);
  // Takes in a result of others.
  void join(const Incumbent& found) { elites_.offer(found); }
  // Has room for one more from now on, but not for more than `most`.
  void grow(std::size_t most);

  std::int64_t age(std::int64_t work) const { return work - born_; }
  const Elites& elites() const { return elites_; }
  // Whether its best has been so for half of its life and for `least` moves.
  bool is_stale(std::int64_t work, std::int64_t least) const;

 private:
  Elites elites_;
  std::int64_t born_;
  std::int64_t improved_;
};

}  // namespace rematch
