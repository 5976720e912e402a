// SPDX-License-Identifier: Apache-2.0
// A peak below which no plan exists, whatever it recomputes.
#pragma once

#include "rematch/base/bytes.h"
#include "rematch/plan/problem.h"

namespace rematch {

struct PeakFloor {
  Bytes bytes = 0;
  OpId op;  // The op at whose computation it is reached.
};

// The largest, over all ops, of what must be live while the op runs:
// - the fixed bytes, its inputs, its outputs and its workspace;
// - with a fixed order also every graph output computed before it, and every
//   output of a non-recomputable op before it that an op after it reads;
// - at the end, every graph output.
// Storages are counted once. Linear in the size of the graph.
PeakFloor peak_floor(const Graph& graph, OrderRule order);

}  // namespace rematch
