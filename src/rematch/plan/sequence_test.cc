// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/sequence.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/replay.h"

namespace rematch {
namespace {

Graph line() {
  return GraphBuilder()
      .add_op("a", {}, 1)
      .add_op("b", {"a"}, 1)
      .add_op("c", {"a", "b"}, 1)
      .build()
      .value();
}

std::vector<OpId> ops(std::initializer_list<int> ids) {
  std::vector<OpId> result;
  for (int id : ids) result.emplace_back(id);
  return result;
}

TEST(PlanFromSequence, DropsAfterTheLastReader) {
  const Plan plan = plan_from_sequence(line(), ops({0, 1, 2}));
  EXPECT_EQ(plan.steps.size(), 6u);
  EXPECT_EQ(plan.steps[2], Step::compute(OpId(2)));
  const Replay measured = replay(line(), plan, OrderRule::kFixed).value();
  EXPECT_EQ(measured.footprint.back(), 0);
}

TEST(PlanFromSequence, DropsACopyBeforeItsProducerRunsAgain) {
  const Plan plan = plan_from_sequence(line(), ops({0, 1, 0, 2}));
  const std::vector<Step> expected = {
      Step::compute(OpId(0)), Step::compute(OpId(1)), Step::drop(TensorId(0)),
      Step::compute(OpId(0)), Step::compute(OpId(2))};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), plan.steps.begin()));
}

TEST(PlanFromSequence, DropsWhatNobodyReadsAtOnce) {
  const Plan plan = plan_from_sequence(line(), ops({0, 0, 1, 2}));
  EXPECT_EQ(plan.steps[1], Step::drop(TensorId(0)));
}

TEST(PlanFromSequence, NeverDropsOutputs) {
  OpSpec spec;
  spec.op.name = "a";
  spec.outputs.push_back(
      {.name = "a", .bytes = 1, .storage_of = {}, .is_output = true});
  const Graph graph = GraphBuilder().add_op(spec).build().value();
  EXPECT_EQ(plan_from_sequence(graph, ops({0, 0})).steps.size(), 2u);
}

TEST(KeepAllPeak, IsThePeakOfEveryOpOnceInOrder) {
  EXPECT_EQ(keep_all_peak(line()), 3);
  EXPECT_EQ(keep_all_peak(GraphBuilder().fixed_bytes(9).build().value()), 9);
}

}  // namespace
}  // namespace rematch
