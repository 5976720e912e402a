// SPDX-License-Identifier: Apache-2.0
// Rows that say how many of some storages fit at a stage together.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "rematch/solve/split/split_program.h"

namespace rematch {

// For a stage that is over the budget by less than a solver can see, or that
// fits only in a relaxation.
//
// If more than `most` of `lives`, each in a storage of its own, are live at the
// first computation of op `stage`, then that does not fit.
struct MemoryCover {
  std::int32_t stage = 0;
  std::vector<LifeId> lives;
  std::size_t most = 0;

  friend bool operator==(const MemoryCover&, const MemoryCover&) = default;
};

// What a point of the program that has whole numbers has live at a stage, if
// that is over the budget, counted in bytes; without the small storages that
// are not needed for that.
std::optional<MemoryCover> memory_cover(const Problem& problem,
                                        const SplitProgram& program,
                                        std::span<const double> columns,
                                        std::int32_t stage);

// One that a point of the relaxation breaks, if one is found, by more than
// `least`: a few storages that do not fit together, and with them all that are
// as large as the largest of these, of which as few fit.
std::optional<MemoryCover> broken_cover(const Problem& problem,
                                        const SplitProgram& program,
                                        std::span<const double> columns,
                                        std::int32_t stage, double least);

// cover: no more of them are live there. Its coefficients are ones, so that it
// holds to the byte.
void add_cover_row(const SplitProgram& program, const MemoryCover& cover,
                   LinearModel& model);

}  // namespace rematch
