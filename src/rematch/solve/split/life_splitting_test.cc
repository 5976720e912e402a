// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/life_splitting.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

// Nothing of it can be split along paths.
TEST(LifeSplitting, IsOverWhereNothingIsLeftToSplit) {
  const Graph graph = GraphBuilder()
                          .add_op("a", {}, 2)
                          .add_op("big", {}, 4)
                          .add_op("end", {"a"}, 1)
                          .build()
                          .value();
  const Problem problem{graph, 5, OrderRule::kFixed};
  const Lives lives = find_lives(graph);
  SplitDetail detail;
  SplitRound round(problem, lives, detail);
  ASSERT_EQ(round.relax([] { return LpLimits(); }, [](Cost) { return true; }),
            LpStatus::kOptimal);
  LifeSplitting splitting;
  EXPECT_FALSE(splitting.goes_on(round, 1, 1));
  EXPECT_TRUE(splitting.is_split_up());
  EXPECT_TRUE(detail.points.local.empty());
}

}  // namespace
}  // namespace rematch
