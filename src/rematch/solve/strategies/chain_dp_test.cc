// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/chain_dp.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/solve.h"

namespace rematch {
namespace {

Solution within(const Graph& graph, Bytes budget, std::string_view strategy) {
  return solve({graph, budget, OrderRule::kFixed}, *find_strategy(strategy),
               {});
}

Graph realistic(Family family, std::int64_t length) {
  return synthetic_graph({.family = family,
                          .length = length,
                          .training = true,
                          .numbers = Numbers::kRealistic})
      .value();
}

TEST(ChainDp, CostsNothingExtraWithEnoughMemory) {
  for (Family family :
       {Family::kChain, Family::kTransformer, Family::kResidual}) {
    const Graph graph = realistic(family, 8);
    const Solution found = within(graph, keep_all_peak(graph), "chain_dp");
    ASSERT_TRUE(found.has_plan()) << family_name(family);
    EXPECT_EQ(found.cost, graph.base_cost()) << family_name(family);
  }
}

TEST(ChainDp, ClaimsNoMoreThanFeasibleOnOtherChains) {
  const Graph graph = realistic(Family::kChain, 20);
  const Solution found =
      within(graph, keep_all_peak(graph) * 6 / 10, "chain_dp");
  EXPECT_EQ(found.outcome, Outcome::kFeasible);
  const Problem problem{graph, found.budget, OrderRule::kFixed};
  EXPECT_EQ(propose_chain_dp(problem, {}).lower_bound, 0);
}

TEST(ChainDp, BeatsRevolveWhereCostsDiffer) {
  const Graph graph = realistic(Family::kChain, 40);
  const Bytes budget = keep_all_peak(graph) / 2;
  EXPECT_LE(within(graph, budget, "chain_dp").cost,
            within(graph, budget, "revolve").cost);
}

TEST(ChainDp, TakesChainsOfBlocks) {
  const Graph graph = realistic(Family::kTransformer, 12);
  const Solution found =
      within(graph, keep_all_peak(graph) * 4 / 10, "chain_dp");
  ASSERT_TRUE(found.has_plan());
  EXPECT_GT(found.cost, graph.base_cost());
}

TEST(ChainDp, SaysWhyAGraphIsNoChain) {
  const Graph graph = GraphBuilder().add_op("a", {}, 1).build().value();
  EXPECT_EQ(within(graph, 10, "chain_dp").message,
            "chain_dp takes only chains of blocks: it has 0 forward ops and 1 "
            "others, and needs both");
}

TEST(Revolve, SaysWhyAGraphIsNoChain) {
  const Graph graph = realistic(Family::kTransformer, 1);
  const Solution found = within(graph, kMaxBytes, "revolve");
  EXPECT_EQ(found.stop_reason, StopReason::kNotApplicable);
  EXPECT_NE(found.message.find("revolve takes only chains: op '"),
            std::string::npos);
}

}  // namespace
}  // namespace rematch
