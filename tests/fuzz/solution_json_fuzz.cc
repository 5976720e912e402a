// SPDX-License-Identifier: Apache-2.0
// Any bytes as a solution document for a small graph: what parses survives a
// round trip.
#include "rematch/io/solution_json.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rematch/base/check.h"
#include "rematch/graph/graph_builder.h"
#include "rematch/io/plan_json.h"

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
  const std::string written = solution_to_json(kGraph, *solution);
  const auto again = solution_from_json(written, kGraph);
  REMATCH_CHECK(again.ok(), "what is written is read: " + written);
  REMATCH_CHECK(*again == *solution, "the solution read is the one written");
  const auto plan = plan_from_json(written, kGraph);
  REMATCH_CHECK(plan.ok() == solution->has_plan(), "the plan is read from it");
  return 0;
}
