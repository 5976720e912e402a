// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/chain/forward_part.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "rematch/base/random.h"
#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

constexpr Phase kForward = Phase::kForward;

std::vector<int> values(const std::vector<OpId>& ops) {
  std::vector<int> result;
  for (OpId op : ops) result.push_back(op.value);
  return result;
}

TEST(ArticulationOps, AreAllOpsOfAChain) {
  const Graph graph = GraphBuilder()
                          .add_op("0", {}, 1, 1, kForward)
                          .add_op("1", {"0"}, 1, 1, kForward)
                          .add_op("2", {"1"}, 1, 1, kForward)
                          .build()
                          .value();
  EXPECT_EQ(values(articulation_ops(graph)), (std::vector<int>{0, 1, 2}));
}

TEST(ArticulationOps, SkipOverBranches) {
  // 0 -> {1, 2} -> 3 -> 4, as the test network of the Checkmate artifact.
  const Graph graph = GraphBuilder()
                          .add_op("0", {}, 1, 1, kForward)
                          .add_op("1", {"0"}, 1, 1, kForward)
                          .add_op("2", {"0"}, 1, 1, kForward)
                          .add_op("3", {"1", "2"}, 1, 1, kForward)
                          .add_op("4", {"3"}, 1, 1, kForward)
                          .add_op("b", {"4", "0"}, 1, 1, Phase::kBackward)
                          .build()
                          .value();
  EXPECT_EQ(values(articulation_ops(graph)), (std::vector<int>{0, 3, 4}));
}

TEST(ArticulationOps, AreNoneAcrossTwoSourcesOrTwoSinks) {
  const Graph graph = GraphBuilder()
                          .add_op("0", {}, 1, 1, kForward)
                          .add_op("1", {}, 1, 1, kForward)
                          .build()
                          .value();
  EXPECT_TRUE(articulation_ops(graph).empty());
}

// Every path from a source to a sink, without `avoided`, by depth-first search.
bool can_avoid(const Graph& graph, OpId avoided) {
  std::set<std::int32_t> reached;
  std::vector<OpId> open;
  for (OpId op : graph.ops()) {
    if (graph.inputs(op).empty() && op != avoided) open.push_back(op);
  }
  while (!open.empty()) {
    const OpId op = open.back();
    open.pop_back();
    if (!reached.insert(op.value).second) continue;
    const auto readers = graph.readers(graph.outputs(op)[0]);
    if (readers.empty()) return true;
    for (OpId reader : readers) {
      if (reader != avoided) open.push_back(reader);
    }
  }
  return false;
}

TEST(ArticulationOps, LieOnEveryPathOfRandomGraphs) {
  Random random(4);
  for (int i = 0; i < 500; ++i) {
    GraphBuilder builder;
    for (int k = 0; k < 8; ++k) {
      std::vector<std::string> inputs;
      for (int from = std::max(0, k - 3); from < k; ++from) {
        if (random.below(2) == 0) inputs.push_back(std::to_string(from));
      }
      builder.add_op(std::to_string(k), inputs, 1, 1, kForward);
    }
    const Graph graph = builder.build().value();
    const auto found = articulation_ops(graph);
    for (OpId op : graph.ops()) {
      const bool is_one =
          std::find(found.begin(), found.end(), op) != found.end();
      EXPECT_EQ(is_one, !can_avoid(graph, op)) << i << ' ' << op.value;
    }
  }
}

TEST(WhyNotChain, SaysWhichOpIsInTheWay) {
  const Graph skip = GraphBuilder()
                         .add_op("0", {}, 1, 1, kForward)
                         .add_op("1", {"0"}, 1, 1, kForward)
                         .add_op("2", {"0", "1"}, 1, 1, kForward)
                         .add_op("b", {"2"}, 1, 1, Phase::kBackward)
                         .build()
                         .value();
  EXPECT_EQ(why_not_chain(skip), "op '2' does not read op '1' alone");
  const Graph late = GraphBuilder()
                         .add_op("b", {}, 1, 1, Phase::kBackward)
                         .add_op("0", {}, 1, 1, kForward)
                         .build()
                         .value();
  EXPECT_EQ(why_not_chain(late),
            "op '0' comes after op 'b', which is not forward");
  const Graph forward =
      GraphBuilder().add_op("0", {}, 1, 1, kForward).build().value();
  EXPECT_EQ(why_not_chain(forward),
            "it has 1 forward ops and 0 others, and needs both");
}

}  // namespace
}  // namespace rematch
