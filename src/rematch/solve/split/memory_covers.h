// SPDX-License-Identifier: Apache-2.0
// Rows for a stage that is over the budget by less than a solver can see.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "rematch/solve/split/split_program.h"

namespace rematch {

// If all of `lives`, each in a storage of its own, are live at the first
// computation of op `stage`, then that does not fit.
struct MemoryCover {
  std::int32_t stage = 0;
  std::vector<LifeId> lives;

  friend bool operator==(const MemoryCover&, const MemoryCover&) = default;
};

// What a point of the program that has whole numbers has live at a stage, if
// that is over the budget, counted in bytes; without the small storages that
// are not needed for that.
std::optional<MemoryCover> memory_cover(const Problem& problem,
                                        const SplitProgram& program,
                                        std::span<const double> columns,
                                        std::int32_t stage);

// cover: not all of them are live there. Its coefficients are ones, so that it
// holds to the byte.
void add_cover_row(const SplitProgram& program, const MemoryCover& cover,
                   LinearModel& model);

}  // namespace rematch
