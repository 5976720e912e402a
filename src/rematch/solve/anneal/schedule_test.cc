// SPDX-License-Identifier: Apache-2.0
// tests/conformance/schedule_test.cc compares it with replay.
#include "rematch/solve/anneal/schedule.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

// 0 -> 1 -> 2, and 2 reads 0 as well; each takes one byte and costs one.
Graph triangle() {
  GraphBuilder builder;
  builder.add_op("0", {}, 1, 1, Phase::kForward);
  builder.add_op("1", {"0"}, 1, 1, Phase::kForward);
  builder.add_op("2", {"0", "1"}, 1, 1, Phase::kForward);
  return builder.build().value();
}

std::vector<OpId> ops(std::initializer_list<int> numbers) {
  std::vector<OpId> result;
  for (int number : numbers) result.push_back(OpId(number));
  return result;
}

constexpr RunId kFirstRerun(3);

TEST(Schedule, KnowsPeakAndExcess) {
  const Graph graph = triangle();
  const TouchTable table(graph);
  const Schedule schedule(graph, table, 2, ops({0, 1, 2}));
  EXPECT_EQ(schedule.peak(), 3);
  EXPECT_EQ(schedule.excess(), 1);
  EXPECT_FALSE(schedule.fits());
  EXPECT_EQ(schedule.extra_cost(), 0);
}

TEST(Schedule, InsertsBeforeARunAndUndoes) {
  const Graph graph = triangle();
  const TouchTable table(graph);
  Schedule schedule(graph, table, 2, ops({0, 1, 2}));
  const RunId rerun = schedule.insert(OpId(0), RunId(2));
  EXPECT_EQ(rerun, kFirstRerun);
  EXPECT_EQ(schedule.sequence(), ops({0, 1, 0, 2}));
  EXPECT_EQ(schedule.extra_cost(), 1);
  EXPECT_EQ(schedule.next(rerun), RunId(2));
  EXPECT_EQ(schedule.previous(rerun), RunId(1));
  schedule.undo_to(0);
  EXPECT_EQ(schedule.sequence(), ops({0, 1, 2}));
  EXPECT_EQ(schedule.extra_cost(), 0);
  EXPECT_FALSE(schedule.exists(rerun));
}

TEST(Schedule, SaysWhichRerunsNobodyReads) {
  const Graph graph = triangle();
  const TouchTable table(graph);
  Schedule schedule(graph, table, 2, ops({0, 1, 0, 2, 1}));
  EXPECT_FALSE(schedule.is_useless(kFirstRerun));
  EXPECT_TRUE(schedule.is_useless(RunId(4)));
}

TEST(Schedule, MovesARun) {
  const Graph graph = triangle();
  const TouchTable table(graph);
  Schedule schedule(graph, table, 2, ops({0, 1, 0, 2}));
  schedule.move(kFirstRerun, kNoRun);
  EXPECT_EQ(schedule.sequence(), ops({0, 1, 2, 0}));
  schedule.undo_to(0);
  EXPECT_EQ(schedule.sequence(), ops({0, 1, 0, 2}));
}

TEST(Schedule, GrowsWithItsRuns) {
  const Graph graph = triangle();
  const TouchTable table(graph);
  Schedule schedule(graph, table, 2, ops({0, 1, 2}));
  std::vector<OpId> expected = ops({0, 1});
  for (int i = 0; i < 5'000; ++i) {
    schedule.insert(OpId(i % 2), RunId(2));
    expected.push_back(OpId(i % 2));
    if (i % 100 == 0) schedule.commit();
  }
  expected.push_back(OpId(2));
  EXPECT_EQ(schedule.sequence(), expected);
  EXPECT_EQ(schedule.num_runs(), 5'003u);
  const auto measured =
      replay(graph, plan_from_sequence(graph, expected), OrderRule::kFixed);
  EXPECT_EQ(schedule.peak(), measured->peak);
  EXPECT_EQ(schedule.extra_cost() + 3, measured->cost);
}

}  // namespace
}  // namespace rematch
