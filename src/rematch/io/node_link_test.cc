// SPDX-License-Identifier: Apache-2.0
// Node-link documents: how they are read, and what is refused.
#include "rematch/io/node_link.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rematch {
namespace {

// Nodes 0, 1 and 2, with these links and other fields.
std::string three_nodes(std::string_view links, std::string_view more = "") {
  return fmt::format(
      R"({{"nodes": [{{"id": 0, "cost_cpu": 1, "cost_ram": 10}},
                     {{"id": 1, "cost_cpu": 2, "cost_ram": 20}},
                     {{"id": 2, "cost_cpu": 3, "cost_ram": 30}}],
          "links": [{}]{}}})",
      links, more);
}

// One node with these fields.
std::string one_node(std::string_view fields) {
  return fmt::format(R"({{"nodes": [{{{}}}], "links": []}})", fields);
}

std::string problem(std::string_view text) {
  const auto graph = graph_from_node_link(text);
  return graph ? "none" : graph.error().message;
}

Graph read(std::string_view text) {
  auto graph = graph_from_node_link(text);
  EXPECT_TRUE(graph) << problem(text);
  return graph ? *graph : Graph();
}

std::vector<std::string> op_names(const Graph& graph) {
  std::vector<std::string> names;
  for (OpId op : graph.ops()) names.push_back(graph.op(op).name);
  return names;
}

using Names = std::vector<std::string>;

TEST(NodeLink, ReadsTrainingGraph) {
  const Graph graph = read(R"({
    "directed": true, "multigraph": false, "graph": {"name": "net"},
    "nodes": [
      {"name": "conv", "backward": false, "cost_cpu": 5, "cost_ram": 64,
       "id": 0},
      {"name": "grad", "backward": true, "cost_cpu": 0.5, "cost_ram": 32,
       "id": 1}],
    "links": [{"source": 0, "target": 1}]})");
  const auto expected = GraphBuilder()
                            .name("net")
                            .add_op("conv", {}, 64, 5, Phase::kForward)
                            .add_op("grad", {"conv"}, 32, 0.5, Phase::kBackward)
                            .build();
  EXPECT_EQ(graph, *expected);
}

TEST(NodeLink, ReadsRandomLayeredGraph) {
  const Graph graph = read(R"({
    "directed": true, "multigraph": false,
    "graph": {"name": "rl", "pos": {"0": [0, 0]}, "order": [7, 3]},
    "nodes": [
      {"out_cost": 790, "param_cost": 0, "duration": 2, "name": 3},
      {"out_cost": 100, "param_cost": 0, "duration": 1, "name": 7}],
    "links": [{"0": 7, "1": 3}]})");
  const auto expected = GraphBuilder()
                            .name("rl")
                            .add_op("7", {}, 100, 1)
                            .add_op("3", {"7"}, 790, 2)
                            .build();
  EXPECT_EQ(graph, *expected);
}

TEST(NodeLink, ReadsLinksCalledEdges) {
  EXPECT_EQ(read(R"({"nodes": [{"id": "a", "duration": 1, "out_cost": 1}],
                     "edges": []})")
                .num_ops(),
            1U);
}

TEST(NodeLink, MixesStringsAndIntegers) {
  const Graph graph = read(three_nodes(R"({"source": "0", "target": 1})"));
  EXPECT_EQ(graph.num_edges(), 1U);
}

TEST(NodeLink, UsesIdentityWhereNamesRepeat) {
  EXPECT_EQ(op_names(read(R"({"links": [], "nodes": [
      {"id": 4, "name": "a", "duration": 1, "out_cost": 1},
      {"id": 5, "name": "a", "duration": 1, "out_cost": 1}]})")),
            (Names{"4", "5"}));
}

TEST(NodeLink, UsesIdentityWhereANameIsMissing) {
  EXPECT_EQ(op_names(read(R"({"links": [], "nodes": [
      {"id": 4, "name": "a", "duration": 1, "out_cost": 1},
      {"id": 5, "duration": 1, "out_cost": 1}]})")),
            (Names{"4", "5"}));
}

TEST(NodeLink, TakesNodeOrderWithoutGivenOrder) {
  EXPECT_EQ(op_names(read(three_nodes(""))), (Names{"0", "1", "2"}));
}

TEST(NodeLink, TakesGivenOrder) {
  EXPECT_EQ(
      op_names(read(three_nodes("", R"(, "graph": {"order": [2, "0", 1]})"))),
      (Names{"2", "0", "1"}));
}

TEST(NodeLink, SortsOnRequest) {
  const std::string text = three_nodes(R"({"source": 2, "target": 0})");
  EXPECT_FALSE(graph_from_node_link(text));
  const auto sorted = graph_from_node_link(text, DeclaredOrder::kSorted);
  EXPECT_EQ(op_names(*sorted), (Names{"1", "2", "0"}));
}

TEST(NodeLink, MergesRepeatedLinksOfAMultigraph) {
  const Graph graph = read(three_nodes(R"({"source": 0, "target": 1, "key": 0},
                          {"source": 0, "target": 1, "key": 1})",
                                       R"(, "multigraph": true)"));
  EXPECT_EQ(graph.inputs(OpId(1)).size(), 1U);
}

TEST(NodeLink, IgnoresFieldsOfOthers) {
  EXPECT_EQ(problem(three_nodes(R"({"source": 0, "target": 1, "weight": []})",
                                R"(, "comment": {})")),
            "none");
}

