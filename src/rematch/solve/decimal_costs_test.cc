// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/decimal_costs.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

Graph costing(Cost a, Cost b, Cost c) {
  return GraphBuilder()
      .add_op("a", {}, 1, a)
      .add_op("b", {"a"}, 1, b)
      .add_op("c", {"b"}, 1, c)
      .build()
      .value();
}

bool is_met(const Graph& graph, Cost bound) {
  return is_cheapest_by_digits(graph, keep_all_plan(graph), bound);
}

// 0.1 + 0.2 + 0.7 is one only up to rounding.
TEST(DecimalCosts, RuleOutWhatLiesBetweenTwoSums) {
  const Graph graph = costing(0.1, 0.2, 0.7);
  EXPECT_TRUE(is_met(graph, 1));
  EXPECT_TRUE(is_met(graph, 1 - 1e-12));
  EXPECT_TRUE(is_met(graph, 0.95));
  EXPECT_FALSE(is_met(graph, 0.9));
  EXPECT_FALSE(is_met(graph, 0.9 + 1e-12));
}

TEST(DecimalCosts, DifferBySteps) {
  EXPECT_EQ(cost_step(costing(4, 6, 10)), 2);
  EXPECT_EQ(cost_step(costing(1e12, 1e12 - 7, 3e12 + 1)), 1);
  EXPECT_EQ(cost_step(costing(0.1, 0.2, 7)), 0.1);
  EXPECT_EQ(cost_step(costing(0.125, 2, 7)), 0.001);
  EXPECT_EQ(cost_step(costing(1.0 / 3, 2, 7)), 0);
  EXPECT_EQ(cost_step(costing(1e-6, 1e9, 7)), 0);  // Rounding hides it.
}

TEST(DecimalCosts, SayNothingOfCostsWithManyDigits) {
  EXPECT_FALSE(is_met(costing(0.1, 0.2, 1.0 / 3), 0.6333333333333));
  EXPECT_FALSE(is_met(costing(0.1, 0.2, 1e-9), 0.3));
}

TEST(DecimalCosts, SayNothingWhereRoundingIsWorthAUnit) {
  EXPECT_FALSE(is_met(costing(0.000001, 1, 1e12), 1e12 + 1));
  EXPECT_TRUE(is_met(costing(0.000001, 1, 1e3), 1001.0000005));
}

}  // namespace
}  // namespace rematch
