// SPDX-License-Identifier: Apache-2.0
#include "rematch/graph/graph_builder.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace rematch {
namespace {

TensorSpec tensor(std::string name, Bytes bytes, std::string storage_of = {},
                  bool is_output = false) {
  return {std::move(name), bytes, std::move(storage_of), is_output};
}

OpSpec op(std::string name, std::vector<std::string> inputs,
          std::vector<TensorSpec> outputs) {
  OpSpec spec;
  spec.op.name = std::move(name);
  spec.op.cost = 1;
  spec.inputs = std::move(inputs);
  spec.outputs = std::move(outputs);
  return spec;
}

std::string error_of(const GraphBuilder& builder) {
  const auto graph = builder.build();
  EXPECT_FALSE(graph.ok());
  if (graph.ok()) return "";
  EXPECT_EQ(graph.error().code, ErrorCode::kInvalidGraph);
  return graph.error().message;
}

TEST(GraphBuilder, GivesIdsInOrder) {
  const Graph graph = GraphBuilder()
                          .add_input(tensor("w", 8))
                          .add_op("a", {"w"}, 4)
                          .add_op("b", {"a", "w"}, 2)
                          .build()
                          .value();
  EXPECT_EQ(graph.num_ops(), 2u);
  EXPECT_EQ(graph.num_tensors(), 3u);
  EXPECT_EQ(graph.op(OpId(1)).name, "b");
  EXPECT_TRUE(graph.is_input(TensorId(0)));
  EXPECT_EQ(graph.inputs(OpId(1))[0], TensorId(1));
  EXPECT_EQ(graph.readers(TensorId(0)).size(), 2u);
  EXPECT_EQ(graph.fixed_bytes(), 8);
  EXPECT_EQ(graph.base_cost(), 2);
  EXPECT_EQ(graph.num_edges(), 1u);  // Only a -> b joins two ops.
}

TEST(GraphBuilder, CountsATensorThatIsReadTwiceAsOneEdge) {
  const Graph graph = GraphBuilder()
                          .add_op("a", {}, 1)
                          .add_op("square", {"a", "a"}, 1)
                          .build()
                          .value();
  EXPECT_EQ(graph.num_edges(), 1u);
  EXPECT_EQ(graph.inputs(OpId(1)).size(), 2u);
  EXPECT_EQ(graph.readers(TensorId(0)).size(), 1u);
}

TEST(GraphBuilder, MakesAStorageAsLargeAsItsLargestTensor) {
  const Graph graph = GraphBuilder()
                          .add_op(op("a", {}, {tensor("a", 4)}))
                          .add_op(op("view", {"a"}, {tensor("v", 6, "a")}))
                          .add_op(op("view2", {"v"}, {tensor("u", 1, "v")}))
                          .build()
                          .value();
  EXPECT_EQ(graph.num_storages(), 1u);
  EXPECT_EQ(graph.storage(StorageId(0)).bytes, 6);
  EXPECT_EQ(graph.tensors_in(StorageId(0)).size(), 3u);
}

TEST(GraphBuilder, CountsSharedInputStoragesOnce) {
  const Graph graph = GraphBuilder()
                          .fixed_bytes(100)
                          .add_input(tensor("w", 8))
                          .add_input(tensor("w2", 8, "w"))
                          .build()
                          .value();
  EXPECT_EQ(graph.fixed_bytes(), 108);
  EXPECT_EQ(graph.declared_fixed_bytes(), 100);
}

TEST(GraphBuilder, LetsAnOpWriteIntoAnInput) {
  const Graph graph =
      GraphBuilder()
          .add_input(tensor("buffer", 8))
          .add_op(op("update", {"buffer"}, {tensor("new", 8, "buffer")}))
          .build()
          .value();
  EXPECT_TRUE(graph.storage(graph.tensor(TensorId(1)).storage).resident);
  EXPECT_EQ(graph.fixed_bytes(), 8);
}

TEST(GraphBuilder, SortsOnRequestAndKeepsTheGivenOrderWhereItCan) {
  GraphBuilder builder;
  builder.add_op("late", {"c"}, 1).add_op("b", {}, 1).add_op("c", {"b"}, 1);
  EXPECT_FALSE(builder.build().ok());
  const Graph graph = builder.order(DeclaredOrder::kSorted).build().value();
  EXPECT_EQ(graph.op(OpId(0)).name, "b");
  EXPECT_EQ(graph.op(OpId(1)).name, "c");
  EXPECT_EQ(graph.op(OpId(2)).name, "late");
  EXPECT_EQ(graph.inputs(OpId(2))[0], graph.outputs(OpId(1))[0]);
}

TEST(GraphBuilder, ListsACycle) {
  EXPECT_EQ(error_of(GraphBuilder()
                         .add_op("a", {"c"}, 1)
                         .add_op("b", {"a"}, 1)
                         .add_op("c", {"b"}, 1)),
            "the graph has a cycle: 'a' -> 'b' -> 'c' -> 'a'");
  EXPECT_EQ(error_of(GraphBuilder().add_op("a", {"a"}, 1)),
            "the graph has a cycle: 'a' -> 'a'");
}

TEST(GraphBuilder, CutsALongCycleShort) {
  GraphBuilder builder;
  for (int i = 0; i < 1000; ++i) {
    builder.add_op(std::to_string(i), {std::to_string((i + 999) % 1000)}, 1);
  }
  const std::string message = error_of(builder);
  EXPECT_NE(message.find("... 980 more ..."), std::string::npos);
  EXPECT_LT(message.size(), 300u);
}

TEST(GraphBuilder, NamesAnOpThatComesTooEarly) {
  EXPECT_EQ(error_of(GraphBuilder().add_op("b", {"a"}, 1).add_op("a", {}, 1)),
            "op 'b' comes before op 'a', whose output it reads (positions 0 "
            "and 1); list ops in an order in which they can run");
}

TEST(GraphBuilder, NamesDuplicates) {
  EXPECT_EQ(error_of(GraphBuilder().add_op("a", {}, 1).add_op("a", {}, 1)),
            "two ops are named 'a'");
  EXPECT_EQ(
      error_of(
          GraphBuilder().add_input(tensor("x", 1)).add_input(tensor("x", 2))),
      "two graph inputs are named 'x'");
  EXPECT_EQ(error_of(GraphBuilder()
                         .add_op(op("a", {}, {tensor("t", 1)}))
                         .add_op(op("b", {}, {tensor("t", 1)}))),
            "tensor 't' has two producers: op 'a' and op 'b'");
  EXPECT_EQ(error_of(GraphBuilder()
                         .add_input(tensor("t", 1))
                         .add_op(op("b", {}, {tensor("t", 1)}))),
            "tensor 't' is a graph input and also an output of op 'b'");
  EXPECT_EQ(error_of(GraphBuilder().add_op(
                op("a", {}, {tensor("t", 1), tensor("t", 1)}))),
            "op 'a' has two outputs named 't'");
}

TEST(GraphBuilder, NamesWhatIsMissing) {
  EXPECT_EQ(error_of(GraphBuilder().add_op("a", {"x"}, 1)),
            "op 'a' reads 'x', which no op produces and which is not a graph "
            "input (graph has 1 ops and 0 inputs)");
  EXPECT_EQ(error_of(GraphBuilder().add_op(op("a", {}, {tensor("t", 1, "u")}))),
            "tensor 't' lives in the storage of 'u', which does not exist "
            "(graph has 1 tensors)");
  EXPECT_EQ(error_of(GraphBuilder().add_op(
                op("a", {}, {tensor("t", 1, "u"), tensor("u", 1, "t")}))),
            "tensor 'u' lives in its own storage through 't'");
  EXPECT_EQ(error_of(GraphBuilder().add_op("", {}, 1)), "op 0 has no name");
  EXPECT_EQ(error_of(GraphBuilder().add_input(tensor("", 1))),
            "a graph input has no name");
  EXPECT_EQ(error_of(GraphBuilder().add_op(op("a", {}, {tensor("", 1)}))),
            "op 'a' has an output without a name");
}

TEST(GraphBuilder, RefusesNumbersThatMakeNoSense) {
  EXPECT_EQ(error_of(GraphBuilder().add_op("a", {}, -1)),
            "tensor 'a': a size of -1 bytes is negative");
  EXPECT_EQ(error_of(GraphBuilder().add_op("a", {}, kMaxBytes + 1)),
            "tensor 'a': a size of 4611686018427387905 bytes is more than "
            "4611686018427387904");
  EXPECT_EQ(error_of(GraphBuilder().add_input(tensor("x", -2))),
            "graph input 'x': a size of -2 bytes is negative");
  EXPECT_EQ(error_of(GraphBuilder().add_op("a", {}, 1, -1)),
            "op 'a': a cost of -1 is not a finite number >= 0");
  EXPECT_EQ(error_of(GraphBuilder().add_op(
                "a", {}, 1, std::numeric_limits<double>::infinity())),
            "op 'a': a cost of inf is not a finite number >= 0");
  EXPECT_EQ(error_of(GraphBuilder().add_op("a", {}, 1, std::nan(""))),
            "op 'a': a cost of nan is not a finite number >= 0");
  EXPECT_EQ(error_of(GraphBuilder().fixed_bytes(-1)),
            "fixed_bytes of -1 is not between 0 and 4611686018427387904");
  OpSpec greedy = op("a", {}, {});
  greedy.op.workspace = -3;
  EXPECT_EQ(error_of(GraphBuilder().add_op(greedy)),
            "workspace of op 'a': a size of -3 bytes is negative");
}

TEST(GraphBuilder, RefusesSumsThatOverflow) {
  EXPECT_EQ(error_of(GraphBuilder()
                         .add_op("a", {}, kMaxBytes)
                         .add_op("b", {}, kMaxBytes)
                         .add_op("c", {}, kMaxBytes)),
            "the sizes add up to more than 4611686018427387904 bytes");
  EXPECT_EQ(
      error_of(
          GraphBuilder().add_op("a", {}, 1, 1e280).add_op("b", {}, 1, 1e280)),
      "the costs add up to more than 1e+280");
}

TEST(GraphBuilder, CutsLongNamesInErrorsAtACharacter) {
  const std::string name = std::string(59, 'x') + "ä and much more";
  EXPECT_EQ(error_of(GraphBuilder().add_op(name, {}, -1)),
            "tensor '" + std::string(59, 'x') +
                "...': a size of -1 bytes is negative");
}

TEST(GraphBuilder, MakesAnEmptyGraph) {
  const Graph graph = GraphBuilder().build().value();
  EXPECT_EQ(graph.num_ops(), 0u);
  EXPECT_EQ(graph.base_cost(), 0);
}

TEST(GraphBuilder, StoresNoNegativeZero) {
  const Graph graph = GraphBuilder().add_op("a", {}, 1, -0.0).build().value();
  EXPECT_FALSE(std::signbit(graph.op(OpId(0)).cost));
}

}  // namespace
}  // namespace rematch
