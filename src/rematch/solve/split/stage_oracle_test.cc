// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/stage_oracle.h"

#include <limits>

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

constexpr Cost kNone = std::numeric_limits<Cost>::infinity();

// Two pairs of ops that take turns, then a reader of both.
Graph two_pairs(Bytes workspace = 0) {
  OpSpec a1;
  a1.op.name = "a1";
  a1.op.cost = 1;
  a1.op.workspace = workspace;
  a1.inputs = {"a0"};
  a1.outputs = {{.name = "a1", .bytes = 1, .storage_of = {}}};
  return GraphBuilder()
      .add_op("a0", {}, 2, 3)
      .add_op("b0", {}, 2, 5)
      .add_op(a1)
      .add_op("b1", {"b0"}, 1, 1)
      .add_op("end", {"a1", "b1"}, 1)
      .build()
      .value();
}

constexpr LifeId kA0{0};
constexpr LifeId kB0{1};
constexpr LifeId kA1{2};
constexpr LifeId kB1{3};

StageAnswer solve(const Graph& graph, Bytes budget,
                  const std::vector<LifeId>& available,
                  const std::vector<LifeId>& wanted, Cost limit = kNone,
                  int states = 1000) {
  const Lives lives = find_lives(graph);
  LiveSet before(lives.all.size());
  LiveSet after(lives.all.size());
  for (LifeId id : available) before[id] = true;
  for (LifeId id : wanted) after[id] = true;
  return solve_stage({graph, budget, OrderRule::kFixed}, lives, 4, before,
                     after, limit, states);
}

TEST(StageOracle, RunsNothingForWhatIsAvailable) {
  const StageAnswer answer = solve(two_pairs(), 9, {kA1}, {kA1});
  EXPECT_TRUE(answer.solved);
  EXPECT_EQ(answer.least, 0);
  EXPECT_TRUE(answer.order.empty());
}

TEST(StageOracle, RunsWhatIsNeededInOrder) {
  const StageAnswer answer = solve(two_pairs(), 9, {}, {kA1});
  EXPECT_TRUE(answer.solved);
  EXPECT_EQ(answer.least, 4);
  EXPECT_EQ(answer.order, (std::vector<OpId>{OpId(0), OpId(2)}));
}

// Within 4 bytes one pair has to be done before the other begins.
TEST(StageOracle, FindsAnOrderThatFits) {
  const StageAnswer answer = solve(two_pairs(), 4, {}, {kA1, kB1});
  EXPECT_TRUE(answer.solved);
  EXPECT_EQ(answer.least, 10);
  EXPECT_EQ(answer.order.size(), 4u);
}

TEST(StageOracle, ProvesThatThereIsNoWay) {
  const StageAnswer answer = solve(two_pairs(), 3, {}, {kA1, kB1});
  EXPECT_FALSE(answer.solved);
  EXPECT_EQ(answer.least, kNone);
}

TEST(StageOracle, CountsWorkspaceWhileAnOpRuns) {
  EXPECT_TRUE(solve(two_pairs(1), 4, {}, {kA1}).solved);
  EXPECT_FALSE(solve(two_pairs(2), 4, {}, {kA1}).solved);
}

// Within 4 bytes b0 and b1 do not fit beside a0, which runs again then.
TEST(StageOracle, RunsAnOpAgainIfItHasTo) {
  const StageAnswer answer = solve(two_pairs(), 5, {kA0}, {kA0, kA1, kB1});
  EXPECT_TRUE(answer.solved);
  EXPECT_EQ(answer.least, 7);
  const StageAnswer tight = solve(two_pairs(), 4, {kA0}, {kA0, kA1, kB1});
  EXPECT_TRUE(tight.solved);
  EXPECT_EQ(tight.least, 10);
}

TEST(StageOracle, StopsAtLimitsWithWhatIsProved) {
  const StageAnswer dear = solve(two_pairs(), 9, {}, {kA1, kB1}, 9);
  EXPECT_FALSE(dear.solved);
  EXPECT_GT(dear.least, 9);
  EXPECT_LE(dear.least, 10);
  const StageAnswer hurried = solve(two_pairs(), 9, {}, {kA1, kB1}, kNone, 1);
  EXPECT_FALSE(hurried.solved);
  EXPECT_GT(hurried.least, 0);
  EXPECT_LE(hurried.least, 10);
}

TEST(StageOracle, NamesTheLivesThatMatter) {
  const StageAnswer answer = solve(two_pairs(), 9, {}, {kA1});
  EXPECT_EQ(answer.relevant, (std::vector<LifeId>{kA0, kA1}));
}

}  // namespace
}  // namespace rematch
