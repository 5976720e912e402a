// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/lp_rounding.h"

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/solve.h"

namespace rematch {
namespace {

Graph residual() {
  return synthetic_graph(
             {.family = Family::kResidual, .ops = 60, .training = true})
      .value();
}

Solution rounded(const Graph& graph, Bytes budget, Rounding rounding,
                 std::uint64_t seed = 0) {
  Request request;
  request.rounding = rounding;
  request.limits.seed = seed;
  return solve({graph, budget, OrderRule::kFixed},
               *find_strategy("lp_rounding"), request);
}

TEST(LpRounding, StaysCloseToTheOptimum) {
  const Graph graph = residual();
  const Bytes budget = keep_all_peak(graph) / 10 * 7;
  const Solution best =
      solve({graph, budget, OrderRule::kFixed}, *find_strategy("milp"), {});
  ASSERT_LE(best.gap(), 1e-9);
  for (Rounding rounding :
       {Rounding::kSweep, Rounding::kThreshold, Rounding::kRandom}) {
    const Solution found = rounded(graph, budget, rounding);
    ASSERT_TRUE(found.has_plan()) << rounding_name(rounding);
    EXPECT_LE(found.peak, budget);
    EXPECT_LE(found.cost, best.cost * 1.06) << rounding_name(rounding);
    EXPECT_LE(found.lower_bound, best.cost);
  }
}

TEST(LpRounding, DrawsTheSameForTheSameSeed) {
  const Graph graph = residual();
  const Bytes budget = keep_all_peak(graph) / 10 * 6;
  Solution one = rounded(graph, budget, Rounding::kRandom, 7);
  Solution other = rounded(graph, budget, Rounding::kRandom, 7);
  one.seconds = other.seconds = 0;
  EXPECT_EQ(one, other);
}

TEST(LpRounding, StopsAtTheSameWorkEachTime) {
  const Graph graph = residual();
  const Problem problem{graph, keep_all_peak(graph) / 10 * 7,
                        OrderRule::kFixed};
  const Strategy& strategy = *find_strategy("lp_rounding");
  for (std::int64_t work : {1, 100, 300}) {
    Limits limits;
    limits.work = work;
    Solution one = solve(problem, strategy, limits);
    Solution other = solve(problem, strategy, limits);
    EXPECT_EQ(one.stop_reason, StopReason::kWorkLimit) << work;
    one.seconds = other.seconds = 0;
    EXPECT_EQ(one, other) << work;
  }
}

TEST(LpRounding, KeepsAllWhereThatFits) {
  const Graph graph = residual();
  const Solution found = rounded(graph, keep_all_peak(graph), Rounding::kSweep);
  EXPECT_EQ(found.outcome, Outcome::kOptimal);
  EXPECT_EQ(found.cost, graph.base_cost());
}

}  // namespace
}  // namespace rematch
