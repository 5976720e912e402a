// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/least_peak.h"

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/synthetic.h"

namespace rematch {
namespace {

Graph chain(std::int64_t n) {
  return synthetic_graph(
             {.family = Family::kChain, .length = n, .training = true})
      .value();
}

TEST(LeastPeak, IsTheFloorWhereAPlanReachesIt) {
  const Solution found = solve_least_peak(chain(8), OrderRule::kFixed,
                                          *find_strategy("chain_dp"), {});
  EXPECT_EQ(found.peak, 3);
  EXPECT_EQ(found.budget, 3);
  EXPECT_EQ(found.cost, 45);
  EXPECT_EQ(found.outcome, Outcome::kOptimal);
}

TEST(LeastPeak, IsThePeakOfAStrategyThatIgnoresTheBudget) {
  const Solution found = solve_least_peak(chain(8), OrderRule::kFixed,
                                          *find_strategy("chen_sqrt"), {});
  EXPECT_EQ(found.peak, 7);
  EXPECT_EQ(found.peak_floor, 3);
}

TEST(LeastPeak, IsUnknownWhereTheStrategyDoesNotApply) {
  const Graph graph =
      synthetic_graph(
          {.family = Family::kTransformer, .length = 2, .training = true})
          .value();
  const Solution found =
      solve_least_peak(graph, OrderRule::kFixed, *find_strategy("revolve"), {});
  EXPECT_EQ(found.outcome, Outcome::kUnknown);
  EXPECT_EQ(found.stop_reason, StopReason::kNotApplicable);
}

TEST(LeastPeak, SaysWhereTheStrategyDidNotLook) {
  const Solution found =
      solve_least_peak(chain(8), OrderRule::kFree, *find_strategy("milp"), {});
  EXPECT_TRUE(found.message.starts_with("smaller budgets were not looked at"))
      << found.message;
}

TEST(LeastPeak, OfAutoIsFoundInLittleTime) {
  Limits limits;
  limits.seconds = 10;
  const Solution found = solve_least_peak(chain(20), OrderRule::kFixed,
                                          *find_strategy("auto"), limits);
  EXPECT_EQ(found.peak, found.peak_floor);
}

TEST(LeastPeak, SaysWhenTimeRanOut) {
  Limits limits;
  limits.seconds = 0;
  const Solution found = solve_least_peak(chain(8), OrderRule::kFixed,
                                          *find_strategy("dtr"), limits);
  EXPECT_NE(found.stop_reason, StopReason::kFinished);
}

}  // namespace
}  // namespace rematch
