// SPDX-License-Identifier: Apache-2.0
// How far single lives are split before a search over integers.
#pragma once

#include <optional>

#include "rematch/solve/split/split_round.h"

namespace rematch {

// For programs with so many columns that a search over integers takes long.
class LifeSplitting {
 public:
  // Called with a round after its relaxation. Splits single lives as long as
  // that raises the bound by a share of the gap between bound and incumbent,
  // which may be infinite; where it does not, goes back to the last program
  // that did, which is smaller. Both change the round's detail, which is to be
  // relaxed next: true. False once the program at hand is the one to search.
  // `effort` is how much was done so far, in any unit.
  bool goes_on(SplitRound& round, Cost gap, double effort);

  // The last one had nothing left to split.
  bool is_split_up() const { return is_split_up_; }

 private:
  // The last detail that raised the bound, while there are finer ones.
  std::optional<SplitDetail> coarse_;
  Cost coarse_value_ = 0;
  double coarse_effort_ = 0;
  int idle_ = 0;          // Finer ones in a row that did not.
  bool is_back_ = false;  // From finer ones.
  bool is_split_up_ = false;
};

}  // namespace rematch
