// SPDX-License-Identifier: Apache-2.0
// Graphs in any format that we read, told apart by content.
#pragma once

#include <string>
#include <string_view>

#include "rematch/base/result.h"
#include "rematch/graph/graph.h"
#include "rematch/graph/graph_builder.h"

namespace rematch {

// Reads a graph in our own format or in node-link JSON. Fails with kParse or
// kInvalidGraph; a plan or a solution is refused by name.
Result<Graph> graph_from_text(std::string_view text,
                              DeclaredOrder order = DeclaredOrder::kAsGiven);

// Reads such a graph from a file ("-": standard input). Errors name the file.
Result<Graph> load_graph(const std::string& path,
                         DeclaredOrder order = DeclaredOrder::kAsGiven);

}  // namespace rematch
