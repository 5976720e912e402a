// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/best_plan.h"

#include <limits>

#include <gtest/gtest.h>

#include "rematch/base/check.h"
#include "rematch/graph/graph_builder.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

class BestPlanTest : public testing::Test {
 protected:
  Plan plan(std::vector<int> ops) const {
    std::vector<OpId> sequence;
    for (int op : ops) sequence.emplace_back(op);
    return plan_from_sequence(graph_, sequence);
  }

  // Peak 7 if a is kept, else 5.
  const Graph graph_ = GraphBuilder()
                           .add_op("a", {}, 2, 3)
                           .add_op("big", {}, 5, 1)
                           .add_op("end", {"a"}, 1, 1)
                           .build()
                           .value();
};

TEST_F(BestPlanTest, IsNoneAtFirst) {
  const Problem problem{graph_, 6, OrderRule::kFixed};
  BestPlan best(problem);
  EXPECT_FALSE(best.has_plan());
  EXPECT_FALSE(best.fits());
  EXPECT_EQ(best.cost(), std::numeric_limits<Cost>::infinity());
  EXPECT_EQ(best.take(), std::nullopt);
}

TEST_F(BestPlanTest, IsTheSmallestUntilOneFits) {
  const Problem problem{graph_, 5, OrderRule::kFixed};
  BestPlan best(problem);
  EXPECT_TRUE(best.offer(plan({0, 1, 2})));
  EXPECT_TRUE(best.has_plan());
  EXPECT_FALSE(best.fits());
  EXPECT_EQ(best.peak(), 7);
  EXPECT_FALSE(best.offer(plan({0, 1, 2})));
}

TEST_F(BestPlanTest, PrefersOneThatFits) {
  const Problem problem{graph_, 5, OrderRule::kFixed};
  BestPlan best(problem);
  EXPECT_TRUE(best.offer(plan({0, 1, 2})));
  EXPECT_TRUE(best.offer(plan({0, 1, 0, 2})));
  EXPECT_TRUE(best.fits());
  EXPECT_EQ(best.cost(), 8);
  EXPECT_FALSE(best.offer(plan({0, 1, 2})));
  EXPECT_EQ(best.cost(), 8);
}

TEST_F(BestPlanTest, IsTheCheapestThatFits) {
  const Problem problem{graph_, 9, OrderRule::kFixed};
  BestPlan best(problem);
  EXPECT_TRUE(best.offer(plan({0, 1, 0, 2})));
  EXPECT_TRUE(best.offer(plan({0, 1, 2})));
  EXPECT_FALSE(best.offer(plan({0, 1, 0, 2})));
  EXPECT_EQ(best.cost(), graph_.base_cost());
  EXPECT_EQ(best.plan(), plan({0, 1, 2}));
  EXPECT_EQ(best.take(), plan({0, 1, 2}));
}

TEST_F(BestPlanTest, TakesNoInvalidPlan) {
  const Problem problem{graph_, 9, OrderRule::kFixed};
  BestPlan best(problem);
  EXPECT_THROW(best.offer({}), InternalError);
}

}  // namespace
}  // namespace rematch
