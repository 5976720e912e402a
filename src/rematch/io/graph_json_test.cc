// SPDX-License-Identifier: Apache-2.0
// Graph documents: what is read, what is refused, what is written.
#include "rematch/io/graph_json.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rematch {
namespace {

// A document with these fields besides its header.
std::string document(std::string_view fields) {
  return fmt::format(R"({{"format": "rematch.graph", "version": 1, {}}})",
                     fields);
}

// A document with one op with these fields.
std::string with_op(std::string_view fields) {
  return document(fmt::format(R"("ops": [{{{}}}])", fields));
}

std::string problem(std::string_view text) {
  const auto graph = graph_from_json(text);
  return graph ? "none" : graph.error().message;
}

Graph read(std::string_view text) {
  auto graph = graph_from_json(text);
  EXPECT_TRUE(graph) << problem(text);
  return graph ? *graph : Graph();
}

constexpr std::string_view kEveryField = R"({
  "format": "rematch.graph", "version": 1, "name": "n", "description": "d",
  "cost_unit": "us", "fixed_bytes": 7,
  "inputs": [{"name": "w", "bytes": 4096},
             {"name": "v", "bytes": 1, "storage_of": "w", "output": true}],
  "ops": [{"name": "conv1", "kind": "conv2d", "inputs": ["w", "w"],
           "outputs": [{"name": "y", "bytes": 1024},
                       {"name": "z", "bytes": 0, "storage_of": "y",
                        "output": true}],
           "cost": 12.5, "workspace_bytes": 3, "phase": "forward",
           "recomputable": false},
          {"name": "grad", "inputs": ["y"], "outputs": [], "cost": 0,
           "phase": "backward"}]})";

TEST(GraphFromJson, ReadsFieldsOfTheGraph) {
  const Graph graph = read(kEveryField);
  EXPECT_EQ(graph.name(), "n");
  EXPECT_EQ(graph.description(), "d");
  EXPECT_EQ(graph.cost_unit(), "us");
  EXPECT_EQ(graph.declared_fixed_bytes(), 7);
  EXPECT_EQ(graph.fixed_bytes(), 4103);
}

TEST(GraphFromJson, ReadsFieldsOfAnOp) {
  const Graph graph = read(kEveryField);
  const Op expected{.name = "conv1",
                    .kind = "conv2d",
                    .cost = 12.5,
                    .workspace = 3,
                    .phase = Phase::kForward,
                    .recomputable = false};
  EXPECT_EQ(graph.op(OpId(0)), expected);
  EXPECT_EQ(graph.inputs(OpId(0)).size(), 2U);
  EXPECT_TRUE(graph.outputs(OpId(1)).empty());
}

TEST(GraphFromJson, ReadsFieldsOfATensor) {
  const Graph graph = read(kEveryField);
  const Tensor& tensor = graph.tensor(TensorId(3));
  EXPECT_EQ(tensor.name, "z");
  EXPECT_EQ(tensor.storage, graph.tensor(TensorId(2)).storage);
  EXPECT_TRUE(tensor.is_output);
}

TEST(GraphFromJson, FillsInDefaults) {
  const Graph graph = read(with_op(R"("name": "a", "outputs": [], "cost": 1)"));
  const Op expected{.name = "a", .kind = "", .cost = 1};
  EXPECT_EQ(graph.op(OpId(0)), expected);
  EXPECT_EQ(graph.name(), "");
  EXPECT_EQ(graph.fixed_bytes(), 0);
}

