// SPDX-License-Identifier: Apache-2.0
// The relaxation of the gap program on some of its stages.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rematch/base/limits.h"
#include "rematch/solve/gap/cover_flow.h"
#include "rematch/solve/gap/gap_program.h"
#include "rematch/solve/gap/tails.h"

namespace rematch {

// Solved for one set of stages after another. Refers to the program and the
// tails.
class Relaxation {
 public:
  // `evicted` is a guess, by gap, or empty.
  Relaxation(const GapProgram& program, const Tails& tails,
             std::vector<double> evicted = {})
      : program_(program),
        prices_(program, tails),
        multipliers_(program.need.size()),
        evicted_(std::move(evicted)) {}

  // `stages` ascending, each once.
  void solve(const std::vector<std::int32_t>& stages, Meter& meter);

  // By stage; zero for those that were left out.
  const std::vector<double>& multipliers() const { return multipliers_; }
  // By gap: the share that is evicted. The guess before the first solve.
  const std::vector<double>& evicted() const { return evicted_; }
  // By gap: the sum of the multipliers inside.
  std::vector<double> inside() const;
  // By stage: what is still above the budget; zero or less where it fits.
  std::vector<double> violations() const;
  const GapPrices& prices() const { return prices_; }

 private:
  void add_arcs(std::size_t gap, std::int32_t first, std::int32_t last,
                std::vector<CoverArc>& arcs) const;

  const GapProgram& program_;
  GapPrices prices_;
  std::vector<double> multipliers_;
  std::vector<double> evicted_;
};

// The stage that is most over the budget in each of `blocks` equal parts, where
// one is over it by more than `tolerance`; ascending.
std::vector<std::int32_t> worst_stages(const std::vector<double>& over,
                                       std::size_t blocks, double tolerance);

// Adds stages to an ascending list; false if all of them were there.
bool add_stages(const std::vector<std::int32_t>& more,
                std::vector<std::int32_t>& stages);

// Half a byte, or what sums of doubles cannot tell from it.
double stage_tolerance(Bytes budget);

}  // namespace rematch
