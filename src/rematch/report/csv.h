// SPDX-License-Identifier: Apache-2.0
// The steps of a plan with their footprints, as CSV.
#pragma once

#include <string>

#include "rematch/report/report.h"

namespace rematch {

// A line of names and a line per step: step, action (compute or drop), name,
// then for compute steps phase, which run of the op it is (from 1) and cost,
// and the footprint in bytes.
std::string plan_to_csv(const Graph& graph, const MeasuredPlan& plan);

}  // namespace rematch
