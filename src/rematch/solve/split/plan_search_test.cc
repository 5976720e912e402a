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
