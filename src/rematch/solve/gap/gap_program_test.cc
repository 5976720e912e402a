// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/gap_program.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

OpSpec op(std::string name, std::vector<std::string> inputs, Bytes bytes,
          Cost cost = 1) {
  OpSpec spec;
  spec.outputs.push_back({.name = name, .bytes = bytes, .storage_of = {}});
  spec.op.name = std::move(name);
  spec.op.cost = cost;
  spec.inputs = std::move(inputs);
  return spec;
}

GapProgram program_of(const GraphBuilder& builder, Bytes budget) {
  const Graph graph = builder.build().value();
  return gap_program({graph, budget, OrderRule::kFixed});
}

TEST(GapProgram, HasAGapBetweenTouchesThatAreApart) {
  GraphBuilder builder;
  builder.add_op(op("a", {}, 10, 7))
      .add_op(op("b", {}, 20))
      .add_op(op("c", {}, 30))
      .add_op(op("d", {"a"}, 1));
  const GapProgram program = program_of(builder, 25);
  ASSERT_EQ(program.gaps.size(), 1u);
  EXPECT_EQ(program.gaps[0].first, 1);
  EXPECT_EQ(program.gaps[0].last, 2);
  EXPECT_EQ(program.gaps[0].bytes, 10);
  EXPECT_EQ(program.gaps[0].cost, 7);
  // What each stage is over 25 if nothing is evicted.
  EXPECT_EQ(program.need, (std::vector<Bytes>{-15, 5, 15, -14}));
}

TEST(GapProgram, CountsFixedBytesAndWorkspace) {
  GraphBuilder builder;
  OpSpec hungry = op("a", {}, 10);
  hungry.op.workspace = 5;
  builder.fixed_bytes(100).add_op(hungry);
  EXPECT_EQ(program_of(builder, 100).need, (std::vector<Bytes>{15}));
}

TEST(GapProgram, HoldsWhatCannotComeBack) {
  GraphBuilder builder;
  OpSpec once = op("a", {}, 10);
  once.op.recomputable = false;
  builder.add_op(once).add_op(op("b", {}, 1)).add_op(op("c", {"a"}, 1));
  const GapProgram program = program_of(builder, 0);
  EXPECT_TRUE(program.gaps.empty());
  EXPECT_EQ(program.need[1], 11);
}

TEST(GapProgram, HoldsOutputsToTheEnd) {
  GraphBuilder builder;
  OpSpec kept = op("a", {}, 10);
  kept.outputs[0].is_output = true;
  builder.add_op(kept).add_op(op("b", {}, 1)).add_op(op("c", {}, 1));
  const GapProgram program = program_of(builder, 0);
  EXPECT_TRUE(program.gaps.empty());
  EXPECT_EQ(program.need, (std::vector<Bytes>{10, 11, 11}));
}

// One rerun brings back both outputs, so the two gaps may not be charged the
// whole cost each: that would be above the optimum.
TEST(GapProgram, SharesARerunAmongTheOutputsOfAnOp) {
  GraphBuilder builder;
  OpSpec pair = op("p", {}, 30, 8);
  pair.outputs.push_back({.name = "q", .bytes = 10, .storage_of = {}});
  builder.add_op(pair).add_op(op("b", {}, 1)).add_op(op("c", {"p", "q"}, 1));
  const GapProgram program = program_of(builder, 0);
  ASSERT_EQ(program.gaps.size(), 2u);
  EXPECT_NEAR(program.gaps[0].cost, 6, 1e-9);
  EXPECT_NEAR(program.gaps[1].cost, 2, 1e-9);
  EXPECT_LE(program.gaps[0].cost + program.gaps[1].cost, 8);
}

TEST(GapProgram, TreatsAViewAsATouchOfItsStorage) {
  GraphBuilder builder;
  OpSpec view = op("v", {"a"}, 4, 0);
  view.outputs[0].storage_of = "a";
  builder.add_op(op("a", {}, 10, 5))
      .add_op(op("x", {}, 1))
      .add_op(view)
      .add_op(op("y", {}, 1))
      .add_op(op("z", {"v"}, 1));
  const GapProgram program = program_of(builder, 0);
  ASSERT_EQ(program.gaps.size(), 2u);  // Around x and around y.
  // Only the op that makes the storage brings it back, not the view.
  EXPECT_EQ(program.gaps[0].cost, 5);
  EXPECT_EQ(program.gaps[1].cost, 5);
}

TEST(GapProgramHolding, HasNoGapsOfWhatIsHeld) {
  const Graph graph = GraphBuilder()
                          .add_op("a", {}, 10, 1)
                          .add_op("b", {"a"}, 20, 2)
                          .add_op("c", {"b"}, 5, 3)
                          .add_op("d", {"c"}, 5, 3)
                          .add_op("e", {"a", "b", "d"}, 1, 1)
                          .build()
                          .value();
  const Problem problem{graph, 30, OrderRule::kFixed};
  const GapProgram free = gap_program(problem);
  IdVector<StorageId, bool> held(graph.num_storages());
  const StorageId a = graph.tensor(TensorId(0)).storage;
  held[a] = true;
  const GapProgram rest = gap_program_holding(problem, held);
  EXPECT_EQ(rest.need, free.need);
  EXPECT_EQ(rest.gaps.size() + 1, free.gaps.size());
  for (const Gap& gap : rest.gaps) EXPECT_NE(gap.storage, a);
}

}  // namespace
}  // namespace rematch
