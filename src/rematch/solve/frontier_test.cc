// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/frontier.h"

#include <atomic>

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

Graph chain(std::int64_t n) {
  return *synthetic_graph(
      {.family = Family::kChain, .length = n, .training = true});
}

Graph transformer() {
  return *synthetic_graph(
      {.family = Family::kTransformer, .length = 1, .training = true});
}

Frontier curve_of(const Graph& graph, const FrontierQuestion& question,
                  const Request& request = {}, const char* strategy = "auto") {
  return solve_frontier(graph, question, *find_strategy(strategy), request);
}

FrontierQuestion at(std::vector<std::optional<Bytes>> budgets) {
  FrontierQuestion question;
  question.budgets = std::move(budgets);
  return question;
}

FrontierQuestion points(int count) {
  FrontierQuestion question;
  question.num_points = count;
  return question;
}

// From 45% to 100% of the keep-all peak.
FrontierQuestion shares_of_keep_all(const Graph& graph) {
  std::vector<std::optional<Bytes>> budgets;
  for (int percent : {45, 50, 65, 80, 100}) {
    budgets.emplace_back(keep_all_peak(graph) / 100 * percent + percent);
  }
  return at(budgets);
}

std::vector<Bytes> budgets_in(const Frontier& frontier) {
  std::vector<Bytes> budgets;
  for (const Solution& point : frontier.points) {
    budgets.push_back(point.budget);
  }
  return budgets;
}

// Every figure is replay's, and no point is better than the one after it.
void expect_sound(const Graph& graph, const Frontier& frontier) {
  const Solution* before = nullptr;
  for (const Solution& point : frontier.points) {
    if (point.has_plan()) {
      const auto measured = replay(graph, *point.plan, point.order);
      ASSERT_TRUE(measured.ok());
      EXPECT_EQ(measured->peak, point.peak);
      EXPECT_EQ(measured->cost, point.cost);
      EXPECT_LE(point.peak, point.budget);
      EXPECT_LE(point.lower_bound, point.cost);
    }
    if (before != nullptr) {
      EXPECT_LT(before->budget, point.budget);
      EXPECT_GE(before->lower_bound, point.lower_bound);
      EXPECT_LE(before->has_plan(), point.has_plan());
      if (before->has_plan()) {
        EXPECT_GE(before->cost, point.cost);
      }
    }
    before = &point;
  }
}

TEST(Frontier, SpansFromTheLeastPeakToKeepAll) {
  const Graph graph = chain(19);
  const Frontier found = curve_of(graph, points(4));
  EXPECT_EQ(budgets_in(found), (std::vector<Bytes>{3, 9, 15, 21}));
  EXPECT_EQ(found.points.back().overhead(), 0);
  EXPECT_EQ(found.least_peak, 3);
  expect_sound(graph, found);
}

TEST(Frontier, HasFewerPointsWhereThereAreFewerBudgets) {
  EXPECT_EQ(budgets_in(curve_of(chain(4), points(20))),
            (std::vector<Bytes>{3, 4, 5, 6}));
  EXPECT_EQ(budgets_in(curve_of(chain(4), points(1))), (std::vector<Bytes>{3}));
}

TEST(Frontier, SortsBudgetsAndCountsRepeatsOnce) {
  const Frontier found =
      curve_of(chain(8), at({6, 4, 6, std::nullopt, 3, 100}));
  EXPECT_EQ(budgets_in(found), (std::vector<Bytes>{3, 4, 6, 100}));
  EXPECT_EQ(found.num_proved(), 4);
  EXPECT_EQ(found.stop_reason, StopReason::kProved);
  EXPECT_EQ(found.outcome(), Outcome::kOptimal);
}

