// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/curve.h"

#include <gtest/gtest.h>

#include "rematch/base/check.h"
#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/solve.h"

namespace rematch {
namespace {

// The unit chain of 8: 17 ops, floor 3, keep-all peak 10.
class CurveTest : public testing::Test {
 protected:
  Solution found(Bytes budget, const char* strategy = "chain_dp") const {
    return solve({graph_, budget}, *find_strategy(strategy), {});
  }
  Curve curve(const std::vector<Bytes>& budgets) const {
    return {graph_, OrderRule::kFixed, budgets, 7};
  }

  Graph graph_ = *synthetic_graph(
      {.family = Family::kChain, .length = 8, .training = true});
};

TEST_F(CurveTest, BeginsWithTheBaseCostAndTheFloor) {
  const Curve known = curve({2, 3});
  EXPECT_EQ(known.points()[0].outcome, Outcome::kInfeasible);
  EXPECT_EQ(known.points()[1].outcome, Outcome::kUnknown);
  EXPECT_EQ(known.points()[1].lower_bound, graph_.base_cost());
  EXPECT_EQ(known.points()[1].seed, 7);
  EXPECT_EQ(known.least_peak(), std::nullopt);
}

TEST_F(CurveTest, APlanServesEveryBudgetThatHoldsIt) {
  Curve known = curve({4, 5, 6});
  known.learn(found(5));
  EXPECT_FALSE(known.points()[0].has_plan());
  EXPECT_EQ(known.points()[1].outcome, Outcome::kOptimal);
  EXPECT_EQ(known.points()[2].cost, known.points()[1].cost);
  EXPECT_EQ(known.points()[2].outcome, Outcome::kFeasible);
}

TEST_F(CurveTest, APlanServesSmallerBudgetsThanItWasAskedFor) {
  Curve known = curve({4, 5});
  Solution roomy = found(4);
  roomy.budget = 100;
  roomy.lower_bound = graph_.base_cost();
  known.learn(roomy);
  EXPECT_TRUE(known.points()[0].has_plan());
  EXPECT_EQ(known.points()[0].budget, 4);
}

TEST_F(CurveTest, ABoundHoldsForEverySmallerBudget) {
  Curve known = curve({4, 5, 6});
  const Solution proved = found(5);
  known.learn(proved);
  EXPECT_EQ(known.points()[0].lower_bound, proved.cost);
  EXPECT_EQ(known.points()[2].lower_bound, graph_.base_cost());
  known.raise_bound(0, proved.cost + 1);
  EXPECT_EQ(known.points()[0].lower_bound, proved.cost + 1);
  EXPECT_EQ(known.points()[1].lower_bound, proved.cost);
}

TEST_F(CurveTest, APlanAndABoundFromElsewhereProveAPoint) {
  Curve known = curve({5, 6});
  Solution plan = found(5);
  plan.outcome = Outcome::kFeasible;
  plan.lower_bound = graph_.base_cost();
  known.learn(plan);
  known.raise_bound(1, plan.cost);
  EXPECT_EQ(known.points()[0].outcome, Outcome::kOptimal);
  EXPECT_EQ(known.points()[1].outcome, Outcome::kOptimal);
  EXPECT_EQ(known.points()[1].stop_reason, StopReason::kProved);
}

TEST_F(CurveTest, InfeasibleIsInfeasibleBelow) {
  Curve known = curve({3, 4, 5});
  Solution none;
  none.outcome = Outcome::kInfeasible;
  none.budget = 4;
  known.learn(none);
  EXPECT_EQ(known.points()[0].outcome, Outcome::kInfeasible);
  EXPECT_EQ(known.points()[1].outcome, Outcome::kInfeasible);
  EXPECT_EQ(known.points()[2].outcome, Outcome::kUnknown);
  EXPECT_TRUE(known.is_closed(1, 0));
}

TEST_F(CurveTest, DoesNotDependOnTheOrderOfLearning) {
  const std::vector<Solution> all = {found(4), found(6, "dtr"), found(5, "gap"),
                                     found(10, "keep_all")};
  Curve one = curve({3, 4, 5, 6, 10});
  Curve two = one;
  for (auto it = all.begin(); it != all.end(); ++it) one.learn(*it);
  for (auto it = all.rbegin(); it != all.rend(); ++it) two.learn(*it);
  EXPECT_EQ(one.points(), two.points());
}

TEST_F(CurveTest, StartsFromTheOwnPlanOrTheNextLarger) {
  Curve known = curve({4, 5, 10});
  EXPECT_EQ(known.start_for(0), nullptr);
  known.learn(found(10, "keep_all"));
  ASSERT_NE(known.start_for(0), nullptr);
  EXPECT_EQ(*known.start_for(0), keep_all_plan(graph_));
  known.learn(found(5));
  EXPECT_EQ(*known.start_for(1), *known.points()[1].plan);
}

TEST_F(CurveTest, IsClosedWithinTheGap) {
  Curve known = curve({6});
  known.learn(found(5));
  const double gap = *known.points()[0].gap();
  EXPECT_FALSE(known.is_closed(0, 0));
  EXPECT_TRUE(known.is_closed(0, gap + 1e-9));
}

TEST_F(CurveTest, RefusesContradictions) {
  Curve known = curve({5, 6});
  known.learn(found(5));
  EXPECT_THROW(known.raise_bound(1, 2 * graph_.base_cost() + 100),
               InternalError);
}

TEST(Finder, IsWhoFoundThePlan) {
  Solution solution;
  solution.strategy = "auto";
  EXPECT_EQ(finder(solution), "auto");
  solution.message = "found by gap";
  EXPECT_EQ(finder(solution), "gap");
  solution.message = "found by keep_all; a smaller one may do";
  EXPECT_EQ(finder(solution), "keep_all");
}

TEST(Finder, KnowsTheWordsOfAuto) {
  const Graph graph = *synthetic_graph({.family = Family::kChain, .length = 4});
  EXPECT_EQ(finder(solve({graph, 100}, *find_strategy("auto"), {})),
            "keep_all");
}

}  // namespace
}  // namespace rematch
