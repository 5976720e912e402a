// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/path_cuts.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

class PathCuts : public testing::Test {
 protected:
  static Graph build() {
    return GraphBuilder()
        .add_op("q", {}, 1)
        .add_op("a", {"q"}, 1)
        .add_op("big", {}, 5)
        .add_op("end", {"a"}, 1)
        .build()
        .value();
  }

  void set(Binary binary, double value) {
    columns_[binary.column().index()] = value;
  }
  std::vector<PathCut> cuts(double least = 0.1) const {
    return path_cuts(program_, points_.moments, columns_, least);
  }

  const Graph graph_ = build();
  const Problem problem_{graph_, 6, OrderRule::kFixed};
  const Lives lives_ = find_lives(graph_);
  const SplitPoints points_{{2}, {}};
  SplitProgram program_{problem_, lives_, points_};
  const LinearModel model_ = program_.take_model();
  std::vector<double> columns_ = std::vector<double>(model_.num_columns());
  const LifeId q_{0};
  const LifeId a_{1};
};

TEST_F(PathCuts, FindWhatIsDeadAndDoesNotComeBack) {
  const auto found = cuts();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].source, a_);
  EXPECT_EQ(found[0].deadline, 3);
  EXPECT_EQ(found[0].violation, 1);
  EXPECT_EQ(found[0].sum.at(columns_), 0);
}

// a comes back, but nothing that it is made of does: once because a is read at
// the end, once because it runs.
TEST_F(PathCuts, FollowReadersToTheirInputs) {
  set(program_.run(OpId(1), 1), 1);
  const auto found = cuts();
  ASSERT_EQ(found.size(), 2u);
  for (const PathCut& cut : found) EXPECT_EQ(cut.source, q_);
}

TEST_F(PathCuts, HoldIfTheInputIsLiveOrRunsAgain) {
  set(program_.run(OpId(1), 1), 1);
  set(program_.live(q_, 2), 1);
  EXPECT_TRUE(cuts().empty());
  set(program_.live(q_, 2), 0);
  set(program_.run(OpId(0), 2), 1);
  EXPECT_TRUE(cuts().empty());
}

TEST_F(PathCuts, HoldIfTheTensorIsKept) {
  set(program_.live(a_, 1), 1);
  EXPECT_TRUE(cuts().empty());
}

TEST_F(PathCuts, LeaveOutWhatIsBarelyBroken) {
  set(program_.live(a_, 1), 0.95);
  EXPECT_TRUE(cuts(0.1).empty());
  EXPECT_EQ(cuts(0.01).size(), 1u);
}

}  // namespace
}  // namespace rematch
