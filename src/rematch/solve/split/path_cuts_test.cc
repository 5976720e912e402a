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
  EXPECT_EQ(found[0].path, (Path{2, std::nullopt, {a_}}));
  EXPECT_EQ(found[0].violation, 1);
  EXPECT_EQ(found[0].sum.at(columns_), 0);
}

// a comes back, but nothing that it is made of does: once because a is read at
// the end, once because it runs.
TEST_F(PathCuts, FollowReadersToTheirInputs) {
  set(program_.run(OpId(1), 1), 1);
  const auto found = cuts();
  ASSERT_EQ(found.size(), 2u);
  for (const PathCut& cut : found) EXPECT_EQ(cut.path.lives.back(), q_);
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

TEST_F(PathCuts, AreKnownByTheirPathInAnyProgram) {
  set(program_.run(OpId(1), 1), 1);
  const SplitPoints finer{{1, 2}, {}, {}};
  const SplitProgram other{problem_, lives_, finer};
  for (const PathCut& cut : cuts()) {
    const auto sum = path_sum(other, cut.path);
    ASSERT_TRUE(sum.has_value());
    EXPECT_EQ(sum->terms.size(), cut.sum.terms.size());
  }
}

TEST_F(PathCuts, SayNothingOfWhatIsNotTouchedAgain) {
  EXPECT_FALSE(path_sum(program_, {2, std::nullopt, {q_}}).has_value());
}

// q runs again after stage 3, perhaps only for b: too late for a.
TEST(PathSplits, AreWhereARunMayComeTooLate) {
  const Graph graph = GraphBuilder()
                          .add_op("q", {}, 1)
                          .add_op("a", {"q"}, 1)
                          .add_op("b", {"q"}, 1)
                          .add_op("big", {}, 5)
                          .add_op("end_a", {"a"}, 1)
                          .add_op("big_2", {}, 5)
                          .add_op("end_b", {"b"}, 1)
                          .build()
                          .value();
  const Problem problem{graph, 6, OrderRule::kFixed};
  const Lives lives = find_lives(graph);
  const std::vector<std::int32_t> moments = {3};
  SplitProgram program{problem, lives, {moments, {}, {}}};
  std::vector<double> columns(program.take_model().num_columns());
  for (OpId op : {OpId(0), OpId(1), OpId(2)}) {
    const std::size_t last = program.run_points(op).size() - 1;
    for (std::size_t i : {last - 1, last}) {
      const Binary run = program.run(op, i);
      if (!run.is_constant()) columns[run.column().index()] = 1;
    }
  }
  EXPECT_TRUE(path_cuts(program, moments, columns, 0.1).empty());
  bool found = false;
  for (const PathSplit& split : path_splits(program, moments, columns, 0.1)) {
    found = found || (split.life == LifeId(0) && split.stage == 4);
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace rematch
