// SPDX-License-Identifier: Apache-2.0
// Covers demands on a line by intervals at least cost: the relaxation of the
// gap program on a few rows, solved as a min-cost flow.
#pragma once

#include <cstdint>
#include <vector>

#include "rematch/base/limits.h"

namespace rematch {

// Covers the rows first..last with up to `capacity`, at `price` per unit.
struct CoverArc {
  std::int32_t first = 0;
  std::int32_t last = 0;
  double capacity = 0;
  double price = 0;
  bool is_likely = true;  // A guess that it is used saves time if it is right.
};

struct CoverResult {
  std::vector<double> multipliers;  // Per row, >= 0: the price of one unit.
  std::vector<double> flow;         // Per arc, in [0, capacity].
  bool optimal = false;             // False: stopped early, still usable.
};

// minimise sum price_a f_a with, for every row r, the sum of f_a over arcs
// covering r >= need_r, 0 <= f <= capacity. Taking every arc in full must cover
// every row. Differences of neighbouring rows make it a flow: nodes between the
// rows, an arc per interval, and arcs back for what is covered in excess; a
// primal network simplex starts with every likely interval in full, and with
// all that cover a row which those do not. Each node that a pivot passes is one
// unit of work.
CoverResult solve_cover(const std::vector<double>& need,
                        const std::vector<CoverArc>& arcs, Meter& meter);

}  // namespace rematch
