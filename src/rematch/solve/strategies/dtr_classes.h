// SPDX-License-Identifier: Apache-2.0
// The evicted neighbourhoods of DTR, approximated by equivalence classes.
#pragma once

#include <cstdint>
#include <vector>

#include "rematch/graph/graph.h"

namespace rematch {

// Evicted ops that touch each other form a class whose cost is known. An op
// that is recomputed takes its cost out of the class; the class is not split,
// as in the paper's prototype. Refers to the graph.
class EvictedClasses {
 public:
  explicit EvictedClasses(const Graph& graph);

  // An output of `op` was dropped; joins the classes around it.
  void enter(OpId op);
  // `op` was computed again.
  void leave(OpId op);

  // Begins a sum in which each class counts once.
  void start_sum() { ++stamp_; }
  // The cost of the classes around a live tensor not yet in this sum.
  Cost neighbours(TensorId tensor);

 private:
  std::int32_t find(std::int32_t node);
  void join(std::int32_t a, std::int32_t b);
  template <class Visit>
  void for_each_evicted_neighbour(OpId op, const Visit& visit);

  const Graph& graph_;
  IdVector<OpId, bool> evicted_;
  IdVector<OpId, std::int32_t> node_;  // Of the op in the forest.
  std::vector<std::int32_t> parent_;
  std::vector<Cost> cost_;             // At the roots.
  std::vector<std::int64_t> counted_;  // Stamp of the last sum, at the roots.
  std::int64_t stamp_ = 0;
};

}  // namespace rematch
