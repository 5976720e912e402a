// SPDX-License-Identifier: Apache-2.0
// The memory curve of a plan as a picture.
#pragma once

#include <string>

#include "rematch/report/report.h"

namespace rematch {

// An SVG document of the footprints of the plan's runs, with the line of
// keeping everything at the same point of the work, the budget and the peak. At
// most a point per pixel, so that it stays small.
std::string plan_to_svg(const Graph& graph, const MeasuredPlan& plan);

}  // namespace rematch
