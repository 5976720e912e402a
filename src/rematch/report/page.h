// SPDX-License-Identifier: Apache-2.0
// The page: one HTML file that needs nothing else, opened by a double click.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rematch/base/result.h"
#include "rematch/report/report.h"

namespace rematch {

// A whole HTML document with its scripts, styles and data. It loads nothing,
// and its policy lets it load nothing. The same report gives the same bytes.
std::string report_page(const Report& report);

// Fails with kInvalidArgument if a file's name says that it holds something
// else than a page: "curve.csv".
Status check_page_name(std::string_view path);

// The page of at least one plan, with a quick look at cost against budget.
std::string plans_page(const Graph& graph, std::vector<MeasuredPlan> plans);

// The page of a whole curve: its points, and the plans of some of them. Fails
// with kInvalidArgument if no point has a plan, and as confirm() does if the
// curve is not one of this graph.
Result<std::string> frontier_page(const Graph& graph, const Frontier& frontier);

// JSON text as it may stand inside of a script element: what could end the
// element, or a line of a script, is escaped.
std::string json_in_html(std::string_view json);

}  // namespace rematch
