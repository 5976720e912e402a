// SPDX-License-Identifier: Apache-2.0
// The runs of a plan as columns of a chart.
#pragma once

#include <cstddef>
#include <vector>

#include "rematch/report/report.h"

namespace rematch {

struct Columns {
  // Per run, in order.
  std::vector<Bytes> footprint;
  // What the keep-all plan needs at the same point of the work: while it
  // computes the op whose first run comes next.
  std::vector<Bytes> keep_all;
};

Columns columns_of(const Graph& graph, const MeasuredPlan& plan);

// The largest of each of `count` parts of the values, of which none is empty;
// the values themselves if there are not as many.
std::vector<Bytes> largest_of_parts(const std::vector<Bytes>& values,
                                    std::size_t count);

}  // namespace rematch
