// SPDX-License-Identifier: Apache-2.0
// Any bytes as a graph document: what parses survives a round trip.
#include "rematch/io/graph_json.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rematch/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace rematch;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (DeclaredOrder order :
       {DeclaredOrder::kAsGiven, DeclaredOrder::kSorted}) {
    const auto graph = graph_from_json(text, order);
    if (!graph) {
      REMATCH_CHECK(!graph.error().message.empty(), "an error says something");
      continue;
    }
    const std::string written = graph_to_json(*graph);
    const auto again = graph_from_json(written);
    REMATCH_CHECK(again.ok(), "what is written is read: " + written);
    REMATCH_CHECK(*again == *graph, "the graph read is the graph written");
    REMATCH_CHECK(graph_to_json(*again) == written, "the text is canonical");
  }
  return 0;
}
