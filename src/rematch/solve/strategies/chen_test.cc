// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/chen.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/solve/solve.h"

namespace rematch {
namespace {

Graph made(Family family, std::int64_t length) {
  return synthetic_graph({.family = family, .length = length, .training = true})
      .value();
}

Solution within(const Graph& graph, Bytes budget, std::string_view strategy) {
  return solve({graph, budget, OrderRule::kFixed}, *find_strategy(strategy),
               {});
}

TEST(ChenGreedy, GetsCheaperWithMoreMemory) {
  const Graph chain = made(Family::kChain, 64);
  Cost before = 1e9;
  for (Bytes budget = 20; budget <= 66; ++budget) {
    const Solution found = within(chain, budget, "chen_greedy");
    if (!found.has_plan()) continue;
    EXPECT_LE(found.cost, before);
    before = found.cost;
  }
  EXPECT_LT(before, 1e9);
}

TEST(ChenGreedy, IsNoWorseThanSqrtOnAChain) {
  for (std::int64_t n : {4, 9, 16, 40, 64}) {
    const Graph chain = made(Family::kChain, n);
    const Solution sqrt = within(chain, kMaxBytes, "chen_sqrt");
    const Solution greedy = within(chain, sqrt.peak, "chen_greedy");
    ASSERT_TRUE(greedy.has_plan()) << n;
    EXPECT_LE(greedy.cost, sqrt.cost) << n;
  }
}

TEST(ChenSqrt, SavesMemoryOnATransformer) {
  const Graph graph = made(Family::kTransformer, 12);
  const Solution all = within(graph, kMaxBytes, "keep_all");
  const Solution sqrt = within(graph, kMaxBytes, "chen_sqrt");
  EXPECT_LT(sqrt.peak, all.peak);
  EXPECT_GT(sqrt.cost, all.cost);
}

TEST(ChenSqrt, RecomputesEachForwardOpAtMostOnceOnAChain) {
  const Graph chain = made(Family::kChain, 100);
  const Solution found = within(chain, kMaxBytes, "chen_sqrt");
  EXPECT_LE(found.cost, chain.base_cost() + 100);
}

TEST(Chen, NeedsAForwardAndABackward) {
  const Graph graph = GraphBuilder().add_op("a", {}, 1).build().value();
  for (const char* name : {"chen_sqrt", "chen_greedy"}) {
    const Solution found = within(graph, 10, name);
    EXPECT_EQ(found.stop_reason, StopReason::kNotApplicable);
    EXPECT_EQ(found.message, std::string(name) +
                                 " needs forward ops and ops of another "
                                 "phase; this graph does not have both");
  }
}

}  // namespace
}  // namespace rematch
