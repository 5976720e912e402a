// SPDX-License-Identifier: Apache-2.0
// Looks at a document to see which format it is in.
#include "rematch/io/graph_file.h"

#include "rematch/io/file.h"
#include "rematch/io/graph_json.h"
#include "rematch/io/json_parse.h"
#include "rematch/io/json_reader.h"
#include "rematch/io/node_link.h"

namespace rematch {
namespace {

bool is_node_link(const JsonValue& document) {
  return document.find("nodes") != nullptr &&
         (document.find("links") != nullptr ||
          document.find("edges") != nullptr);
}

}  // namespace

Result<Graph> graph_from_text(std::string_view text, DeclaredOrder order) {
  const auto document = parse_json(text);
  if (!document) return document.error();
  if (document_kind(*document)) return graph_from_document(*document, order);
  if (is_node_link(*document)) {
    return graph_from_node_link_document(*document, order);
  }
  return Error{ErrorCode::kParse,
               "this is not a graph: expected an object with 'format': "
               "'rematch.graph', or node-link JSON with 'nodes' and 'links' "
               "or 'edges'"};
}

Result<Graph> load_graph(const std::string& path, DeclaredOrder order) {
  const auto text = read_text(path);
  if (!text) return text.error();
  auto graph = graph_from_text(*text, order);
  if (!graph) return in_file(path, graph.error());
  return graph;
}

}  // namespace rematch
