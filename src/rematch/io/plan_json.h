// SPDX-License-Identifier: Apache-2.0
// Plans in our own JSON format, "rematch.plan" (docs/formats.md).
#pragma once

#include <string>
#include <string_view>

#include "rematch/base/result.h"
#include "rematch/graph/graph.h"
#include "rematch/io/json_value.h"
#include "rematch/plan/plan.h"

namespace rematch {

// Reads a plan for `graph`, or the plan of a solution document. Fails with
// kParse, naming the step (counted from 0), on a name that the graph does not
// have. Whether the plan makes sense is for replay() to say.
Result<Plan> plan_from_json(std::string_view text, const Graph& graph);

// The same for a plan document that is already parsed. `field` names it in
// errors where it is part of another document.
Result<Plan> plan_from_document(const JsonValue& document, const Graph& graph,
                                std::string_view field = {});

// Writes a plan of `graph`, a step per line. The same plan gives the same text.
std::string plan_to_json(const Graph& graph, const Plan& plan);

}  // namespace rematch
