// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/crossover.h"

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/synthetic.h"

namespace rematch {
namespace {

std::vector<OpId> ops(std::initializer_list<int> numbers) {
  std::vector<OpId> result;
  for (int number : numbers) result.push_back(OpId(number));
  return result;
}

Graph four_ops() {
  return synthetic_graph({.family = Family::kChain, .length = 4}).value();
}

TEST(Crossover, TakesRerunsFromTheOtherInsideTheWindow) {
  const Graph graph = four_ops();
  ASSERT_EQ(graph.num_ops(), 4u);
  const auto a = ops({0, 1, 0, 2, 1, 3});
  const auto b = ops({0, 1, 1, 2, 0, 2, 3});
  EXPECT_EQ(crossover(graph, a, b, 0, 0), a);
  EXPECT_EQ(crossover(graph, a, b, 0, 4), b);
  EXPECT_EQ(crossover(graph, a, b, 3, 4), ops({0, 1, 0, 2, 0, 2, 3}));
}

TEST(Crossover, LeavesOutWhatCannotRunYet) {
  const Graph graph = four_ops();
  const auto a = ops({0, 2, 1, 3});
  const auto b = ops({0, 1, 1, 2, 3});
  EXPECT_EQ(crossover(graph, a, b, 0, 4), ops({0, 2, 1, 3}));
}

TEST(DifferingStages, AreThoseWithOtherReruns) {
  const Graph graph = four_ops();
  const auto a = ops({0, 1, 0, 2, 1, 3});
  EXPECT_EQ(differing_stages(graph, a, ops({0, 1, 1, 2, 1, 3})),
            std::vector<std::size_t>{2});
  EXPECT_EQ(differing_stages(graph, a, ops({0, 1, 1, 2, 3})),
            (std::vector<std::size_t>{2, 3}));
  EXPECT_TRUE(differing_stages(graph, a, a).empty());
}

TEST(DifferingStages, CountInTheFirstSequence) {
  const Graph graph = four_ops();
  EXPECT_EQ(differing_stages(graph, ops({0, 2, 0, 1, 3}), ops({0, 1, 2, 3})),
            std::vector<std::size_t>{2});
}

}  // namespace
}  // namespace rematch
