// SPDX-License-Identifier: Apache-2.0
// The gap program: which storages must be evicted between two touches so that
// every first computation fits, and what that costs at least.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rematch/plan/problem.h"

namespace rematch {

// Between two consecutive touches of a storage. If the storage is dead while
// one of the ops first..last is computed for the first time, a rerun follows
// before the next touch, of which `cost` is this storage's share.
struct Gap {
  StorageId storage;
  std::int32_t first = 0;  // Covered stages, both included.
  std::int32_t last = 0;
  Bytes bytes = 0;  // Positive.
  Cost cost = 0;    // Zero or more.
  // The op that runs again and this storage's share of it, where there is only
  // one such op; cost is then share times its cost.
  std::optional<OpId> root;
  double share = 0;
};

// What brings a dead storage back.
struct StorageRoot {
  enum class Kind : std::uint8_t { kNone, kOne, kSeveral };
  Kind kind = Kind::kNone;
  OpId op;           // With kOne.
  double share = 0;  // With kOne: of the op's cost.
  Cost cost = 0;     // The least that it costs.
};

// minimise sum cost_g x_g subject to, for every stage t,
// sum over gaps g covering t of bytes_g x_g >= need_t, with 0 <= x <= 1.
// Its value is a lower bound on cost - base cost of any plan in the fixed order
// (docs/formulation.md says why).
struct GapProgram {
  std::vector<Gap> gaps;    // By storage, then time.
  std::vector<Bytes> need;  // By stage; what is above the budget if nothing is
                            // evicted. Zero or less: the stage fits anyway.
  IdVector<StorageId, StorageRoot> roots;
};

// Builds the program of a problem with fixed order in O(size of the graph).
GapProgram gap_program(const Problem& problem);

// The same for plans that hold some storages from their first touch to their
// last one: bounds from it say nothing about other plans.
GapProgram gap_program_holding(const Problem& problem,
                               const IdVector<StorageId, bool>& held);

}  // namespace rematch
