// SPDX-License-Identifier: Apache-2.0
// Every strategy against brute force on every small graph.
#include <atomic>
#include <map>

#include <gtest/gtest.h>

#include "rematch/plan/floor.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/least_peak.h"
#include "rematch/solve/solve.h"
#include "support/graphs.h"

namespace rematch {
namespace {

// What holds of any answer, given the proved one.
void expect_consistent(const Problem& problem, const Solution& got,
                       const Solution& truth) {
  const std::string where = std::string(got.strategy) + ", budget " +
                            std::to_string(problem.budget) + ", " +
                            std::string(order_name(problem.order)) +
                            " order\n" + show(problem.graph);
  ASSERT_NE(truth.outcome, Outcome::kUnknown) << where;
  EXPECT_EQ(got.outcome == Outcome::kInfeasible && truth.has_plan(), false)
      << where;
  if (truth.outcome == Outcome::kInfeasible) {
    EXPECT_FALSE(got.has_plan()) << where;
    return;
  }
  EXPECT_LE(got.peak_floor, truth.peak) << where;
  EXPECT_LE(got.lower_bound, truth.cost) << where;
  if (!got.has_plan()) return;
  EXPECT_GE(got.cost, truth.cost) << where;
  EXPECT_LE(got.peak, problem.budget) << where;
  if (got.outcome == Outcome::kOptimal) {
    EXPECT_EQ(got.cost, truth.cost) << where;
  }
  const auto again = replay(problem.graph, *got.plan, problem.order);
  ASSERT_TRUE(again.ok()) << where;
  EXPECT_EQ(again->peak, got.peak) << where;
  EXPECT_EQ(again->cost, got.cost) << where;
}

Bytes enough(const Graph& graph) { return keep_all_peak(graph) + 1; }

class Conformance : public testing::TestWithParam<const Strategy*> {
 protected:
  void check(const Graph& graph, OrderRule order) {
    for (Bytes budget = 0; budget <= enough(graph); ++budget) {
      const Problem problem{graph, budget, order};
      const Solution truth = solve(problem, *find_strategy("exhaustive"), {});
      expect_consistent(problem, solve(problem, *GetParam(), {}), truth);
      if (testing::Test::HasFailure()) return;
    }
  }
};

TEST_P(Conformance, NeverBeatsBruteForceOnEveryDagOfUpToFourOps) {
  for (int ops = 1; ops <= 4; ++ops) {
    for (Weights weights : {Weights::kUnit, Weights::kVaried}) {
      for_every_dag(ops, weights, [&](const Graph& graph) {
        if (HasFailure()) return;
        check(graph, OrderRule::kFixed);
        check(graph, OrderRule::kFree);
      });
    }
  }
}

TEST_P(Conformance, NeverBeatsBruteForceOnEveryDagOfFiveOps) {
  for (Weights weights : {Weights::kUnit, Weights::kVaried}) {
    for_every_dag(5, weights, [&](const Graph& graph) {
      if (!HasFailure()) check(graph, OrderRule::kFixed);
    });
  }
}

TEST_P(Conformance, NeverBeatsBruteForceOnRandomGraphs) {
  Random random(11);
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    const int ops = static_cast<int>(random.between(2, 8));
    // Brute force grows with the number of tensors.
    const bool many = ops <= 5;
    const Graph graph =
        random_graph(random, {.ops = ops, .many_outputs = many});
    check(graph, OrderRule::kFixed);
    if (ops <= 5) check(graph, OrderRule::kFree);
  }
}

TEST_P(Conformance, NeverBeatsBruteForceOnRandomChains) {
  Random random(12);
  for (int i = 0; i < 100 && !HasFailure(); ++i) {
    const Graph graph =
        random_chain(random, static_cast<int>(random.between(2, 4)));
    check(graph, OrderRule::kFixed);
  }
}

TEST_P(Conformance, GivesTheSameAnswerTwice) {
  Random random(13);
  for (int i = 0; i < 300; ++i) {
    const Graph graph = random_graph(random, {.ops = 7});
    const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
    const Bytes middle = (floor + enough(graph)) / 2;
    Limits one;
    one.threads = 1;
    Limits three;
    three.threads = 3;
    Solution first =
        solve({graph, middle, OrderRule::kFixed}, *GetParam(), one);
    Solution second =
        solve({graph, middle, OrderRule::kFixed}, *GetParam(), three);
    first.seconds = second.seconds = 0;
    EXPECT_EQ(first, second) << show(graph);
  }
}

TEST_P(Conformance, FindsALeastPeakWithinItsOwnBudget) {
  Random random(14);
  for (int i = 0; i < 300; ++i) {
    const Graph graph = random_graph(random, {.ops = 5});
    const Solution found =
        solve_least_peak(graph, OrderRule::kFixed, *GetParam(), {});
    if (!found.has_plan()) continue;
    EXPECT_EQ(found.budget, found.peak) << show(graph);
    EXPECT_GE(found.peak, found.peak_floor) << show(graph);
    const Solution truth = solve({graph, found.peak, OrderRule::kFixed},
                                 *find_strategy("exhaustive"), {});
    ASSERT_TRUE(truth.has_plan()) << show(graph);
    EXPECT_LE(found.lower_bound, truth.cost) << show(graph);
    EXPECT_GE(found.cost, truth.cost) << show(graph);
  }
}

TEST_P(Conformance, StopsAtOnceWhenInterrupted) {
  const Graph graph = unit_chain(200);
  const std::atomic<bool> interrupted = true;
  Limits limits;
  limits.interrupt = &interrupted;
  const Solution got =
      solve({graph, 20, OrderRule::kFixed}, *GetParam(), limits);
  EXPECT_NE(got.outcome, Outcome::kInfeasible);
}

std::vector<const Strategy*> all_strategies() {
  std::vector<const Strategy*> result;
  for (const Strategy& strategy : strategies()) result.push_back(&strategy);
  return result;
}

INSTANTIATE_TEST_SUITE_P(All, Conformance, testing::ValuesIn(all_strategies()),
                         [](const auto& test) {
                           return std::string(test.param->name);
                         });

// The floor of a problem never exceeds the least peak that brute force proves.
TEST(PeakFloor, IsNeverAboveTheLeastPeak) {
  Random random(15);
  for (int i = 0; i < 300; ++i) {
    const Graph graph = random_graph(random, {.ops = 5});
    for (OrderRule order : {OrderRule::kFixed, OrderRule::kFree}) {
      const Solution least =
          solve_least_peak(graph, order, *find_strategy("exhaustive"), {});
      ASSERT_TRUE(least.has_plan()) << show(graph);
      EXPECT_LE(peak_floor(graph, order).bytes, least.peak) << show(graph);
    }
  }
}

// The optimum never rises with the budget, and is the base cost at the end.
TEST(Optimum, IsMonotoneInTheBudget) {
  Random random(16);
  for (int i = 0; i < 200; ++i) {
    const Graph graph = random_graph(random, {.ops = 6, .many_outputs = false});
    std::optional<Cost> before;
    for (Bytes budget = 0; budget <= enough(graph); ++budget) {
      const Solution now =
          solve({graph, budget, OrderRule::kFixed}, *find_strategy("auto"), {});
      ASSERT_NE(now.outcome, Outcome::kFeasible) << show(graph);
      EXPECT_EQ(before.has_value() && !now.has_plan(), false) << show(graph);
      if (!now.has_plan()) continue;
      EXPECT_LE(now.cost, before.value_or(now.cost)) << show(graph);
      before = now.cost;
    }
    EXPECT_EQ(before, graph.base_cost()) << show(graph);
  }
}

}  // namespace
}  // namespace rematch
