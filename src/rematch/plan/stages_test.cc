// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/stages.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/replay.h"

namespace rematch {
namespace {

// 0 -> 1 -> 2 -> 3, and 3 also reads 0.
Graph ladder() {
  return GraphBuilder()
      .add_op("0", {}, 1)
      .add_op("1", {"0"}, 1)
      .add_op("2", {"1"}, 1)
      .add_op("3", {"2", "0"}, 1)
      .build()
      .value();
}

KeptInterval keep(int tensor, int first, int last) {
  return {TensorId(tensor), first, last};
}

std::vector<int> sequence(const Graph& graph, std::vector<KeptInterval> kept) {
  Meter meter{Limits{}};
  const auto plan = staged_plan(graph, std::move(kept), meter);
  EXPECT_TRUE(replay(graph, *plan, OrderRule::kFixed).ok());
  std::vector<int> ids;
  for (OpId op : computed_ops(*plan)) ids.push_back(op.value);
  return ids;
}

TEST(StagedPlan, RunsEveryOpOnceIfEverythingIsKept) {
  EXPECT_EQ(sequence(ladder(), {keep(0, 1, 3), keep(1, 2, 2), keep(2, 3, 3)}),
            (std::vector<int>{0, 1, 2, 3}));
}

TEST(StagedPlan, RecomputesWhatIsMissing) {
  EXPECT_EQ(sequence(ladder(), {keep(0, 1, 1), keep(1, 2, 2), keep(2, 3, 3)}),
            (std::vector<int>{0, 1, 2, 0, 3}));
}

TEST(StagedPlan, RecomputesEverythingIfNothingIsKept) {
  EXPECT_EQ(sequence(ladder(), {}),
            (std::vector<int>{0, 0, 1, 0, 1, 2, 0, 1, 2, 3}));
}

TEST(StagedPlan, ComputesInTheStageBeforeWhatIsKeptFromThere) {
  // 0 is kept into stages 1 and 3, so stage 2 makes it again.
  EXPECT_EQ(sequence(ladder(), {keep(0, 1, 1), keep(0, 3, 3), keep(1, 2, 2),
                                keep(2, 3, 3)}),
            (std::vector<int>{0, 1, 0, 2, 3}));
}

TEST(StagedPlan, HoldsWhatIsKeptEvenIfNothingReadsIt) {
  Meter meter{Limits{}};
  const Graph graph =
      GraphBuilder().add_op("0", {}, 5).add_op("1", {}, 1).build().value();
  const auto plan = staged_plan(graph, {keep(0, 1, 1)}, meter);
  // Kept into stage 1 and dropped at its start, since nobody reads it there.
  EXPECT_EQ(plan->steps[1], Step::drop(TensorId(0)));
  const auto held = staged_plan(graph, {keep(0, 1, 2)}, meter);
  EXPECT_EQ(replay(graph, *held, OrderRule::kFixed)->peak, 6);
}

// Found by comparing keep_last with brute force: op 0 runs once, and what it
// made is read again when op 1 is recomputed after the last reader of op 0.
TEST(StagedPlan, HoldsOutputsOfRunOnceOpsForLaterRecomputations) {
  OpSpec once;
  once.op.name = "0";
  once.op.recomputable = false;
  once.outputs.push_back({.name = "0", .bytes = 1, .storage_of = {}});
  const Graph graph = GraphBuilder()
                          .add_op(once)
                          .add_op("1", {"0"}, 1)
                          .add_op("2", {}, 1)
                          .add_op("3", {"1", "2"}, 1)
                          .build()
                          .value();
  EXPECT_EQ(sequence(graph, {keep(2, 3, 3)}),
            (std::vector<int>{0, 1, 2, 1, 3}));
}

TEST(StagedPlan, StopsWhenToldTo) {
  Limits limits;
  limits.work = 2;
  Meter meter(limits);
  EXPECT_EQ(staged_plan(ladder(), {}, meter), std::nullopt);
}

}  // namespace
}  // namespace rematch
