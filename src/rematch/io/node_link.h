// SPDX-License-Identifier: Apache-2.0
// Graphs in node-link JSON, as networkx writes it (docs/formats.md).
#pragma once

#include <string_view>

#include "rematch/base/result.h"
#include "rematch/graph/graph.h"
#include "rematch/graph/graph_builder.h"
#include "rematch/io/json_value.h"

namespace rematch {

// Reads a graph with one op and one tensor per node: its cost from `cost_cpu`
// or `duration`, its bytes from `cost_ram` or `out_cost`, its phase from
// `backward`. Ops come in the order of `graph.order` where present, else of
// `nodes`. Fields that mean nothing to us are ignored. Fails with kParse or
// kInvalidGraph, naming the node or link. Linear in the size of the text.
Result<Graph> graph_from_node_link(
    std::string_view text, DeclaredOrder order = DeclaredOrder::kAsGiven);

// The same for text that is already parsed.
Result<Graph> graph_from_node_link_document(
    const JsonValue& document, DeclaredOrder order = DeclaredOrder::kAsGiven);

}  // namespace rematch
