// SPDX-License-Identifier: Apache-2.0
// The whole curve of small graphs against brute force at every budget.
#include "rematch/solve/frontier.h"

#include <gtest/gtest.h>

#include "rematch/plan/sequence.h"
#include "support/graphs.h"

namespace rematch {
namespace {

// Every budget from one byte to one more than keeping everything takes, or
// every n-th where there are many.
FrontierQuestion every_budget(const Graph& graph, OrderRule order) {
  FrontierQuestion question;
  question.order = order;
  const Bytes most = keep_all_peak(graph) + 1;
  const Bytes step = 1 + most / 60;
  for (Bytes budget = most; budget > 0; budget -= step) {
    question.budgets.emplace_back(budget);
  }
  return question;
}

Solution truth_for(const Graph& graph, const Solution& point) {
  return solve({graph, point.budget, point.order}, *find_strategy("exhaustive"),
               {});
}

void expect_optimal(const Graph& graph, OrderRule order) {
  const Frontier found = solve_frontier(graph, every_budget(graph, order),
                                        *find_strategy("auto"), {});
  for (const Solution& point : found.points) {
    const Solution truth = truth_for(graph, point);
    EXPECT_EQ(point.outcome, truth.outcome) << point.budget << show(graph);
    EXPECT_EQ(point.has_plan(), truth.has_plan())
        << point.budget << show(graph);
    EXPECT_DOUBLE_EQ(point.cost, truth.cost) << point.budget << show(graph);
  }
}

// Whatever the limits and the strategy, a claim holds.
void expect_consistent(const Graph& graph, const char* strategy,
                       const Limits& limits) {
  const Frontier found =
      solve_frontier(graph, every_budget(graph, OrderRule::kFixed),
                     *find_strategy(strategy), limits);
  for (const Solution& point : found.points) {
    const Solution truth = truth_for(graph, point);
    if (point.outcome == Outcome::kInfeasible) {
      EXPECT_EQ(truth.outcome, Outcome::kInfeasible)
          << strategy << point.budget << show(graph);
    }
    if (!truth.has_plan()) {
      EXPECT_FALSE(point.has_plan()) << strategy << point.budget << show(graph);
      continue;
    }
    EXPECT_LE(point.lower_bound, truth.cost * (1 + 1e-12))
        << strategy << point.budget << show(graph);
    if (point.has_plan()) {
      EXPECT_GE(point.cost, truth.cost * (1 - 1e-12))
          << strategy << point.budget << show(graph);
    }
  }
}

TEST(FrontierConformance, IsOptimalAtEveryBudgetOfARandomGraph) {
  Random random(11);
  for (int i = 0; i < 25; ++i) {
    const Graph graph = random_graph(random, {.ops = 4 + i % 3});
    expect_optimal(graph, OrderRule::kFixed);
  }
}

TEST(FrontierConformance, IsOptimalAtEveryBudgetOfAChain) {
  Random random(12);
  for (int i = 0; i < 4; ++i) {
    expect_optimal(random_chain(random, 2 + i % 2), OrderRule::kFixed);
  }
}

TEST(FrontierConformance, IsOptimalInFreeOrder) {
  Random random(13);
  for (int i = 0; i < 10; ++i) {
    expect_optimal(random_graph(random, {.ops = 5}), OrderRule::kFree);
  }
}

TEST(FrontierConformance, ClaimsHoldWithinLimits) {
  Random random(14);
  for (int i = 0; i < 12; ++i) {
    const Graph graph = random_graph(random, {.ops = 6});
    for (std::int64_t work : {1, 30, 1'000}) {
      Limits limits;
      limits.work = work;
      limits.threads = 1 + i % 2;
      for (const char* strategy : {"auto", "dtr", "gap"}) {
        expect_consistent(graph, strategy, limits);
      }
    }
    Limits short_time;
    short_time.seconds = 0.002;
    short_time.threads = 2;
    expect_consistent(graph, "auto", short_time);
  }
}

}  // namespace
}  // namespace rematch
