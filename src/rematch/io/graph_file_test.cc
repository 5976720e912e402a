// SPDX-License-Identifier: Apache-2.0
// How graph formats are told apart.
#include "rematch/io/graph_file.h"

#include <string>

#include <gtest/gtest.h>

namespace rematch {
namespace {

constexpr std::string_view kNeither =
    "this is not a graph: expected an object with 'format': 'rematch.graph', "
    "or node-link JSON with 'nodes' and 'links' or 'edges'";

std::string problem(std::string_view text) {
  const auto graph = graph_from_text(text);
  return graph ? "none" : graph.error().message;
}

TEST(GraphFromText, ReadsOurFormat) {
  EXPECT_EQ(problem(R"({"format": "rematch.graph", "version": 1, "ops": []})"),
            "none");
}

TEST(GraphFromText, ReadsNodeLink) {
  EXPECT_EQ(problem(R"({"nodes": [], "links": []})"), "none");
  EXPECT_EQ(problem(R"({"nodes": [], "edges": []})"), "none");
}

TEST(GraphFromText, ReadsNodeLinkWithAFormatOfItsOwn) {
  EXPECT_EQ(problem(R"({"format": "mine", "nodes": [], "links": []})"), "none");
}

TEST(GraphFromText, PassesOnTheOrder) {
  constexpr std::string_view kText = R"({
    "nodes": [{"id": 0, "duration": 1, "out_cost": 1},
              {"id": 1, "duration": 1, "out_cost": 1}],
    "links": [{"source": 1, "target": 0}]})";
  EXPECT_FALSE(graph_from_text(kText));
  EXPECT_TRUE(graph_from_text(kText, DeclaredOrder::kSorted));
}

TEST(GraphFromText, SaysThatAPlanIsNoGraph) {
  EXPECT_EQ(problem(R"({"format": "rematch.plan", "version": 1})"),
            "this is a plan, not a graph");
}

TEST(GraphFromText, SaysThatASolutionIsNoGraph) {
  EXPECT_EQ(problem(R"({"format": "rematch.solution", "version": 1})"),
            "this is a solution, not a graph");
}

TEST(GraphFromText, NamesBothFormats) {
  EXPECT_EQ(problem(R"({"ops": []})"), kNeither);
  EXPECT_EQ(problem(R"({"nodes": []})"), kNeither);
  EXPECT_EQ(problem("[]"), kNeither);
}

TEST(GraphFromText, RefusesBrokenText) {
  EXPECT_EQ(problem(""), "the text is empty");
}

}  // namespace
}  // namespace rematch