TEST(Frontier, ABudgetAboveKeepAllCostsNothing) {
  const Graph graph = chain(8);
  const Frontier found = curve_of(graph, at({1'000}));
  EXPECT_EQ(found.points[0].cost, graph.base_cost());
  EXPECT_EQ(found.points[0].strategy, "keep_all");
}

TEST(Frontier, ShowsWhatIsInfeasible) {
  const Frontier found = curve_of(chain(8), at({1, 2, 5}));
  EXPECT_EQ(found.points[0].outcome, Outcome::kInfeasible);
  EXPECT_EQ(found.points[1].outcome, Outcome::kInfeasible);
  EXPECT_EQ(found.points[1].strategy, "");
  EXPECT_EQ(found.points[2].outcome, Outcome::kOptimal);
  EXPECT_EQ(found.outcome(), Outcome::kOptimal);
  EXPECT_EQ(found.least_peak, 5);
}

TEST(Frontier, IsInfeasibleIfEveryPointIs) {
  const Frontier found = curve_of(chain(8), at({1, 2}));
  EXPECT_EQ(found.outcome(), Outcome::kInfeasible);
  EXPECT_EQ(found.stop_reason, StopReason::kProved);
  EXPECT_EQ(found.least_peak, keep_all_peak(chain(8)));
}

TEST(Frontier, IsUnknownWhereTheStrategyDoesNotApply) {
  const Frontier found = curve_of(transformer(), {}, {}, "revolve");
  EXPECT_EQ(found.outcome(), Outcome::kUnknown);
  EXPECT_EQ(found.stop_reason, StopReason::kFinished);
  EXPECT_EQ(found.points[0].stop_reason, StopReason::kNotApplicable);
}

TEST(Frontier, AStrategyThatIgnoresTheBudgetHasItsPlanWhereItFits) {
  const Graph graph = chain(8);
  const Frontier found = curve_of(graph, at({5, 7, 9}), {}, "chen_sqrt");
  EXPECT_FALSE(found.points[0].has_plan());
  EXPECT_TRUE(found.points[1].has_plan());
  EXPECT_EQ(found.points[1].cost, found.points[2].cost);
  expect_sound(graph, found);
}

TEST(Frontier, OneOpHasOnePoint) {
  const Graph graph = *GraphBuilder().add_op("a", {}, 8, 2).build();
  const Frontier found = curve_of(graph, {});
  EXPECT_EQ(budgets_in(found), (std::vector<Bytes>{8}));
  EXPECT_EQ(found.outcome(), Outcome::kOptimal);
}

TEST(Frontier, NothingCostsNothing) {
  const Graph graph = *GraphBuilder()
                           .add_op("a", {}, 8, 0)
                           .add_op("b", {"a"}, 8, 0)
                           .add_op("c", {"b"}, 8, 0)
                           .add_op("d", {"a", "c"}, 8, 0)
                           .build();
  const Frontier found = curve_of(graph, {});
  for (const Solution& point : found.points) EXPECT_EQ(point.cost, 0);
  EXPECT_EQ(found.outcome(), Outcome::kOptimal);
  expect_sound(graph, found);
}

TEST(Frontier, FreeOrderIsMonotoneToo) {
  const Graph graph = transformer();
  FrontierQuestion question = shares_of_keep_all(graph);
  question.order = OrderRule::kFree;
  Limits limits;
  limits.work = 20'000;
  const Frontier found = curve_of(graph, question, limits);
  EXPECT_EQ(found.outcome(), Outcome::kFeasible);
  expect_sound(graph, found);
}

TEST(Frontier, WorkLimitGivesTheSameWhateverTheThreads) {
  const Graph graph = transformer();
  for (std::int64_t work : {200, 2'000}) {
    Limits limits;
    limits.work = work;
    const Frontier one = curve_of(graph, shares_of_keep_all(graph), limits);
    limits.threads = 2;
    const Frontier two = curve_of(graph, shares_of_keep_all(graph), limits);
    EXPECT_EQ(one.points, two.points) << work;
    EXPECT_EQ(one.stop_reason, two.stop_reason) << work;
    expect_sound(graph, one);
  }
}

TEST(Frontier, WorkLimitGivesTheSameLeastPeak) {
  const Graph graph = transformer();
  Limits limits;
  limits.work = 100'000;
  const Frontier one = curve_of(graph, points(3), limits, "gap");
  limits.threads = 2;
  const Frontier two = curve_of(graph, points(3), limits, "gap");
  EXPECT_EQ(one.points, two.points);
  EXPECT_EQ(one.points.size(), 3);
}

TEST(Frontier, IsMonotoneWhenTimeRunsOut) {
  const Graph graph = transformer();
  for (double seconds : {0.0, 0.02, 0.2}) {
    Limits limits;
    limits.seconds = seconds;
    limits.threads = 2;
    const Frontier found = curve_of(graph, points(10), limits);
    expect_sound(graph, found);
    EXPECT_EQ(found.points.back().overhead(), 0) << seconds;
  }
}

TEST(Frontier, HasItsPointsWithoutTime) {
  Limits limits;
  limits.seconds = 0;
  const Frontier found = curve_of(transformer(), points(10), limits);
  EXPECT_EQ(found.points.size(), 10);
  EXPECT_EQ(found.points.back().outcome, Outcome::kOptimal);
  EXPECT_EQ(found.stop_reason, StopReason::kTimeLimit);
}

TEST(Frontier, StopsAtTheGap) {
  const Graph graph = transformer();
  Limits limits;
  limits.gap = 10;
  limits.seconds = 600;
  const Frontier found = curve_of(graph, shares_of_keep_all(graph), limits);
  EXPECT_EQ(found.stop_reason, StopReason::kGapReached);
  EXPECT_LT(found.seconds, 300);
}

TEST(Frontier, InterruptedItGivesWhatItHas) {
  const Graph graph = transformer();
  std::atomic<bool> interrupt = false;
  FrontierQuestion question = shares_of_keep_all(graph);
  question.on_change = [&](std::span<const Solution> now) {
    if (now.back().has_plan()) interrupt = true;
  };
  Limits limits;
  limits.interrupt = &interrupt;
  const Frontier found = curve_of(graph, question, limits);
  EXPECT_EQ(found.stop_reason, StopReason::kInterrupted);
  EXPECT_EQ(found.points.size(), 5);
  EXPECT_TRUE(found.points.back().has_plan());
  expect_sound(graph, found);
}

TEST(Frontier, InterruptedBeforeItBeganItHasItsPoints) {
  const std::atomic<bool> interrupt = true;
  Limits limits;
  limits.interrupt = &interrupt;
  const Frontier found = curve_of(chain(8), at({2, 5}), limits);
  EXPECT_EQ(found.points[0].outcome, Outcome::kInfeasible);
  EXPECT_EQ(found.points[1].outcome, Outcome::kUnknown);
  EXPECT_EQ(found.stop_reason, StopReason::kInterrupted);
}

TEST(Frontier, TellsOfEveryChange) {
  int calls = 0;
  FrontierQuestion question = at({4, 5, 6});
  question.on_change = [&](std::span<const Solution> now) {
    EXPECT_EQ(now.size(), 3);
    ++calls;
  };
  curve_of(chain(8), question);
  EXPECT_GE(calls, 4);
}

}  // namespace
}  // namespace rematch
