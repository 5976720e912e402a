// SPDX-License-Identifier: Apache-2.0
// A few good and different sequences.
#pragma once

#include <cstddef>
#include <vector>

#include "rematch/solve/anneal/chain.h"

namespace rematch {

// At most `capacity` incumbents, best first, no two of the same cost.
class Elites {
 public:
  explicit Elites(std::size_t capacity) : capacity_(capacity) {}

  // Takes it in if it is better than the worst and not one of them.
  bool offer(const Incumbent& found);

  std::size_t capacity() const { return capacity_; }
  // Never less than before.
  void set_capacity(std::size_t capacity) { capacity_ = capacity; }

  std::size_t size() const { return items_.size(); }
  bool full() const { return items_.size() == capacity_; }
  const Incumbent& operator[](std::size_t rank) const { return items_[rank]; }
  const Incumbent& best() const { return items_.front(); }

 private:
  std::size_t capacity_;
  std::vector<Incumbent> items_;
};

}  // namespace rematch
