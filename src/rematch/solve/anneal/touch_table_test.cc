// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/touch_table.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

// a -> x; b reads x, makes a view v of it and an output y; c reads v.
Graph with_view() {
  GraphBuilder builder;
  builder.fixed_bytes(3);
  const auto tensor = [](std::string name, Bytes bytes) {
    return TensorSpec{.name = std::move(name),
                      .bytes = bytes,
                      .storage_of = {},
                      .is_output = false};
  };
  OpSpec a;
  a.op.name = "a";
  a.op.workspace = 5;
  a.outputs = {tensor("x", 10)};
  builder.add_op(std::move(a));
  OpSpec b;
  b.op.name = "b";
  b.inputs = {"x"};
  TensorSpec view = tensor("v", 10);
  view.storage_of = "x";
  TensorSpec kept = tensor("y", 7);
  kept.is_output = true;
  b.outputs = {view, kept};
  builder.add_op(std::move(b));
  OpSpec c;
  c.op.name = "c";
  c.inputs = {"v"};
  c.outputs = {tensor("unread", 2)};
  builder.add_op(std::move(c));
  return builder.build().value();
}

TEST(TouchTable, CountsEachStorageOnce) {
  const Graph graph = with_view();
  const TouchTable table(graph);
  EXPECT_EQ(table.own_bytes(OpId(0)), 3 + 5 + 10);
  EXPECT_EQ(table.own_bytes(OpId(1)), 3 + 10 + 7);
  EXPECT_EQ(table.own_bytes(OpId(2)), 3 + 10 + 2);
  EXPECT_EQ(table.of(OpId(1)).size(), 2u);
}

TEST(TouchTable, TellsTensorsOfAStorageApart) {
  const Graph graph = with_view();
  const TouchTable table(graph);
  const Touch& touch = table.of(OpId(1))[0];
  EXPECT_EQ(touch.reads, table.bit(TensorId(0)));
  EXPECT_EQ(touch.rerun, table.bit(TensorId(1)));
  EXPECT_NE(touch.reads, touch.rerun);
}

TEST(TouchTable, AnotherRunDoesNotMakeAGraphOutputAnew) {
  const Graph graph = with_view();
  const TouchTable table(graph);
  const Touch& touch = table.of(OpId(1))[1];
  EXPECT_EQ(touch.first_run, table.bit(TensorId(2)));
  EXPECT_EQ(touch.rerun, 0u);
  EXPECT_EQ(table.kept(touch.storage), table.bit(TensorId(2)));
}

TEST(TouchTable, WhatNobodyReadsHasNoBit) {
  const Graph graph = with_view();
  EXPECT_EQ(TouchTable(graph).bit(TensorId(3)), 0u);
}

}  // namespace
}  // namespace rematch
