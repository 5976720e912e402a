// SPDX-License-Identifier: Apache-2.0
// The chain is the one of the Checkmate paper, edge by edge.
#include <vector>

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/synthetic.h"

namespace rematch {
namespace {

Graph chain(std::int64_t length,
            std::optional<Numbers> numbers = std::nullopt) {
  return synthetic_graph(
             {.length = length, .training = true, .numbers = numbers})
      .value();
}

std::vector<std::int32_t> ops_read_by(const Graph& graph, OpId op) {
  std::vector<std::int32_t> result;
  for (TensorId input : graph.inputs(op)) {
    result.push_back(graph.tensor(input).producer->value);
  }
  return result;
}

TEST(Chain, HasTheEdgesOfThePaper) {
  for (std::int32_t n : {1, 2, 3, 8, 50}) {
    const Graph graph = chain(n);
    ASSERT_EQ(graph.num_ops(), static_cast<std::size_t>(2 * n + 1));
    EXPECT_EQ(graph.num_tensors(), graph.num_ops());
    EXPECT_EQ(graph.num_edges(), static_cast<std::size_t>(3 * n));
    EXPECT_TRUE(graph.inputs(OpId(0)).empty());
    for (std::int32_t i = 1; i <= 2 * n; ++i) {
      std::vector<std::int32_t> expected = {i - 1};
      if (i > n) expected.push_back(2 * n - i);
      EXPECT_EQ(ops_read_by(graph, OpId(i)), expected) << "op " << i;
    }
  }
}

TEST(Chain, HasUnitNumbersAndKeepsNothing) {
  const Graph graph = chain(8);
  EXPECT_EQ(graph.fixed_bytes(), 0);
  EXPECT_EQ(graph.base_cost(), 17);
  for (TensorId id : graph.tensors()) {
    EXPECT_EQ(graph.tensor(id).bytes, 1);
    EXPECT_TRUE(graph.is_droppable(id));
  }
}

TEST(Chain, NamesItsOps) {
  const Graph graph = chain(2);
  const char* expected[] = {"f0", "f1", "loss", "f1.backward", "f0.backward"};
  for (OpId op : graph.ops()) {
    EXPECT_EQ(graph.op(op).name, expected[op.index()]);
  }
}

TEST(Chain, IsTheLongestThatFitsIntoTheOps) {
  for (std::int64_t ops : {3, 4, 17, 18}) {
    const auto training = synthetic_graph({.ops = ops, .training = true});
    ASSERT_TRUE(training.ok());
    EXPECT_EQ(training->num_ops(),
              static_cast<std::size_t>((ops - 1) / 2 * 2 + 1));
    const auto inference = synthetic_graph({.ops = ops});
    ASSERT_TRUE(inference.ok());
    EXPECT_EQ(inference->num_ops(), static_cast<std::size_t>(ops));
  }
}

TEST(Chain, OfRealisticNumbersHasTheSameEdges) {
  const Graph unit = chain(20);
  const Graph real = chain(20, Numbers::kRealistic);
  ASSERT_EQ(real.num_ops(), unit.num_ops());
  for (OpId op : unit.ops()) {
    EXPECT_EQ(ops_read_by(real, op), ops_read_by(unit, op));
    EXPECT_GT(real.op(op).cost, 2);
  }
}

TEST(Chain, OfRealisticNumbersHasGradientsAsLargeAsTheirTensors) {
  const std::int32_t n = 20;
  const Graph graph = chain(n, Numbers::kRealistic);
  for (std::int32_t i = 0; i < n; ++i) {
    EXPECT_EQ(graph.tensor(TensorId(i)).bytes,
              graph.tensor(TensorId(2 * n - 1 - i)).bytes);
  }
}

}  // namespace
}  // namespace rematch
