// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/gap_search.h"

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

constexpr Cost kNoPlan = std::numeric_limits<Cost>::infinity();

// A search of up to 30 nodes whose plans all cost the same.
class GapSearchTest : public testing::Test {
 protected:
  Cost search(int patience, Cost cost_of_plans) {
    const GapProgram program = gap_program(problem_);
    Meter meter{Limits{}};
    const GapBound root = gap_bound(problem_, program, meter);
    nodes_ = 0;
    return search_gaps(problem_, program, root,
                       {.most_nodes = 30, .patience = patience}, meter,
                       [&](const std::vector<double>&) {
                         ++nodes_;
                         return cost_of_plans;
                       });
  }

  const Graph graph_ =
      synthetic_graph({.family = Family::kRandom, .ops = 60}).value();
  const Problem problem_{graph_, keep_all_peak(graph_) * 7 / 10,
                         OrderRule::kFixed};
  const Cost far_away_ = 100 * graph_.base_cost();
  int nodes_ = 0;  // That were realised.
};

TEST_F(GapSearchTest, GivesUpWhereTheBoundHardlyRises) {
  search(30, far_away_);
  const int all = nodes_;
  search(10, far_away_);
  EXPECT_LT(nodes_, all);
}

TEST_F(GapSearchTest, GoesOnWhileThereIsNoPlan) {
  search(30, kNoPlan);
  const int all = nodes_;
  search(10, kNoPlan);
  EXPECT_EQ(nodes_, all);
}

TEST_F(GapSearchTest, GoesOnWhereTheBoundRises) {
  // The bound comes a good part of the way to this.
  const Cost near = search(30, far_away_) + 1;
  search(30, near);
  const int all = nodes_;
  ASSERT_GT(all, 10);
  search(10, near);
  EXPECT_EQ(nodes_, all);
}

}  // namespace
}  // namespace rematch
