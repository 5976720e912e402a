// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/auto.h"

#include <utility>

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/solve.h"

namespace rematch {
namespace {

Graph made(Family family, std::int64_t length) {
  return synthetic_graph({.family = family, .length = length, .training = true})
      .value();
}

// Work that takes moments, and stops at the same place everywhere.
Limits some_work() {
  Limits limits;
  limits.work = 10'000;
  return limits;
}

TEST(Auto, IsAsGoodAsEveryOtherStrategy) {
  for (const auto& [family, length] :
       {std::pair(Family::kChain, 10), std::pair(Family::kResidual, 1),
        std::pair(Family::kUnet, 1), std::pair(Family::kRandom, 10)}) {
    const Graph graph = made(family, length);
    for (int percent : {80, 45}) {
      const Problem problem{graph, keep_all_peak(graph) * percent / 100,
                            OrderRule::kFixed};
      const Solution best = solve(problem, *find_strategy("auto"), some_work());
      for (const Strategy& strategy : strategies()) {
        const Solution other = solve(problem, strategy, some_work());
        if (!other.has_plan()) continue;
        ASSERT_TRUE(best.has_plan()) << strategy.name;
        EXPECT_LE(best.cost, other.cost) << strategy.name;
        EXPECT_GE(best.lower_bound, other.lower_bound) << strategy.name;
      }
    }
  }
}

TEST(Auto, SaysWhoFoundThePlan) {
  const Graph chain = made(Family::kChain, 8);
  const Solution found =
      solve({chain, 4, OrderRule::kFixed}, *find_strategy("auto"), {});
  EXPECT_EQ(found.cost, 26);
  EXPECT_EQ(found.outcome, Outcome::kOptimal);
  EXPECT_EQ(found.message.rfind("found by ", 0), 0u);
}

TEST(Auto, IsNoWorseThanWhatItBeginsWith) {
  const Graph graph = made(Family::kTransformer, 6);
  const Problem problem{graph, keep_all_peak(graph) / 2, OrderRule::kFixed};
  const Solution good = solve(problem, *find_strategy("auto"), some_work());
  Limits little;
  little.work = 1;
  Request request(little);
  request.start = &*good.plan;
  const Solution again = solve(problem, *find_strategy("auto"), request);
  EXPECT_EQ(again.cost, good.cost);
  EXPECT_EQ(again.message.rfind("found by start", 0), 0u);
}

TEST(Auto, StopsWithinTheGap) {
  const Graph graph = made(Family::kTransformer, 6);
  Limits limits;
  limits.gap = 10;
  const Solution found =
      solve({graph, keep_all_peak(graph) / 2, OrderRule::kFixed},
            *find_strategy("auto"), limits);
  EXPECT_EQ(found.stop_reason, StopReason::kGapReached);
}

TEST(Auto, NamesTheLeastPeakWhenNothingFits) {
  const Graph graph = made(Family::kRandom, 60);
  Limits little;
  little.work = 100;
  const Bytes floor =
      solve({graph, 0, OrderRule::kFixed}, *find_strategy("auto"), {})
          .peak_floor;
  const Solution found =
      solve({graph, floor, OrderRule::kFixed}, *find_strategy("auto"), little);
  ASSERT_EQ(found.outcome, Outcome::kUnknown);
  EXPECT_NE(found.message.find("the least peak found is"), std::string::npos);
}

TEST(Auto, EndsWithTheGapProgramsPlanOnLargeGraphsWhereThatIsGoodEnough) {
  const Graph graph =
      synthetic_graph(
          {.family = Family::kTransformer, .ops = 3000, .training = true})
          .value();
  Limits limits;
  limits.gap = 0.001;
  const Problem problem{graph, keep_all_peak(graph) / 2, OrderRule::kFixed};
  const Solution answer = solve(problem, *find_strategy("auto"), limits);
  EXPECT_EQ(answer.stop_reason, StopReason::kGapReached);
  EXPECT_EQ(answer.message, "found by gap");
}

}  // namespace
}  // namespace rematch
