// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/reruns.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/replay.h"

namespace rematch {
namespace {

Graph build() {
  return GraphBuilder()
      .add_op("q", {}, 1, 2)
      .add_op("a", {"q"}, 1, 3)
      .add_op("big", {}, 5)
      .add_op("x", {"a"}, 1)
      .add_op("end", {"a"}, 1)
      .build()
      .value();
}

TEST(Reruns, AreThoseOfThePlanThatTheyMake) {
  const Graph graph = build();
  for (const std::vector<Rerun>& reruns :
       {std::vector<Rerun>{}, std::vector<Rerun>{{OpId(1), 3}},
        std::vector<Rerun>{{OpId(0), 3}, {OpId(1), 3}, {OpId(1), 4}}}) {
    const Plan plan = plan_with_reruns(graph, reruns);
    ASSERT_TRUE(replay(graph, plan, OrderRule::kFixed).ok());
    EXPECT_EQ(reruns_of(graph, plan), reruns);
  }
}

TEST(Reruns, MayComeAfterTheLastOpOfAPlan) {
  const Graph graph = build();
  Plan plan = plan_with_reruns(graph, {});
  plan.steps.push_back(Step::compute(OpId(0)));
  EXPECT_EQ(reruns_of(graph, plan), (std::vector<Rerun>{{OpId(0), 5}}));
}

class RerunsAt : public testing::Test {
 protected:
  void set(Binary binary) { columns_[binary.column().index()] = 1; }

  std::vector<Rerun> reruns() const {
    return reruns_at(graph_, program_, columns_);
  }

  const Graph graph_ = build();
  const Problem problem_{graph_, 6, OrderRule::kFixed};
  const Lives lives_ = find_lives(graph_);
  SplitProgram program_{problem_, lives_, {{2}, {}}};
  const LinearModel model_ = program_.take_model();
  std::vector<double> columns_ = std::vector<double>(model_.num_columns());
};

TEST_F(RerunsAt, RunAsLateAsWhatNeedsThemAllows) {
  set(program_.run(OpId(1), 1));  // a, between big and x.
  set(program_.run(OpId(0), 2));  // q, from big on.
  EXPECT_EQ(reruns(), (std::vector<Rerun>{{OpId(0), 3}, {OpId(1), 3}}));
}

TEST_F(RerunsAt, HoldWhatThePointHolds) {
  set(program_.run(OpId(1), 1));
  set(program_.live(LifeId(0), 2));
  EXPECT_EQ(reruns(), (std::vector<Rerun>{{OpId(1), 3}}));
}

TEST_F(RerunsAt, RunNothingThatIsKept) {
  for (std::size_t i : {0u, 1u}) set(program_.keep(LifeId(1), i));
  set(program_.live(LifeId(1), 1));
  EXPECT_TRUE(reruns().empty());
}

// What is read early and what is read late come back together.
TEST(RerunsOfSeveralOutputs, RunOnceWhereThePointPaysOnce) {
  OpSpec pair;
  pair.op.name = "norm";
  pair.op.cost = 5;
  pair.outputs = {{.name = "y", .bytes = 4, .storage_of = {}},
                  {.name = "mean", .bytes = 1, .storage_of = {}}};
  const Graph graph = GraphBuilder()
                          .add_op(pair)
                          .add_op("big", {}, 8)
                          .add_op("early", {"y"}, 1)
                          .add_op("late", {"mean"}, 1)
                          .build()
                          .value();
  const Problem problem{graph, 9, OrderRule::kFixed};
  const Lives lives = find_lives(graph);
  SplitProgram program{problem, lives, {{1}, {}}};
  const LinearModel model = program.take_model();
  std::vector<double> columns(model.num_columns());
  const OpId norm(0);
  const auto points = program.run_points(norm);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i] != 1) continue;
    columns[program.run(norm, i).column().index()] = 1;
  }
  EXPECT_EQ(reruns_at(graph, program, columns),
            (std::vector<Rerun>{{norm, 2}}));
}

}  // namespace
}  // namespace rematch
