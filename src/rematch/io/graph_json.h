// SPDX-License-Identifier: Apache-2.0
// Graphs in our own JSON format, "rematch.graph" (docs/formats.md).
#pragma once

#include <string>
#include <string_view>

#include "rematch/base/result.h"
#include "rematch/graph/graph.h"
#include "rematch/graph/graph_builder.h"
#include "rematch/io/json_value.h"

namespace rematch {

// Reads a graph. Fails with kParse, naming the line or the field, if the text
// is not a graph document of a known version; with kInvalidGraph if the graph
// breaks a rule of the model. Linear in the size of the text.
Result<Graph> graph_from_json(std::string_view text,
                              DeclaredOrder order = DeclaredOrder::kAsGiven);

// The same for text that is already parsed.
Result<Graph> graph_from_document(
    const JsonValue& document, DeclaredOrder order = DeclaredOrder::kAsGiven);

// Writes a graph, an op per line, so that reading it gives an equal graph. The
// same graph gives the same text. In names, bytes that are not UTF-8 become
// U+FFFD.
std::string graph_to_json(const Graph& graph);

}  // namespace rematch