TEST(NodeLink, RefusesRepeatedLink) {
  EXPECT_EQ(problem(three_nodes(R"({"source": 0, "target": 1},
                                   {"source": 0, "target": 2},
                                   {"source": 0, "target": 1})")),
            "link 2: it repeats link 0 from '0' to '1'");
}

TEST(NodeLink, RefusesUndirectedGraph) {
  EXPECT_EQ(problem(three_nodes("", R"(, "directed": false)")),
            "the graph is not directed ('directed' is false)");
}

TEST(NodeLink, RefusesSelfLoop) {
  EXPECT_EQ(problem(three_nodes(R"({"source": 1, "target": 1})")),
            "the graph has a cycle: '1' -> '1'");
}

TEST(NodeLink, RefusesNodeWithoutIdentity) {
  EXPECT_EQ(problem(one_node(R"("duration": 1, "out_cost": 1)")),
            "node 0: field 'id' or 'name' is missing");
}

TEST(NodeLink, RefusesIdentityOfAnotherType) {
  EXPECT_EQ(problem(one_node(R"("id": 1.5, "duration": 1, "out_cost": 1)")),
            "node 0: field 'id' should be a string or an integer, found 1.5");
}

TEST(NodeLink, RefusesIdentityGivenTwice) {
  EXPECT_EQ(problem(R"({"links": [], "nodes": [
      {"id": 1, "duration": 1, "out_cost": 1},
      {"id": "1", "duration": 1, "out_cost": 1}]})"),
            "node '1': nodes 0 and 1 are both called that");
}

TEST(NodeLink, NamesMissingCost) {
  EXPECT_EQ(problem(one_node(R"("id": 9, "out_cost": 1)")),
            "node '9': field 'cost_cpu' or 'duration' is missing");
}

TEST(NodeLink, NamesMissingSize) {
  EXPECT_EQ(problem(one_node(R"("id": 9, "duration": 1)")),
            "node '9': field 'cost_ram' or 'out_cost' is missing");
}

TEST(NodeLink, RefusesTwoCosts) {
  EXPECT_EQ(
      problem(
          one_node(R"("id": 9, "duration": 1, "cost_cpu": 1, "out_cost": 1)")),
      "node '9': fields 'cost_cpu' and 'duration' are both there, expected one "
      "of them");
}

TEST(NodeLink, RefusesSizeOfAnotherType) {
  EXPECT_EQ(problem(one_node(R"("id": 9, "duration": 1, "out_cost": "x")")),
            "node '9': field 'out_cost' should be an integer, found the string "
            "'x'");
}

TEST(NodeLink, RefusesBackwardOfAnotherType) {
  EXPECT_EQ(problem(one_node(
                R"("id": 9, "duration": 1, "out_cost": 1, "backward": 1)")),
            "node '9': field 'backward' should be true or false, found 1");
}

TEST(NodeLink, RefusesUnknownEnd) {
  EXPECT_EQ(problem(three_nodes(R"({"source": 0, "target": 17})")),
            "link 0: target '17' is not a node (graph has 3 nodes)");
}

TEST(NodeLink, RefusesLinkWithoutEnd) {
  EXPECT_EQ(problem(three_nodes(R"({"target": 1})")),
            "link 0: field 'source' or '0' is missing");
}

TEST(NodeLink, RefusesEndOfAnotherType) {
  EXPECT_EQ(problem(three_nodes(R"({"source": 0, "target": []})")),
            "link 0: field 'target' should be a string or an integer, found a "
            "list");
}

TEST(NodeLink, RefusesLinksAndEdges) {
  EXPECT_EQ(problem(three_nodes("", R"(, "edges": [])")),
            "fields 'links' and 'edges' are both there, expected one of them");
}

TEST(NodeLink, NeedsLinks) {
  EXPECT_EQ(problem(R"({"nodes": []})"), "field 'links' or 'edges' is missing");
}

TEST(NodeLink, NeedsNodes) {
  EXPECT_EQ(problem(R"({"links": []})"), "field 'nodes' is missing");
}

TEST(NodeLink, RefusesNodeThatIsNoObject) {
  EXPECT_EQ(problem(R"({"nodes": [1], "links": []})"),
            "node 0 should be an object, found 1");
}

TEST(NodeLink, RefusesGraphThatIsNoObject) {
  EXPECT_EQ(problem(three_nodes("", R"(, "graph": [])")),
            "graph should be an object, found a list");
}

TEST(NodeLink, RefusesOrderThatIsNoList) {
  EXPECT_EQ(problem(three_nodes("", R"(, "graph": {"order": 3})")),
            "graph: field 'order' should be a list, found 3");
}

TEST(NodeLink, RefusesOrderEntryOfAnotherType) {
  EXPECT_EQ(problem(three_nodes("", R"(, "graph": {"order": [null]})")),
            "field 'graph.order': entry 0 should be a string or an integer, "
            "found null");
}

TEST(NodeLink, RefusesOrderWithUnknownNode) {
  EXPECT_EQ(problem(three_nodes("", R"(, "graph": {"order": [0, 9]})")),
            "field 'graph.order': entry 1, '9', is not a node (graph has 3 "
            "nodes)");
}

TEST(NodeLink, RefusesOrderWithNodeTwice) {
  EXPECT_EQ(problem(three_nodes("", R"(, "graph": {"order": [0, 1, 0]})")),
            "field 'graph.order': entries 0 and 2 are both '0'");
}

TEST(NodeLink, RefusesOrderWithoutSomeNode) {
  EXPECT_EQ(problem(three_nodes("", R"(, "graph": {"order": [0, 2]})")),
            "field 'graph.order': node '1' is missing (it lists 2 of 3 nodes)");
}

TEST(NodeLink, RefusesBrokenText) {
  EXPECT_EQ(problem("["), "line 1, column 2: the text ends too early");
}

TEST(NodeLink, RefusesDocumentThatIsNoObject) {
  EXPECT_EQ(problem("[]"), "the document should be an object, found a list");
}

}  // namespace
}  // namespace rematch
