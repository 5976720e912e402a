// SPDX-License-Identifier: Apache-2.0
// Any bytes as a node-link document, or as either graph format: what parses
// survives a round trip through our own format.
#include "rematch/io/node_link.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rematch/base/check.h"
#include "rematch/io/graph_file.h"
#include "rematch/io/graph_json.h"

namespace rematch {
namespace {

void check(const Result<Graph>& graph) {
  if (!graph) {
    REMATCH_CHECK(!graph.error().message.empty(), "an error says something");
    return;
  }
  const auto again = graph_from_json(graph_to_json(*graph));
  REMATCH_CHECK(again.ok(), "what is written is read");
  REMATCH_CHECK(*again == *graph, "the graph read is the graph written");
}

}  // namespace
}  // namespace rematch

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace rematch;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (DeclaredOrder order :
       {DeclaredOrder::kAsGiven, DeclaredOrder::kSorted}) {
    check(graph_from_node_link(text, order));
    check(graph_from_text(text, order));
  }
  return 0;
}
