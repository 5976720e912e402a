// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/stage_fit.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/split/reruns.h"

namespace rematch {
namespace {

using Stages = std::vector<std::int32_t>;

// Two pairs, something that needs all memory, then a reader of both pairs.
Graph two_pairs() {
  return GraphBuilder()
      .add_op("a0", {}, 2)
      .add_op("b0", {}, 2)
      .add_op("a1", {"a0"}, 1)
      .add_op("b1", {"b0"}, 1)
      .add_op("big", {}, 4)
      .add_op("end", {"a1", "b1"}, 1)
      .build()
      .value();
}

// Runs everything again before the last op, and both pairs at once.
Plan rerun_all(const Graph& graph) {
  std::vector<Rerun> reruns;
  for (int op : {0, 1, 2, 3}) reruns.push_back({OpId(op), 5});
  return plan_with_reruns(graph, reruns);
}

TEST(OverflowOf, TellsFirstRunsFromReruns) {
  const Graph graph = two_pairs();
  const Plan plan = rerun_all(graph);
  const Overflow none = overflow_of({graph, 9, OrderRule::kFixed}, plan);
  EXPECT_TRUE(none.first_runs.empty());
  EXPECT_TRUE(none.reruns.empty());
  const Overflow some = overflow_of({graph, 4, OrderRule::kFixed}, plan);
  EXPECT_EQ(some.reruns, (Stages{5}));
  const Overflow keep =
      overflow_of({graph, 4, OrderRule::kFixed}, keep_all_plan(graph));
  EXPECT_TRUE(keep.reruns.empty());
  // big is two bytes over, a1 and b1 less.
  ASSERT_FALSE(keep.first_runs.empty());
  EXPECT_EQ(keep.first_runs[0], 4);
}

TEST(WithFittingStages, FindsAnOrderThatFits) {
  const Graph graph = two_pairs();
  const Problem problem{graph, 4, OrderRule::kFixed};
  const Plan plan =
      with_fitting_stages(problem, find_lives(graph), rerun_all(graph));
  EXPECT_TRUE(overflow_of(problem, plan).reruns.empty());
}

TEST(WithFittingStages, LeavesAStageWithoutAWayAsItIs) {
  const Graph graph = two_pairs();
  const Problem problem{graph, 3, OrderRule::kFixed};
  const Plan before = rerun_all(graph);
  const Plan plan = with_fitting_stages(problem, find_lives(graph), before);
  EXPECT_EQ(computed_ops(plan), computed_ops(before));
}

// While x is there, p cannot be made again; before it, where r is, it can.
Graph busy_end() {
  return GraphBuilder()
      .add_op("q", {}, 2)
      .add_op("p", {"q"}, 1)
      .add_op("r", {}, 1)
      .add_op("big", {}, 5)
      .add_op("m", {"r"}, 1)
      .add_op("x", {}, 3)
      .add_op("end", {"p", "x"}, 1)
      .build()
      .value();
}

TEST(WithRerunsTogether, BringsWhatDoesNotFitToAnEarlierStage) {
  const Graph graph = busy_end();
  const Problem problem{graph, 5, OrderRule::kFixed};
  const std::vector<Rerun> reruns = {{OpId(2), 4}, {OpId(0), 6}, {OpId(1), 6}};
  ASSERT_EQ(overflow_of(problem, plan_with_reruns(graph, reruns)).reruns,
            (Stages{6}));
  const auto plan =
      with_reruns_together(problem, find_lives(graph), reruns, 100);
  ASSERT_TRUE(plan.has_value());
  const auto measured = replay(graph, *plan, OrderRule::kFixed);
  ASSERT_TRUE(measured.ok());
  EXPECT_LE(measured->peak, 5);
  EXPECT_EQ(measured->cost, graph.base_cost() + 3);
}

TEST(WithRerunsTogether, IsNoneWhereThatDoesNotHelp) {
  const Graph graph = busy_end();
  const Problem problem{graph, 4, OrderRule::kFixed};
  const std::vector<Rerun> reruns = {{OpId(2), 4}, {OpId(0), 6}, {OpId(1), 6}};
  EXPECT_FALSE(with_reruns_together(problem, find_lives(graph), reruns, 100)
                   .has_value());
}

TEST(WithRerunsTogether, IsNoneIfAnOpHasNotRunByThen) {
  const Graph graph = busy_end();
  const Problem problem{graph, 5, OrderRule::kFixed};
  const std::vector<Rerun> reruns = {{OpId(0), 1}, {OpId(0), 6}, {OpId(1), 6}};
  EXPECT_FALSE(with_reruns_together(problem, find_lives(graph), reruns, 100)
                   .has_value());
}

class PlanByStages : public testing::Test {
 protected:
  std::optional<Plan> plan(Bytes budget) const {
    const Problem problem{graph_, budget, OrderRule::kFixed};
    const Lives lives = find_lives(graph_);
    SplitProgram program(problem, lives, {{0, 1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}});
    const LinearModel model = program.take_model();
    // Nothing is live but what an op touches.
    return plan_by_stages(problem, program,
                          std::vector<double>(model.num_columns()));
  }

  const Graph graph_ = two_pairs();
};

TEST_F(PlanByStages, RunsWhatThePointDoesNotKeep) {
  const auto found = plan(4);
  ASSERT_TRUE(found.has_value());
  const auto measured = replay(graph_, *found, OrderRule::kFixed);
  ASSERT_TRUE(measured.ok());
  EXPECT_LE(measured->peak, 4);
  // a0 for a1, b0 for b1, and all four for the end.
  EXPECT_EQ(measured->cost, graph_.base_cost() + 6);
}

TEST_F(PlanByStages, IsNoneIfAStageDoesNotFit) {
  EXPECT_FALSE(plan(3).has_value());
}

}  // namespace
}  // namespace rematch
