// SPDX-License-Identifier: Apache-2.0
// Solutions in our own JSON format, "rematch.solution" (docs/formats.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rematch/base/result.h"
#include "rematch/graph/graph.h"
#include "rematch/io/graph_origin.h"
#include "rematch/plan/solution.h"

namespace rematch {

// The summary as one JSON object on one line, without a line end. Numbers that
// exist only with a plan are null without one, and so is what is not finite.
std::string summary_to_json(const Solution& solution);

// Writes a solution of `graph` with its plan, but without `seconds`: the same
// solution gives the same text. With `origin` it says which file the graph is
// in.
std::string solution_to_json(
    const Graph& graph, const Solution& solution,
    const std::optional<GraphOrigin>& origin = std::nullopt);

// Reads a solution for `graph`; `seconds` is 0. Fails with kParse, naming the
// field. The numbers are as claimed: only replay() can confirm them.
Result<Solution> solution_from_json(std::string_view text, const Graph& graph);

}  // namespace rematch
