// SPDX-License-Identifier: Apache-2.0
// Guesses which storages are in memory around an op, so that few draws miss.
#pragma once

#include <cstdint>
#include <vector>

#include "rematch/graph/graph.h"
#include "rematch/solve/anneal/dice.h"

namespace rematch {

// A list of storages for each region of the graph's order: at first those that
// live there if everything is kept. Who draws one that is not in memory there
// says so, and who finds one elsewhere adds it.
class Neighbourhood {
 public:
  Neighbourhood(const Graph& graph, std::vector<StorageId> storages);

  bool empty() const { return storages_.empty(); }
  StorageId any(Dice& dice) const {
    return storages_[dice.below(storages_.size())];
  }

  struct Draw {
    StorageId storage;
    std::size_t region = 0;
    std::size_t place = 0;  // In the region's list; past its end: not from it.
  };
  // Draws a storage that may be in memory near the first run of `op`.
  Draw draw(OpId op, Dice& dice) const;
  void was_there(const Draw& draw);
  void was_not_there(const Draw& draw);

 private:
  std::size_t ops_per_region_ = 1;
  std::vector<StorageId> storages_;
  std::vector<std::vector<StorageId>> lists_;  // By region.
  std::vector<std::vector<bool>> listed_;      // By region and storage.
};

}  // namespace rematch
