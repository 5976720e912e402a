// SPDX-License-Identifier: Apache-2.0
// A plan as a trace that Perfetto and Chrome's about:tracing show.
#pragma once

#include <string>

#include "rematch/report/report.h"

namespace rematch {

// Trace Event JSON: a slice per run, first runs and repeated ones on a track
// each, and a counter of the footprint. Costs that are times keep their length;
// of others, a unit is a microsecond.
std::string plan_to_trace(const Graph& graph, const MeasuredPlan& plan);

}  // namespace rematch