TEST(GraphFromJson, ReadsBytesOfAnOpAsOneOutput) {
  EXPECT_EQ(read(with_op(R"("name": "a", "bytes": 5, "cost": 1)")),
            read(with_op(R"("name": "a", "cost": 1,
                            "outputs": [{"name": "a", "bytes": 5}])")));
}

TEST(GraphFromJson, AcceptsIntegralFloatAsBytes) {
  const Graph graph = read(with_op(R"("name": "a", "bytes": 1e9, "cost": 1)"));
  EXPECT_EQ(graph.tensor(TensorId(0)).bytes, 1000000000);
}

TEST(GraphFromJson, RoundsLargeIntegerCost) {
  const Graph graph =
      read(with_op(R"("name": "a", "bytes": 1, "cost": 36893488147419103233)"));
  EXPECT_EQ(graph.op(OpId(0)).cost, 0x1p65);
}

TEST(GraphFromJson, SortsOnRequest) {
  const std::string text = document(
      R"("ops": [{"name": "b", "inputs": ["a"], "bytes": 1, "cost": 1},
                 {"name": "a", "bytes": 1, "cost": 1}])");
  EXPECT_FALSE(graph_from_json(text));
  EXPECT_TRUE(graph_from_json(text, DeclaredOrder::kSorted));
}

TEST(GraphFromJson, RefusesBadHeader) {
  EXPECT_EQ(problem(R"({"format": "rematch.plan"})"),
            "this is a plan, not a graph");
}

TEST(GraphFromJson, RefusesBrokenText) {
  EXPECT_EQ(problem("{"), "line 1, column 2: the text ends too early");
}

TEST(GraphFromJson, RefusesUnknownFieldOfTheGraph) {
  EXPECT_EQ(problem(document(R"("ops": [], "opps": 1)")),
            "there is no field 'opps' (known: format, version, name, "
            "description, cost_unit, fixed_bytes, inputs, ops)");
}

TEST(GraphFromJson, RefusesUnknownFieldOfAnOp) {
  EXPECT_EQ(problem(with_op(R"("name": "a", "byte": 1, "cost": 1)")),
            "op 'a': there is no field 'byte' (known: name, kind, inputs, "
            "outputs, bytes, cost, workspace_bytes, phase, recomputable)");
}

TEST(GraphFromJson, RefusesUnknownFieldOfATensor) {
  EXPECT_EQ(problem(with_op(R"("name": "a", "cost": 1,
                               "outputs": [{"size": 1}])")),
            "op 'a': output 0: there is no field 'size' (known: name, bytes, "
            "storage_of, output)");
}

TEST(GraphFromJson, NeedsOps) {
  EXPECT_EQ(problem(document(R"("inputs": [])")), "field 'ops' is missing");
}

TEST(GraphFromJson, NeedsCost) {
  EXPECT_EQ(problem(with_op(R"("name": "a", "bytes": 1)")),
            "op 'a': field 'cost' is missing");
}

TEST(GraphFromJson, NeedsNameOfAnOp) {
  EXPECT_EQ(problem(with_op(R"("bytes": 1, "cost": 1)")),
            "op 0: field 'name' is missing");
}

TEST(GraphFromJson, NeedsOutputsOrBytes) {
  EXPECT_EQ(problem(with_op(R"("name": "a", "cost": 1)")),
            "op 'a': neither of the fields 'outputs' and 'bytes' is there");
}

TEST(GraphFromJson, RefusesOutputsAndBytes) {
  EXPECT_EQ(
      problem(with_op(R"("name": "a", "cost": 1, "bytes": 1, "outputs": [])")),
      "op 'a': both of the fields 'outputs' and 'bytes' are there");
}

TEST(GraphFromJson, NeedsBytesOfAnOutput) {
  EXPECT_EQ(
      problem(with_op(R"("name": "a", "cost": 1, "outputs": [{"name": "y"}])")),
      "op 'a': output 'y': field 'bytes' is missing");
}

TEST(GraphFromJson, NeedsBytesOfAnInput) {
  EXPECT_EQ(problem(document(R"("ops": [], "inputs": [{"name": "w"}])")),
            "graph input 'w': field 'bytes' is missing");
}

TEST(GraphFromJson, RefusesFractionOfAByte) {
  EXPECT_EQ(problem(with_op(R"("name": "a", "bytes": 10.5, "cost": 1)")),
            "op 'a': field 'bytes' should be an integer, found 10.5");
}

TEST(GraphFromJson, RefusesBytesBeyond64Bits) {
  EXPECT_EQ(problem(with_op(R"("name": "a", "bytes": 1e30, "cost": 1)")),
            "op 'a': field 'bytes' should be between -9223372036854775808 and "
            "9223372036854775807, found 1e+30");
}

TEST(GraphFromJson, RefusesInputThatIsNoName) {
  EXPECT_EQ(
      problem(with_op(R"("name": "a", "inputs": [5], "bytes": 1, "cost": 1)")),
      "op 'a': input 0 should be a string, found 5");
}

TEST(GraphFromJson, RefusesUnknownPhase) {
  EXPECT_EQ(
      problem(with_op(R"("name": "a", "phase": "up", "bytes": 1, "cost": 1)")),
      "op 'a': field 'phase' should be 'forward', 'backward' or 'other', found "
      "the string 'up'");
}

TEST(GraphFromJson, RefusesPhaseThatIsNoText) {
  EXPECT_EQ(problem(with_op(R"("name": "a", "phase": 1, "bytes": 1,
                               "cost": 1)")),
            "op 'a': field 'phase' should be a string, found 1");
}

TEST(GraphFromJson, RefusesEmptyStorageOf) {
  EXPECT_EQ(problem(document(
                R"("ops": [],
                   "inputs": [{"name": "w", "bytes": 1, "storage_of": ""}])")),
            "graph input 'w': field 'storage_of' should name a tensor, found "
            "''");
}

TEST(GraphFromJson, RefusesOpThatIsNoObject) {
  EXPECT_EQ(problem(document(R"("ops": ["a"])")),
            "op 0 should be an object, found the string 'a'");
}

TEST(GraphFromJson, LeavesTheModelsRulesToTheBuilder) {
  const auto graph = graph_from_json(
      with_op(R"("name": "a", "inputs": ["x"], "bytes": 1, "cost": 1)"));
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, ErrorCode::kInvalidGraph);
}

TEST(GraphToJson, GivesAnEqualGraph) {
  const Graph graph = read(kEveryField);
  EXPECT_EQ(read(graph_to_json(graph)), graph);
}

TEST(GraphToJson, WritesAnOpPerLineWithoutDefaults) {
  const Graph graph = read(with_op(R"("name": "a", "bytes": 5, "cost": 1)"));
  EXPECT_EQ(graph_to_json(graph), R"({
  "format": "rematch.graph",
  "version": 1,
  "ops": [
    {"name": "a", "outputs": [{"name": "a", "bytes": 5}], "cost": 1}
  ]
}
)");
}

TEST(GraphToJson, WritesEveryFieldThatIsNotDefault) {
  EXPECT_EQ(graph_to_json(read(kEveryField)), R"({
  "format": "rematch.graph",
  "version": 1,
  "name": "n",
  "description": "d",
  "cost_unit": "us",
  "fixed_bytes": 7,
  "inputs": [
    {"name": "w", "bytes": 4096},
    {"name": "v", "bytes": 1, "storage_of": "w", "output": true}
  ],
  "ops": [
    {"name": "conv1", "kind": "conv2d", "inputs": ["w", "w"], "outputs": [{"name": "y", "bytes": 1024}, {"name": "z", "bytes": 0, "storage_of": "y", "output": true}], "cost": 12.5, "workspace_bytes": 3, "phase": "forward", "recomputable": false},
    {"name": "grad", "inputs": ["y"], "outputs": [], "cost": 0, "phase": "backward"}
  ]
}
)");
}

TEST(GraphToJson, GivesAnEqualGraphForAnyUnicodeName) {
  const Graph graph = read(with_op(
      R"("name": "\u0000\"\\\n\u00e9\ud83d\ude00", "bytes": 1, "cost": 0.1)"));
  EXPECT_EQ(read(graph_to_json(graph)), graph);
}

TEST(GraphToJson, GivesAnEqualGraphForStorageNamedLater) {
  const Graph graph = read(document(
      R"("ops": [{"name": "a", "cost": 1, "outputs":
          [{"name": "x", "bytes": 1, "storage_of": "y"},
           {"name": "y", "bytes": 2}]}])"));
  EXPECT_EQ(read(graph_to_json(graph)), graph);
}

TEST(GraphToJson, WritesNamesThatAreNotUtf8) {
  const auto graph = GraphBuilder().add_op("a\xff", {}, 1).build();
  EXPECT_EQ(read(graph_to_json(*graph)).op(OpId(0)).name, "a\xef\xbf\xbd");
}

}  // namespace
}  // namespace rematch
