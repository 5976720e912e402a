// SPDX-License-Identifier: Apache-2.0
// Any bytes as a plan document for a small graph: what parses survives a round
// trip, and replay has an answer to it.
#include "rematch/io/plan_json.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rematch/base/check.h"
#include "rematch/graph/graph_builder.h"
#include "rematch/plan/replay.h"

namespace rematch {
namespace {

// A chain a -> b -> c with a weight, a view and an op that runs once.
Graph small_graph() {
  OpSpec b;
  b.op.name = "b";
  b.op.cost = 2;
  b.op.recomputable = false;
  b.inputs = {"a", "w"};
  b.outputs = {{.name = "b", .bytes = 4, .storage_of = {}},
               {.name = "view", .bytes = 2, .storage_of = "a"}};
  return *GraphBuilder()
              .name("small")
              .add_input({.name = "w", .bytes = 8, .storage_of = {}})
              .add_op("a", {"w"}, 16, 1)
              .add_op(b)
              .add_op("c", {"b", "view"}, 1, 3)
              .build();
}

void check(const Graph& graph, const Plan& plan) {
  for (OrderRule order : {OrderRule::kFixed, OrderRule::kFree}) {
    const auto done = replay(graph, plan, order);
    REMATCH_CHECK(!done || done->peak >= graph.fixed_bytes(),
                  "a peak covers the fixed bytes");
  }
}

}  // namespace
}  // namespace rematch

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace rematch;
  static const Graph kGraph = small_graph();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto plan = plan_from_json(text, kGraph);
  if (!plan) {
    REMATCH_CHECK(!plan.error().message.empty(), "an error says something");
    return 0;
  }
  const auto again = plan_from_json(plan_to_json(kGraph, *plan), kGraph);
  REMATCH_CHECK(again.ok(), "what is written is read");
  REMATCH_CHECK(*again == *plan, "the plan read is the plan written");
  check(kGraph, *plan);
  return 0;
}
