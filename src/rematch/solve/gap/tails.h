// SPDX-License-Identifier: Apache-2.0
// What a rerun needs besides its own cost: inputs whose life is over have to be
// held on, or run again themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "rematch/solve/gap/concave.h"
#include "rematch/solve/gap/gap_program.h"

namespace rematch {

// Prices of evicting gaps, given the multipliers inside (docs/formulation.md,
// "Tails"). An input is shared by the ops that may need it in a rerun; the
// shares decide how tight the prices are, and any shares are valid. Refers to
// the graph and the program. Not thread-safe.
class Tails {
 public:
  Tails(const Graph& graph, const GapProgram& program);

  // The least that evicting the gap costs, as a function of the sum of the
  // multipliers inside it; at most bytes times that sum.
  Concave price(const Gap& gap) const;

  // Moves the shares of each input towards the ops whose outputs are evicted
  // while the input's life is over: `step` in [0, 1] of the way.
  void move_shares(const std::vector<double>& evicted,
                   const std::vector<double>& inside, double step);

 private:
  // Both in what stands for the depth in levels_.
  Concave& storage_price(StorageId storage, std::int32_t stage,
                         int depth) const;
  Concave& rerun_price(OpId op, std::int32_t stage, int depth) const;
  void weigh(OpId op, std::int32_t stage, double inside, double weight,
             int depth);
  std::size_t first_edge(OpId op) const { return edges_[op]; }
  // The storage of an input if its life is over by `stage` and it can matter.
  bool is_over(StorageId storage, std::int32_t stage) const;

  const Graph& graph_;
  const GapProgram& program_;
  IdVector<StorageId, std::int32_t> last_touch_;
  IdVector<StorageId, bool> pinned_;     // Never dropped.
  IdVector<OpId, std::size_t> edges_;    // Of the op's first input in shares_.
  std::vector<double> shares_;           // By op and input.
  std::vector<double> weights_;          // Scratch, by op and input.
  mutable int visits_left_ = 0;          // Of inputs, in the current price.
  mutable std::vector<Concave> levels_;  // By depth, in the current price.
};

// The prices of a program's gaps, each found once. Refers to the program, which
// may be a part of that of the tails, and to the tails; neither changes while
// it is in use. Not thread-safe.
class GapPrices {
 public:
  GapPrices(const GapProgram& program, const Tails& tails)
      : program_(program), tails_(tails), known_(program.gaps.size()) {}

  const Concave& of(std::size_t gap) const {
    if (!known_[gap]) known_[gap] = tails_.price(program_.gaps[gap]);
    return *known_[gap];
  }

 private:
  const GapProgram& program_;
  const Tails& tails_;
  mutable std::vector<std::optional<Concave>> known_;  // By gap.
};

}  // namespace rematch
