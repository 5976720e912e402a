// SPDX-License-Identifier: Apache-2.0
// Numbers at which a solver's tolerances matter: sizes that differ in the last
// of ten digits, costs that are not whole. What is claimed must hold; not
// everything can be proved.
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/io/graph_json.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/solve.h"
#include "support/graphs.h"
#include "support/remade.h"

namespace rematch {
namespace {

class SplitScale : public testing::Test {
 protected:
  // A random budget, or just enough for some plan, or a byte less.
  Bytes any_budget(const Graph& graph) {
    const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
    const Bytes budget = random_.between(floor, keep_all_peak(graph));
    const Solution near = solve({graph, budget, OrderRule::kFixed},
                                *find_strategy("exhaustive"), {});
    if (!near.has_plan() || random_.below(2) == 0) return budget;
    return near.peak - random_.between(0, 1);
  }

  void check(const Graph& graph) {
    const Problem problem{graph, any_budget(graph), OrderRule::kFixed};
    const std::string where =
        "budget " + std::to_string(problem.budget) + "\n" + show(graph);
    const Solution truth = solve(problem, *find_strategy("exhaustive"), {});
    Limits limits;
    limits.seconds = 60;
    const Solution got = solve(problem, *find_strategy("milp"), limits);
    EXPECT_NE(got.stop_reason, StopReason::kTimeLimit) << where;
    ++instances_;
    if (!truth.has_plan()) {
      EXPECT_FALSE(got.has_plan()) << where;
      proved_ += got.outcome == Outcome::kInfeasible ? 1 : 0;
      return;
    }
    EXPECT_NE(got.outcome, Outcome::kInfeasible) << where;
    EXPECT_LE(got.lower_bound, truth.cost) << where;
    if (!got.has_plan()) return;
    EXPECT_GE(got.cost, truth.cost) << where;
    if (got.lower_bound >= got.cost * (1 - 1e-5)) ++proved_;
  }

  // At least so many percent are proved to five digits.
  void expect_proved(int percent) const {
    EXPECT_GE(100 * proved_, percent * instances_);
  }

  Random random_{96};
  int instances_ = 0;
  int proved_ = 0;
};

TEST_F(SplitScale, ClaimsOnlyWhatHoldsOfSizesThatAlmostTie) {
  for (int i = 0; i < 800 && !HasFailure(); ++i) {
    check(remade(
        small_graph(random_),
        [&](Bytes bytes) {
          if (bytes == 0) return bytes;
          return bytes * 1'000'000'007 + random_.between(-2, 2);
        },
        [](Cost cost) { return cost; }));
  }
  expect_proved(99);
}

// A byte is far below what a solver sees.
TEST_F(SplitScale, ProvesSizesThatAlmostTieInTheLastOfSixteenDigits) {
  for (int i = 0; i < 800 && !HasFailure(); ++i) {
    check(remade(
        small_graph(random_),
        [&](Bytes bytes) {
          if (bytes == 0) return bytes;
          return bytes * 1'000'000'000'000'007 + random_.between(-2, 2);
        },
        [](Cost cost) { return cost; }));
  }
  expect_proved(99);
}

TEST_F(SplitScale, ClaimsOnlyWhatHoldsOfCostsThatAreNotWhole) {
  for (int i = 0; i < 800 && !HasFailure(); ++i) {
    check(remade(
        small_graph(random_), [](Bytes bytes) { return bytes; },
        [&](Cost cost) {
          return cost == 0 ? 0 : cost * 0.1 + random_.unit() * 1e-3;
        }));
  }
  expect_proved(99);
}

TEST_F(SplitScale, ClaimsOnlyWhatHoldsOfNumbersOfAllMagnitudes) {
  for (int i = 0; i < 800 && !HasFailure(); ++i) {
    check(remade(
        small_graph(random_),
        [&](Bytes bytes) {
          return random_.below(2) == 0 ? bytes : bytes * 10'000'000'000;
        },
        [&](Cost cost) {
          return random_.below(3) == 0 ? cost * 1e7 : cost * 0.3;
        }));
  }
  expect_proved(80);
}

// What a rerun of a cheap op costs is hidden by what one of a dear op does.
TEST_F(SplitScale, ProvesCostsOfTwelveDigitsToTheEnd) {
  const std::vector<Cost> costs = {1, 5, 1e12, 1e12 - 7, 3e12 + 1};
  int optimal = 0;
  constexpr int kInstances = 300;
  for (int i = 0; i < kInstances && !HasFailure(); ++i) {
    const Graph graph = remade(
        small_graph(random_), [](Bytes bytes) { return bytes; },
        [&](Cost cost) {
          return cost == 0 ? 0 : costs[random_.below(costs.size())];
        });
    const Problem problem{graph, any_budget(graph), OrderRule::kFixed};
    const Solution truth = solve(problem, *find_strategy("exhaustive"), {});
    const Solution got = solve(problem, *find_strategy("milp"), {});
    EXPECT_EQ(got.has_plan(), truth.has_plan()) << show(graph);
    optimal += got.outcome == truth.outcome ? 1 : 0;
    if (!truth.has_plan()) continue;
    EXPECT_LE(got.lower_bound, truth.cost) << show(graph);
    EXPECT_EQ(got.cost, truth.cost) << show(graph);
  }
  EXPECT_GE(optimal, kInstances - 2);
}

// The row that says what a stage costs at least asked for a billionth less.
TEST(SplitSearch, ProvesTheCostOfAStageToTheEnd) {
  const Graph graph = graph_from_json(R"({
    "format": "rematch.graph", "version": 1, "ops": [
      {"name": "a", "cost": 999999999993, "bytes": 3},
      {"name": "b", "cost": 1000000000000, "bytes": 7, "inputs": ["a"]},
      {"name": "c", "cost": 999999999993, "bytes": 1, "inputs": ["a"]},
      {"name": "d", "cost": 0, "bytes": 6, "inputs": ["b"]},
      {"name": "e", "cost": 3000000000001, "bytes": 2, "inputs": ["b", "c"]},
      {"name": "f", "cost": 1, "bytes": 5, "inputs": ["c", "d"]}]})")
                          .value();
  const Solution got =
      solve({graph, 13, OrderRule::kFixed}, *find_strategy("milp"), {});
  EXPECT_EQ(got.outcome, Outcome::kOptimal);
  EXPECT_EQ(got.cost, 9999999999960);
}

TEST_F(SplitScale, ProvesDecimalFractionsToTheEnd) {
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    const Cost unit = i % 2 == 0 ? 10 : 1000;
    const Graph graph = remade(
        small_graph(random_), [](Bytes bytes) { return bytes; },
        [&](Cost cost) { return cost / unit; });
    const Problem problem{graph, any_budget(graph), OrderRule::kFixed};
    const Solution truth = solve(problem, *find_strategy("exhaustive"), {});
    const Solution got = solve(problem, *find_strategy("milp"), {});
    EXPECT_EQ(got.outcome, truth.outcome) << show(graph);
    if (!truth.has_plan()) continue;
    EXPECT_NEAR(got.cost, truth.cost, 1e-12 * truth.cost) << show(graph);
  }
}

