// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/lives.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

using Stages = std::vector<std::int32_t>;

OpSpec op(std::string name, std::vector<std::string> inputs, Bytes bytes,
          Cost cost = 1) {
  OpSpec spec;
  spec.outputs.push_back({.name = name, .bytes = bytes, .storage_of = {}});
  spec.op.name = std::move(name);
  spec.op.cost = cost;
  spec.inputs = std::move(inputs);
  return spec;
}

Graph build(std::vector<OpSpec> ops) {
  GraphBuilder builder;
  for (OpSpec& spec : ops) builder.add_op(std::move(spec));
  return builder.build().value();
}

// p, then q from p, then a from q; a is read long after.
Graph tail() {
  return build({op("p", {}, 1, 3), op("q", {"p"}, 1, 4), op("a", {"q"}, 1, 5),
                op("x", {}, 1), op("y", {}, 1), op("end", {"a"}, 1)});
}

TEST(Lives, AreTouchedByProducerAndReaders) {
  const Lives lives =
      find_lives(build({op("a", {}, 1), op("b", {}, 1), op("c", {"a"}, 1)}));
  const Life& a = lives.all[LifeId(0)];
  EXPECT_EQ(a.touches, (Stages{0, 2}));
  EXPECT_TRUE(a.is_touched_at(2));
  EXPECT_FALSE(a.is_touched_at(1));
  EXPECT_EQ(a.next_touch(0), 2);
  EXPECT_EQ(a.next_touch(2), std::nullopt);
  EXPECT_EQ(a.root, OpId(0));
  EXPECT_EQ(lives.read_by[OpId(2)], std::vector{LifeId(0)});
  EXPECT_EQ(lives.written_by[OpId(2)], std::vector{LifeId(2)});
}

TEST(Lives, LeaveOutWhatTakesNoMemoryOfItsOwn) {
  OpSpec view = op("v", {"in"}, 4);
  view.outputs[0].storage_of = "in";
  GraphBuilder builder;
  builder.add_input({.name = "in", .bytes = 4, .storage_of = {}})
      .add_op(view)
      .add_op(op("empty", {}, 0))
      .add_op(op("a", {"v", "empty"}, 1));
  const Graph graph = builder.build().value();
  const Lives lives = find_lives(graph);
  ASSERT_EQ(lives.all.size(), 1u);
  EXPECT_EQ(graph.tensor(lives.all[LifeId(0)].tensor).name, "a");
  EXPECT_TRUE(lives.read_by[OpId(2)].empty());
}

TEST(Lives, OfAnOpThatRunsOnceLastToTheLastTouch) {
  OpSpec once = op("a", {}, 1);
  once.op.recomputable = false;
  const Lives lives = find_lives(
      build({once, op("b", {}, 1), op("c", {"a"}, 1), op("d", {}, 1)}));
  const Life& a = lives.all[LifeId(0)];
  EXPECT_EQ(a.root, std::nullopt);
  EXPECT_TRUE(a.is_certain_at(1));
  EXPECT_FALSE(a.is_certain_at(3));
}

TEST(Lives, OfGraphOutputsLastToTheEnd) {
  OpSpec kept = op("a", {}, 1);
  kept.outputs[0].is_output = true;
  const Lives lives = find_lives(build({kept, op("b", {}, 1), op("c", {}, 1)}));
  const Life& a = lives.all[LifeId(0)];
  EXPECT_TRUE(a.pinned);
  EXPECT_EQ(a.horizon, 2);
  EXPECT_TRUE(a.is_certain_at(2));
}

// A rerun of a that is part of every bound may happen before stage 5, and needs
// q until then. What q's own rerun would cost decides how long p is of use.
TEST(Lives, ReachAsFarAsRerunsNeedThem) {
  const Lives lives = find_lives(tail());
  EXPECT_EQ(lives.all[LifeId(2)].horizon, 5);
  EXPECT_EQ(lives.all[LifeId(1)].last_use, 5);
  EXPECT_EQ(lives.all[LifeId(1)].horizon, 4);
  EXPECT_EQ(lives.all[LifeId(0)].horizon, 4);
}

TEST(Lives, ReachNoFurtherThanIsSpared) {
  const Lives some = find_lives(tail(), 4);
  EXPECT_EQ(some.all[LifeId(0)].horizon, 4);
  const Lives less = find_lives(tail(), 3.5);
  EXPECT_EQ(less.all[LifeId(1)].horizon, 4);
  EXPECT_EQ(less.all[LifeId(0)].last_use, -1);
  EXPECT_EQ(less.all[LifeId(0)].horizon, 1);
}

// A rerun between touches without a stage in between restores nothing that the
// gap program knows of.
TEST(Lives, ReachAReturnBetweenNeighboursOnlyIfSpared) {
  const Graph graph = build({op("q", {}, 1), op("x", {}, 1),
                             op("a", {"q"}, 1, 7), op("end", {"a"}, 1)});
  EXPECT_EQ(find_lives(graph, 7).all[LifeId(0)].last_use, 3);
  EXPECT_EQ(find_lives(graph, 6).all[LifeId(0)].last_use, -1);
}

// The gap of the storage of a and v is charged to a, although only v is read at
// its end.
TEST(Lives, ReachARootBehindAViewForNothing) {
  OpSpec view = op("v", {"a"}, 4);
  view.outputs[0].storage_of = "a";
  const Graph graph = build({op("q", {}, 1, 2), op("a", {"q"}, 4, 10), view,
                             op("big", {}, 5), op("end", {"v"}, 1)});
  const Lives lives = find_lives(graph, 0);
  EXPECT_EQ(lives.all[LifeId(0)].last_use, 4);
  EXPECT_EQ(lives.all[LifeId(0)].horizon, 3);
}

TEST(Lives, OfAnOpHaveEachStorageOnce) {
  OpSpec view = op("v", {"a", "b"}, 4);
  view.outputs[0].storage_of = "a";
  const Graph graph = build({op("a", {}, 4), op("b", {}, 4), view});
  const Lives lives = find_lives(graph);
  EXPECT_EQ(storages_of(lives, OpId(2)).size(), 2u);
  EXPECT_EQ(lives.lives_in[graph.tensor(TensorId(0)).storage].size(), 2u);
}

}  // namespace
}  // namespace rematch
