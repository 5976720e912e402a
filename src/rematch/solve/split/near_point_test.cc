// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/near_point.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

// A tensor that is read at the end of a chain of 20 ops.
Graph long_life() {
  GraphBuilder builder;
  builder.add_op("a", {}, 1);
  for (int i = 1; i < 20; ++i) {
    builder.add_op("b" + std::to_string(i), {}, 1);
  }
  builder.add_op("end", {"a"}, 1);
  return builder.build().value();
}

class NearPointTest : public testing::Test {
 protected:
  const Graph graph_ = long_life();
  const Problem problem_{graph_, 6, OrderRule::kFixed};
  const Lives lives_ = find_lives(graph_);
  const SplitPoints points_{{3, 10}, {}, {}};
  SplitProgram program_{problem_, lives_, points_};
  LinearModel model_ = program_.take_model();
  const LifeId a_{0};
};

TEST_F(NearPointTest, HasTheLivesThatTheProgramDecides) {
  std::vector<double> columns(model_.num_columns());
  columns[program_.live(a_, 2).column().index()] = 1;
  const auto lives = lives_at(program_, columns);
  EXPECT_FALSE(lives.at({a_, 3}));
  EXPECT_TRUE(lives.at({a_, 10}));
  EXPECT_FALSE(lives.contains({a_, 20}));
}

TEST_F(NearPointTest, LeavesOpenWhatIsNearTrouble) {
  const NearPoint point{{{{a_, 3}, true}, {{a_, 10}, true}}, {10}, 0};
  fix_far_lives(program_, point, model_);
  EXPECT_EQ(model_.column(program_.live(a_, 1).column()).lower, 1);
  EXPECT_EQ(model_.column(program_.live(a_, 2).column()).lower, 0);
}

TEST_F(NearPointTest, LooksCloselyAtTroubleWithinTheGraph) {
  SplitPoints points;
  look_closely_at_trouble({{}, {0, 20}, 0}, 21, points);
  EXPECT_EQ(points.detailed, (std::set<std::int32_t>{1, 19, 20}));
  EXPECT_EQ(points.moments, (std::vector<std::int32_t>{0, 1, 18, 19, 20}));
}

}  // namespace
}  // namespace rematch
