// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/solve.h"

#include <atomic>

#include <gtest/gtest.h>

#include "rematch/base/check.h"
#include "rematch/graph/graph_builder.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

// a -> b -> c, and c reads a again; keep-all peak 3, floor 3.
Graph triangle() {
  return GraphBuilder()
      .add_op("a", {}, 1)
      .add_op("b", {"a"}, 1)
      .add_op("c", {"a", "b"}, 1)
      .build()
      .value();
}

// n ops forward, n + 1 backward, a byte each.
Graph training_chain(int n) {
  GraphBuilder builder;
  for (int i = 0; i < 2 * n + 1; ++i) {
    std::vector<std::string> inputs;
    if (i > 0) inputs.push_back(std::to_string(i - 1));
    if (i > n) inputs.push_back(std::to_string(2 * n - i));
    builder.add_op(std::to_string(i), std::move(inputs), 1);
  }
  return builder.build().value();
}

Strategy proposing(Proposal (*propose)(const Problem&, const Request&)) {
  return {.name = "test",
          .summary = "",
          .source = "",
          .can = {},
          .propose = propose};
}

Proposal keep_all(const Problem& problem, const Request&) {
  Proposal proposal;
  proposal.plan = keep_all_plan(problem.graph);
  return proposal;
}

TEST(Solve, ProvesAPlanWithoutRecomputationOptimal) {
  const Graph graph = triangle();
  const Solution found =
      solve({graph, 3, OrderRule::kFixed}, proposing(keep_all), {});
  EXPECT_EQ(found.outcome, Outcome::kOptimal);
  EXPECT_EQ(found.stop_reason, StopReason::kProved);
  EXPECT_EQ(found.cost, 3);
  EXPECT_EQ(found.lower_bound, 3);
}

std::atomic<bool> interrupted = false;

Proposal interrupt(const Problem&, const Request&) {
  interrupted = true;
  return stopped(Stop::kInterrupt);
}

TEST(Solve, KeepsTheBoundOfTheGapsWhereTheStrategyIsInterrupted) {
  const Graph graph = training_chain(20);
  const Problem problem{graph, keep_all_peak(graph) / 2, OrderRule::kFixed};
  Limits limits;
  const Cost bound = solve(problem, proposing(keep_all), limits).lower_bound;
  EXPECT_GT(bound, graph.base_cost());
  limits.interrupt = &interrupted;
  const Solution found = solve(problem, proposing(interrupt), limits);
  EXPECT_TRUE(interrupted);
  EXPECT_EQ(found.lower_bound, bound);
}

TEST(Solve, ProvesABudgetBelowTheFloorInfeasibleWithTheFloor) {
  const Graph graph = triangle();
  const Solution found =
      solve({graph, 2, OrderRule::kFixed}, proposing(keep_all), {});
  EXPECT_EQ(found.outcome, Outcome::kInfeasible);
  EXPECT_EQ(found.peak_floor, 3);
  EXPECT_EQ(
      found.message,
      "no plan fits in 2 B: every plan needs at least 3 B, since that much "
      "is live while op 'c' runs");
}

TEST(Solve, CallsAPlanOverTheBudgetUnknown) {
  const Graph graph = GraphBuilder()
                          .add_op("a", {}, 10)
                          .add_op("b", {}, 10)
                          .add_op("c", {"a"}, 1)
                          .build()
                          .value();
  const Solution found =
      solve({graph, 19, OrderRule::kFixed}, proposing(keep_all), {});
  EXPECT_EQ(found.outcome, Outcome::kUnknown);
  EXPECT_EQ(found.stop_reason, StopReason::kOverBudget);
  EXPECT_FALSE(found.has_plan());
  EXPECT_EQ(found.message,
            "test found no plan within 19 B; the one it has needs 20 B, 1 B "
            "more");
}

TEST(Solve, ThrowsWhenAStrategyProposesAnInvalidPlan) {
  const Graph graph = triangle();
  const Strategy liar = proposing([](const Problem&, const Request&) {
    Proposal proposal;
    proposal.plan = Plan{{Step::compute(OpId(2))}};
    return proposal;
  });
  EXPECT_THROW(
      static_cast<void>(solve({graph, 9, OrderRule::kFixed}, liar, {})),
      InternalError);
}

TEST(Solve, ThrowsWhenABoundIsAboveTheCostOfAPlan) {
  const Graph graph = triangle();
  const Strategy liar = proposing([](const Problem& problem, const Request&) {
    Proposal proposal = keep_all(problem, {});
    proposal.lower_bound = 4;
    return proposal;
  });
  EXPECT_THROW(
      static_cast<void>(solve({graph, 9, OrderRule::kFixed}, liar, {})),
      InternalError);
}

TEST(Solve, KeepsAnUnprovedPlanFeasible) {
  const Graph graph = triangle();
  const Strategy wasteful =
      proposing([](const Problem& problem, const Request&) {
        Proposal proposal;
        const std::vector<OpId> sequence = {OpId(0), OpId(1), OpId(0), OpId(2)};
        proposal.plan = plan_from_sequence(problem.graph, sequence);
        return proposal;
      });
  const Solution found = solve({graph, 9, OrderRule::kFixed}, wasteful, {});
  EXPECT_EQ(found.outcome, Outcome::kFeasible);
  EXPECT_EQ(found.cost, 4);
  EXPECT_EQ(found.lower_bound, 3);
}

TEST(Strategies, HaveUniqueNamesAndAreFoundByThem) {
  for (const Strategy& strategy : strategies()) {
    EXPECT_EQ(find_strategy(strategy.name), &strategy);
  }
  EXPECT_EQ(find_strategy("magic"), nullptr);
}

}  // namespace
}  // namespace rematch
