// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/plan_search.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

using Ops = std::vector<OpId>;

// Of a and b, read at the end, one has to go while `big` runs.
Graph graph() {
  return GraphBuilder()
      .add_op("a", {}, 2, 3)
      .add_op("b", {}, 2, 5)
      .add_op("big", {}, 4)
      .add_op("end", {"a", "b"}, 1)
      .build()
      .value();
}

constexpr OpId kA(0), kB(1), kBig(2), kEnd(3);

class PlanSearchTest : public testing::Test {
 protected:
  PlanSearchTest() { offer({kA, kB, kBig, kB, kEnd}); }

  void offer(const Ops& sequence) {
    incumbent_.offer(plan_from_sequence(graph_, sequence));
  }

  const Graph graph_ = graph();
  const Problem problem_{graph_, 6, OrderRule::kFixed};
  BestPlan incumbent_{problem_};
};

TEST_F(PlanSearchTest, MakesTheIncumbentBetter) {
  PlanSearch search(problem_, Limits(), incumbent_);
  bool is_better = false;
  while (!search.is_over()) is_better = search.advance(incumbent_) || is_better;
  EXPECT_TRUE(is_better);
  EXPECT_EQ(incumbent_.cost(), 13);
  EXPECT_EQ(incumbent_.finder(), "anneal");
}

TEST_F(PlanSearchTest, TakesNoCreditForWhatWasFoundElsewhere) {
  PlanSearch search(problem_, Limits(), incumbent_);
  offer({kA, kB, kBig, kA, kEnd});
  while (!search.is_over()) EXPECT_FALSE(search.advance(incumbent_));
  EXPECT_EQ(incumbent_.finder(), "");
}

TEST_F(PlanSearchTest, FindsTheBestPlanOfATrainingGraphFromNothing) {
  // While `c` runs, only one of a and b fits.
  const Graph training = GraphBuilder()
                             .add_op("a", {}, 4, 3)
                             .add_op("b", {}, 4, 5)
                             .add_op("c", {}, 4)
                             .add_op("db", {"b"}, 1, 1, Phase::kBackward)
                             .add_op("da", {"a", "db"}, 1, 1, Phase::kBackward)
                             .build()
                             .value();
  const Problem problem{training, 10, OrderRule::kFixed};
  ASSERT_TRUE(is_training_with_room(problem));
  BestPlan incumbent(problem);
  incumbent.offer(plan_from_sequence(
      training, Ops{kA, kB, OpId(2), kB, OpId(3), kA, OpId(4)}));
  PlanSearch search(problem, Limits(), incumbent);
  while (!search.is_over()) search.advance(incumbent);
  EXPECT_EQ(incumbent.cost(), 14);
}

TEST_F(PlanSearchTest, IsFullOfHopeAtFirst) {
  const PlanSearch search(problem_, Limits(), incumbent_);
  EXPECT_FALSE(search.is_stale());
  EXPECT_FALSE(search.is_over());
}

TEST_F(PlanSearchTest, IsOverAtALimit) {
  std::atomic<bool> interrupt = true;
  Limits limits;
  limits.interrupt = &interrupt;
  PlanSearch search(problem_, limits, incumbent_);
  for (int i = 0; i < 3; ++i) search.advance(incumbent_);
  EXPECT_TRUE(search.is_over());
}

}  // namespace
}  // namespace rematch
