// SPDX-License-Identifier: Apache-2.0
// Any bytes as a solution document for a small graph: what parses survives a
// round trip, with and without the file of its graph.
#include "rematch/io/solution_json.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rematch/base/check.h"
#include "rematch/graph/graph_builder.h"
#include "rematch/io/graph_origin.h"
#include "rematch/io/plan_json.h"

namespace rematch {
namespace {

void check_graph_file(std::string_view text, const Graph& graph,
                      const Solution& solution) {
  const auto origin = origin_from_json(text);
  REMATCH_CHECK(origin.ok(), "where the solution is read, its origin is");
  if (!*origin) return;
  REMATCH_CHECK(path_of(**origin, "plan.json") != "-",
                "no file names standard input");
  const auto same = check_origin(**origin, graph);
  REMATCH_CHECK(same.ok() || !same.error().message.empty(),
                "an error says something");
  const std::string written = solution_to_json(graph, solution, *origin);
  const auto again = origin_from_json(written);
  REMATCH_CHECK(again.ok(), "what is written is read: " + written);
  REMATCH_CHECK(*again == *origin, "the origin read is the one written");
}

}  // namespace
}  // namespace rematch

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace rematch;
  static const Graph kGraph =
      *GraphBuilder().add_op("a", {}, 16).add_op("b", {"a"}, 4).build();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto solution = solution_from_json(text, kGraph);
  if (!solution) {
    REMATCH_CHECK(!solution.error().message.empty(), "an error says something");
    return 0;
  }
  REMATCH_CHECK(!summary_to_json(*solution).empty(), "there is a summary");
  check_graph_file(text, kGraph, *solution);
  const std::string written = solution_to_json(kGraph, *solution);
  const auto again = solution_from_json(written, kGraph);
  REMATCH_CHECK(again.ok(), "what is written is read: " + written);
  REMATCH_CHECK(*again == *solution, "the solution read is the one written");
  const auto plan = plan_from_json(written, kGraph);
  REMATCH_CHECK(plan.ok() == solution->has_plan(), "the plan is read from it");
  return 0;
}
