// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/floor.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

OpSpec op(std::string name, std::vector<std::string> inputs, Bytes bytes) {
  OpSpec spec;
  spec.outputs.push_back({.name = name, .bytes = bytes, .storage_of = {}});
  spec.op.name = std::move(name);
  spec.inputs = std::move(inputs);
  return spec;
}

TEST(PeakFloor, IsTheLargestWorkingSetOfOneOp) {
  OpSpec middle = op("b", {"a"}, 5);
  middle.op.workspace = 100;
  const Graph graph = GraphBuilder()
                          .fixed_bytes(1000)
                          .add_op(op("a", {}, 3))
                          .add_op(middle)
                          .add_op(op("c", {"b"}, 7))
                          .build()
                          .value();
  const PeakFloor floor = peak_floor(graph, OrderRule::kFixed);
  EXPECT_EQ(floor.bytes, 1000 + 3 + 5 + 100);
  EXPECT_EQ(floor.op, OpId(1));
}

TEST(PeakFloor, CountsAStorageOnce) {
  OpSpec view = op("v", {"a"}, 4);
  view.outputs[0].storage_of = "a";
  const Graph graph =
      GraphBuilder().add_op(op("a", {}, 4)).add_op(view).build().value();
  EXPECT_EQ(peak_floor(graph, OrderRule::kFixed).bytes, 4);
}

TEST(PeakFloor, CountsOutputsThatAreThereAlready) {
  OpSpec kept = op("kept", {}, 50);
  kept.outputs[0].is_output = true;
  const Graph graph = GraphBuilder()
                          .add_op(kept)
                          .add_op(op("a", {}, 30))
                          .add_op(op("b", {"a"}, 30))
                          .build()
                          .value();
  EXPECT_EQ(peak_floor(graph, OrderRule::kFixed).bytes, 110);
  // With a free order "kept" can come last.
  EXPECT_EQ(peak_floor(graph, OrderRule::kFree).bytes, 60);
}

TEST(PeakFloor, CountsEveryOutputAtTheEndWithAFreeOrder) {
  OpSpec x = op("x", {}, 50);
  OpSpec y = op("y", {}, 60);
  x.outputs[0].is_output = y.outputs[0].is_output = true;
  const Graph graph = GraphBuilder().add_op(x).add_op(y).build().value();
  EXPECT_EQ(peak_floor(graph, OrderRule::kFree).bytes, 110);
}

TEST(PeakFloor, CountsWhatCannotComeBack) {
  OpSpec once = op("once", {}, 50);
  once.op.recomputable = false;
  const Graph graph = GraphBuilder()
                          .add_op(once)
                          .add_op(op("a", {}, 30))
                          .add_op(op("b", {"once", "a"}, 1))
                          .add_op(op("c", {}, 70))
                          .build()
                          .value();
  EXPECT_EQ(peak_floor(graph, OrderRule::kFixed).bytes, 81);
}

TEST(PeakFloor, IsTheFixedBytesOfAnEmptyGraph) {
  const Graph graph = GraphBuilder().fixed_bytes(3).build().value();
  EXPECT_EQ(peak_floor(graph, OrderRule::kFixed).bytes, 3);
  EXPECT_EQ(peak_floor(graph, OrderRule::kFree).bytes, 3);
}

}  // namespace
}  // namespace rematch
