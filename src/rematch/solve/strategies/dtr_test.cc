// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/dtr.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/solve.h"
#include "rematch/solve/strategies/dtr_classes.h"

namespace rematch {
namespace {

Solution within(const Graph& graph, Bytes budget) {
  return solve({graph, budget, OrderRule::kFixed}, *find_strategy("dtr"), {});
}

TEST(Dtr, RecomputesNothingWithEnoughMemory) {
  const Graph graph =
      synthetic_graph({.family = Family::kUnet, .length = 4, .training = true})
          .value();
  const Solution found = within(graph, keep_all_peak(graph));
  EXPECT_EQ(found.outcome, Outcome::kOptimal);
  EXPECT_EQ(found.cost, graph.base_cost());
}

// Two tensors could go; the one that is cheap for its size does.
TEST(Dtr, EvictsWhatIsCheapForItsSize) {
  const Graph graph = GraphBuilder()
                          .add_op("dear", {}, 10, 1000)
                          .add_op("cheap", {}, 10, 1)
                          .add_op("large", {}, 15, 1)
                          .add_op("end", {"dear", "cheap"}, 1, 1)
                          .build()
                          .value();
  const Solution found = within(graph, 25);
  ASSERT_TRUE(found.has_plan());
  EXPECT_EQ(found.cost, graph.base_cost() + 1);
}

TEST(Dtr, BringsBackAWholeChainOfInputs) {
  const Graph chain =
      synthetic_graph(
          {.family = Family::kChain, .length = 30, .training = true})
          .value();
  const Solution found = within(chain, 12);
  ASSERT_TRUE(found.has_plan());
  EXPECT_LE(found.peak, 12);
  EXPECT_GT(found.cost, chain.base_cost());
}

TEST(Dtr, SaysWhereItRanOutOfMemory) {
  // c needs a and b at once, and both need the large one.
  const Graph graph = GraphBuilder()
                          .add_op("base", {}, 10)
                          .add_op("a", {"base"}, 10)
                          .add_op("b", {"base"}, 10)
                          .add_op("free", {}, 25)
                          .add_op("c", {"a", "b", "base"}, 1)
                          .build()
                          .value();
  const Solution found = within(graph, 31);
  EXPECT_TRUE(found.has_plan() || !found.message.empty());
}

TEST(Dtr, StopsAtAWorkLimit) {
  const Graph chain =
      synthetic_graph(
          {.family = Family::kChain, .length = 50, .training = true})
          .value();
  Limits limits;
  limits.work = 10;
  const Solution found =
      solve({chain, 5, OrderRule::kFixed}, *find_strategy("dtr"), limits);
  EXPECT_EQ(found.outcome, Outcome::kUnknown);
  EXPECT_EQ(found.stop_reason, StopReason::kWorkLimit);
}

// 0 -> 1 -> 2 -> 3, costs 1, 2, 4, 8.
Graph line() {
  return GraphBuilder()
      .add_op("0", {}, 1, 1)
      .add_op("1", {"0"}, 1, 2)
      .add_op("2", {"1"}, 1, 4)
      .add_op("3", {"2"}, 1, 8)
      .build()
      .value();
}

Cost around(EvictedClasses& classes, int tensor) {
  classes.start_sum();
  return classes.neighbours(TensorId(tensor));
}

TEST(EvictedClasses, JoinNeighbours) {
  const Graph graph = line();
  EvictedClasses classes(graph);
  classes.enter(OpId(0));
  EXPECT_EQ(around(classes, 1), 1);
  EXPECT_EQ(around(classes, 2), 0);
  classes.enter(OpId(1));
  EXPECT_EQ(around(classes, 2), 3);
  classes.enter(OpId(3));
  EXPECT_EQ(around(classes, 2), 11);
}

TEST(EvictedClasses, LoseTheCostOfWhatComesBack) {
  const Graph graph = line();
  EvictedClasses classes(graph);
  classes.enter(OpId(0));
  classes.enter(OpId(1));
  classes.leave(OpId(1));
  EXPECT_EQ(around(classes, 1), 1);
  EXPECT_EQ(around(classes, 2), 0);
}

TEST(EvictedClasses, CountAClassOncePerSum) {
  const Graph graph = line();
  EvictedClasses classes(graph);
  classes.enter(OpId(1));
  classes.start_sum();
  EXPECT_EQ(classes.neighbours(TensorId(0)), 2);
  EXPECT_EQ(classes.neighbours(TensorId(2)), 0);
}

}  // namespace
}  // namespace rematch