// op0 costs nothing, op3 very little beside op1: a search over integers cannot
// tell a plan that runs op0 again from one that runs op3 again.
TEST(SplitSearch, ClaimsNoMoreThanToleranceAllows) {
  const Graph graph = graph_from_json(R"({
    "format": "rematch.graph", "version": 1, "fixed_bytes": 1,
    "inputs": [{"name": "in0", "bytes": 10000000000},
               {"name": "in1", "bytes": 20000000000}],
    "ops": [
      {"name": "op0", "cost": 0, "workspace_bytes": 5,
       "outputs": [{"name": "a", "bytes": 40000000000},
                   {"name": "b", "bytes": 40000000000, "output": true}]},
      {"name": "op1", "inputs": ["in0", "in1"], "outputs": [],
       "cost": 30000000, "workspace_bytes": 40000000000},
      {"name": "op2", "inputs": ["in1"], "outputs": [], "cost": 30000000,
       "workspace_bytes": 10000000000},
      {"name": "op3", "outputs": [{"name": "c", "bytes": 5}], "cost": 0.9},
      {"name": "op4", "inputs": ["in1", "c"], "cost": 0.9,
       "outputs": [{"name": "d", "bytes": 10000000000}]},
      {"name": "op5", "inputs": ["a", "b", "c", "d"], "cost": 1.2,
       "outputs": [{"name": "e", "bytes": 1},
                   {"name": "f", "bytes": 5, "storage_of": "a"}]}
    ]})")
                          .value();
  const Problem problem{graph, 120000000007, OrderRule::kFixed};
  const Solution truth = solve(problem, *find_strategy("exhaustive"), {});
  EXPECT_EQ(truth.cost, graph.base_cost());
  const Solution got = solve(problem, *find_strategy("milp"), {});
  EXPECT_LE(got.lower_bound, truth.cost);
}

// A stage in which an op has to run twice is paid for beside the runs, and its
// row was added again and again while the last digits were open.
TEST(SplitSearch, EndsWhereToleranceHidesTheLastDigits) {
  const auto name = [](std::size_t op) { return std::to_string(op); };
  const std::vector<std::pair<Bytes, Cost>> numbers = {
      {5000000034, 0.40051292312082376}, {6000000043, 0.5001937940338635},
      {6000000043, 0.9005026006642376},  {5000000033, 0.4009495119208334},
      {4000000028, 0.3005225374667828},  {9000000062, 0.900164448271402},
      {2000000016, 0.8001594655342636},  {6000000040, 0.10065547037001372},
      {2000000012, 0.2003176888401597}};
  GraphBuilder builder;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::vector<std::string> inputs;
    if (i > 0) inputs.push_back(name(i - 1));
    if (i > 4) inputs.push_back(name(8 - i));
    builder.add_op(name(i), inputs, numbers[i].first, numbers[i].second);
  }
  const Graph graph = builder.build().value();
  const Problem problem{graph, 22266138767, OrderRule::kFixed};
  Limits limits;
  limits.seconds = 60;
  const Solution got = solve(problem, *find_strategy("milp"), limits);
  EXPECT_NE(got.stop_reason, StopReason::kTimeLimit);
  const Solution truth = solve(problem, *find_strategy("exhaustive"), {});
  EXPECT_EQ(got.cost, truth.cost);
  EXPECT_LE(got.lower_bound, truth.cost);
  EXPECT_GE(got.lower_bound, truth.cost * (1 - 1e-6));
}

}  // namespace
}  // namespace rematch
