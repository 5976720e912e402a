// SPDX-License-Identifier: Apache-2.0
// What the exact program needs to know of each tensor: when it is live for
// certain, what brings it back, and until when it can be of use.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "rematch/plan/problem.h"

namespace rematch {

using LifeId = Id<struct LifeTag>;

// Of one tensor. Stage t ends with the first computation of op t.
struct Life {
  TensorId tensor;
  StorageId storage;
  // Stages whose op reads or writes the tensor, ascending; the first is that of
  // its producer.
  std::vector<std::int32_t> touches;
  // A graph output: never dropped.
  bool pinned = false;
  // The producer, if it may run again. Without it the tensor is not dropped
  // before its last touch.
  std::optional<OpId> root;
  // A rerun that reads it is of no use at this stage or later; -1: never.
  std::int32_t last_use = -1;
  // The last stage at which it can be of use that it is live.
  std::int32_t horizon = 0;

  std::int32_t birth() const { return touches.front(); }
  std::int32_t last_touch() const { return touches.back(); }
  bool is_touched_at(std::int32_t stage) const;
  // The first touch after the stage; none if there is none.
  std::optional<std::int32_t> next_touch(std::int32_t stage) const;
  // Live whatever the plan is, at a stage from birth to horizon.
  bool is_certain_at(std::int32_t stage) const;
};

// The lives of all tensors that take memory of their own or with others: not
// those in storages that are resident or empty, which may stay for nothing.
struct Lives {
  IdVector<LifeId, Life> all;
  IdVector<TensorId, std::optional<LifeId>> of;
  IdVector<OpId, std::vector<LifeId>> read_by;        // Distinct, ascending.
  IdVector<OpId, std::vector<LifeId>> written_by;     // Ascending.
  IdVector<StorageId, std::vector<LifeId>> lives_in;  // Ascending.
};

// `spare` is what a plan of interest may spend on reruns that the gap program
// does not charge for: those outside of the gaps, between touches, of all
// storages that they restore. A plan that spends more is not of interest. It
// limits the horizons. O(size of the graph * log) but for the Pareto lists of
// the horizons, which are short.
Lives find_lives(const Graph& graph,
                 Cost spare = std::numeric_limits<Cost>::infinity());

// Distinct storages of the lives that an op reads or writes, ascending.
std::vector<StorageId> storages_of(const Lives& lives, OpId op);

}  // namespace rematch
