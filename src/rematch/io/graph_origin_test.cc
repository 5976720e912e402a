// SPDX-License-Identifier: Apache-2.0
#include "rematch/io/graph_origin.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/io/solution_json.h"

namespace rematch {
namespace {

Graph graph_of_cost(Cost cost) {
  return *GraphBuilder().add_op("a", {}, 4, cost).build();
}

Solution solution_of(const Graph& graph) {
  Solution solution;
  solution.outcome = Outcome::kFeasible;
  solution.plan = Plan{{Step::compute(OpId(0))}};
  solution.budget = 4;
  solution.peak = 4;
  solution.cost = graph.base_cost();
  solution.base_cost = graph.base_cost();
  solution.lower_bound = graph.base_cost();
  return solution;
}

GraphOrigin origin(const Graph& graph) {
  return {
      .path = "g.json", .ops = 1, .tensors = 1, .digest = graph_digest(graph)};
}

TEST(GraphDigest, IsTheSameForEqualGraphsOnly) {
  EXPECT_EQ(graph_digest(graph_of_cost(1)), graph_digest(graph_of_cost(1)));
  EXPECT_NE(graph_digest(graph_of_cost(1)), graph_digest(graph_of_cost(2)));
  EXPECT_EQ(graph_digest(graph_of_cost(1)).size(), 16U);
}

TEST(OriginOf, IsRelativeToTheDocument) {
  const Graph graph = graph_of_cost(1);
  EXPECT_EQ(origin_of(graph, "data/branch.json", "plan.json")->path,
            "data/branch.json");
  EXPECT_EQ(origin_of(graph, "data/branch.json", "docs/plan.json")->path,
            "../data/branch.json");
  EXPECT_EQ(origin_of(graph, "data/branch.json", "data/plan.json")->path,
            "branch.json");
}

TEST(OriginOf, IsNoneForStandardInputAndOutput) {
  const Graph graph = graph_of_cost(1);
  EXPECT_FALSE(origin_of(graph, "-", "plan.json"));
  EXPECT_FALSE(origin_of(graph, "data/branch.json", "-"));
}

TEST(PathOf, LeadsBackToTheGraph) {
  GraphOrigin there = origin(graph_of_cost(1));
  there.path = "../data/branch.json";
  EXPECT_EQ(path_of(there, "docs/plan.json"), "data/branch.json");
  there.path = "g.json";
  EXPECT_EQ(path_of(there, "plan.json"), "g.json");
}

TEST(PathOf, IsNeverStandardInput) {
  GraphOrigin there = origin(graph_of_cost(1));
  for (const char* path : {"-", "./-", "docs/../-"}) {
    there.path = path;
    EXPECT_EQ(path_of(there, "plan.json"), "./-");
  }
  EXPECT_EQ(path_of(there, "docs/plan.json"), "docs/-");
}

TEST(PathOf, MayLeadAnywhere) {
  GraphOrigin there = origin(graph_of_cost(1));
  there.path = "/data/g.json";
  EXPECT_EQ(path_of(there, "docs/plan.json"), "/data/g.json");
  there.path = "../../g.json";
  EXPECT_EQ(path_of(there, "docs/plan.json"), "../g.json");
}

TEST(CheckOrigin, NamesBothNumbers) {
  const Graph graph = graph_of_cost(1);
  GraphOrigin other = origin(graph);
  EXPECT_TRUE(check_origin(other, graph).ok());
  other.digest = "0123456789abcdef";
  EXPECT_EQ(check_origin(other, graph).error().message,
            "it was made for another graph: one with the digest "
            "0123456789abcdef, not " +
                graph_digest(graph));
  other.ops = 7;
  EXPECT_EQ(check_origin(other, graph).error().message,
            "it was made for another graph: one with a number of ops of 7, "
            "not 1");
}

TEST(SolutionWithOrigin, ReadsBack) {
  const Graph graph = graph_of_cost(1);
  const Solution solution = solution_of(graph);
  const std::string text = solution_to_json(graph, solution, origin(graph));
  EXPECT_NE(text.find("\"version\": 1,\n  \"graph_file\": {"), text.npos);
  const auto read = solution_from_json(text, graph);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, solution);
  EXPECT_EQ(*origin_from_json(text), origin(graph));
}

TEST(SolutionWithoutOrigin, HasNoSuchField) {
  const Graph graph = graph_of_cost(1);
  const std::string text = solution_to_json(graph, solution_of(graph));
  EXPECT_EQ(text.find("graph_file"), text.npos);
  EXPECT_EQ(*origin_from_json(text), std::nullopt);
}

TEST(OriginFromJson, RefusesVersionsThatItDoesNotKnow) {
  const auto origin = origin_from_json(
      R"({"format": "rematch.solution", "version": 2, "graph_file": 1})");
  EXPECT_EQ(origin.error().message,
            "version 2 of the solution format is not known (known: version 1)");
}

TEST(SolutionWithOrigin, IsRefusedWhereItIsWrong) {
  const Graph graph = graph_of_cost(1);
  const std::string text =
      solution_to_json(graph, solution_of(graph), origin(graph));
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    const auto read = solution_from_json(changed, graph);
    return read.ok() ? "accepted" : read.error().message;
  };
  EXPECT_EQ(with("\"path\": \"g.json\", ", ""),
            "graph_file: field 'path' is missing");
  EXPECT_EQ(
      with("\"ops\": 1", "\"ops\": \"many\""),
      "graph_file: field 'ops' should be an integer, found the string 'many'");
}

}  // namespace
}  // namespace rematch
