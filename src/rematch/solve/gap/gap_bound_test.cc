// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/gap_bound.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

Cost bound_of(const Graph& graph, Bytes budget) {
  const Problem problem{graph, budget, OrderRule::kFixed};
  Meter meter{Limits{}};
  return gap_bound(problem, gap_program(problem), meter).lower_bound;
}

// a (10 bytes, cost 7) must go while c runs.
Graph must_evict(Cost cost) {
  return GraphBuilder()
      .add_op("a", {}, 10, cost)
      .add_op("b", {}, 20)
      .add_op("c", {}, 30)
      .add_op("d", {"a"}, 1)
      .build()
      .value();
}

TEST(GapBound, ChargesWhatMustBeEvicted) {
  // c alone needs 30; of a's 10 bytes five would fit, so the relaxation evicts
  // half of it, and whole costs round the bound up.
  EXPECT_EQ(bound_of(must_evict(7), 35), 10 + 4);
  EXPECT_EQ(bound_of(must_evict(7), 30), 10 + 7);
  EXPECT_EQ(bound_of(must_evict(7), 40), 10);
}

TEST(GapBound, DoesNotRoundUpFractionalCosts) {
  EXPECT_NEAR(bound_of(must_evict(7.5), 35), 10.5 + 3.75, 1e-9);
  EXPECT_LE(bound_of(must_evict(7.5), 35), 10.5 + 3.75);
}

TEST(GapBound, RoundsUpToTheCommonDivisorOfCosts) {
  const Graph graph = GraphBuilder()
                          .add_op("a", {}, 10, 35)
                          .add_op("b", {}, 20, 5)
                          .add_op("c", {}, 30, 5)
                          .add_op("d", {"a"}, 1, 5)
                          .build()
                          .value();
  // Half of 35 is 17.5; the next multiple of 5 is 20.
  EXPECT_EQ(bound_of(graph, 35), 50 + 20);
}

TEST(GapBound, IsTheBaseCostWithEnoughMemory) {
  const Graph graph =
      synthetic_graph(
          {.family = Family::kTransformer, .length = 4, .training = true})
          .value();
  EXPECT_EQ(bound_of(graph, keep_all_peak(graph)), graph.base_cost());
}

TEST(GapBound, NeverFallsAsTheBudgetShrinks) {
  const Graph graph =
      synthetic_graph({.family = Family::kUnet, .length = 6, .training = true})
          .value();
  Cost before = 0;
  for (int percent = 100; percent >= 40; percent -= 3) {
    const Cost bound = bound_of(graph, keep_all_peak(graph) / 100 * percent);
    EXPECT_GE(bound, before * (1 - 1e-9)) << percent;
    before = bound;
  }
}

TEST(MultiplierValue, HoldsForAnyMultipliers) {
  const Graph graph = must_evict(7);
  const GapProgram program = gap_program({graph, 35, OrderRule::kFixed});
  const Tails tails(graph, program);
  const GapPrices prices(program, tails);
  // The relaxation's value is 3.5.
  for (double a : {0.0, 0.1, 0.7, 1.0, 1e6, 1e-12}) {
    for (double b : {0.0, 0.3, 0.7, 123.0}) {
      EXPECT_LE(multiplier_value(program, prices, {0, a, b, 0}), 3.5)
          << a << ' ' << b;
    }
  }
  EXPECT_NEAR(multiplier_value(program, prices, {0, 0, 0.7, 0}), 3.5, 1e-9);
}

TEST(MultiplierValue, IsExactForLargeNumbers) {
  // A tebibyte at a cost of 10^12: the product does not fit a double.
  const Bytes tebibyte = Bytes{1} << 40;
  const Graph graph = GraphBuilder()
                          .add_op("a", {}, tebibyte, 1e12)
                          .add_op("b", {}, 1)
                          .add_op("c", {"a"}, 1)
                          .build()
                          .value();
  EXPECT_EQ(bound_of(graph, tebibyte), graph.base_cost() + 1);
  EXPECT_EQ(bound_of(graph, tebibyte + 1), graph.base_cost());
}

}  // namespace
}  // namespace rematch
