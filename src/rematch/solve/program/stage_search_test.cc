// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/stage_search.h"

#include <limits>

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

constexpr Cost kNever = std::numeric_limits<Cost>::infinity();

// Two pairs that take turns in the graph's order, then a reader of both.
Graph two_pairs() {
  return GraphBuilder()
      .add_op("a0", {}, 2)
      .add_op("b0", {}, 2)
      .add_op("a1", {"a0"}, 1)
      .add_op("b1", {"b0"}, 1)
      .add_op("end", {"a1", "b1"}, 1)
      .build()
      .value();
}

const StageTask kFromNothing{OpId(4), {}, {}};

TaskAnswer cheapest(const Graph& graph, Bytes budget, const StageTask& task,
                    std::size_t most_states = 1000) {
  SolveClock clock{Limits{}};
  return cheapest_stage(graph, budget, task, most_states, clock);
}

TEST(StageSearch, TakesTheGraphsOrderWhereItFits) {
  const TaskAnswer answer = cheapest(two_pairs(), 5, kFromNothing);
  EXPECT_EQ(answer.least, 4);
  EXPECT_EQ(answer.ops,
            (std::vector{OpId(0), OpId(1), OpId(2), OpId(3), OpId(4)}));
}

TEST(StageSearch, FindsAnotherOrderWhereThatFits) {
  const TaskAnswer answer = cheapest(two_pairs(), 4, kFromNothing);
  EXPECT_EQ(answer.least, 4);
  EXPECT_EQ(answer.ops,
            (std::vector{OpId(0), OpId(2), OpId(1), OpId(3), OpId(4)}));
}

TEST(StageSearch, ProvesThatThereIsNoWay) {
  const TaskAnswer answer = cheapest(two_pairs(), 3, kFromNothing);
  EXPECT_EQ(answer.least, kNever);
  EXPECT_FALSE(answer.ops.has_value());
}

TEST(StageSearch, GivesUpWithWhatItProved) {
  const TaskAnswer answer = cheapest(two_pairs(), 3, kFromNothing, 1);
  EXPECT_EQ(answer.least, 4);
  EXPECT_FALSE(answer.ops.has_value());
}

TEST(StageSearch, CountsItsStatesAndStopsWithTheClock) {
  Limits limits;
  SolveClock whole(limits);
  cheapest_stage(two_pairs(), 3, kFromNothing, 1000, whole);
  EXPECT_GT(whole.work(), 2);
  limits.work = 2;
  SolveClock clock(limits);
  const TaskAnswer answer =
      cheapest_stage(two_pairs(), 3, kFromNothing, 1000, clock);
  EXPECT_EQ(clock.work(), 2);
  EXPECT_EQ(answer.least, 4);
  EXPECT_FALSE(answer.ops.has_value());
}

// `held` is in the way of rerunning a; dropping it and paying for it again is
// the only way.
TEST(StageSearch, DropsAndRerunsWhatIsInTheWay) {
  const Graph graph = GraphBuilder()
                          .add_op("big", {}, 4)
                          .add_op("a", {"big"}, 1)
                          .add_op("held", {}, 2, 10)
                          .add_op("end", {"a"}, 1)
                          .build()
                          .value();
  const StageTask task{OpId(3), {TensorId(2)}, {TensorId(2)}};
  EXPECT_EQ(required_runs(graph, task), (std::vector{OpId(0), OpId(1)}));
  const TaskAnswer answer = cheapest(graph, 5, task);
  EXPECT_EQ(answer.least, 12);
  EXPECT_EQ(answer.ops, (std::vector{OpId(0), OpId(1), OpId(2), OpId(3)}));
}

}  // namespace
}  // namespace rematch
