// SPDX-License-Identifier: Apache-2.0
#include "rematch/report/document.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/io/json_parse.h"
#include "rematch/plan/sequence.h"
#include "rematch/report/page.h"

namespace rematch {
namespace {

constexpr Bytes kSize = 8;

// a -> b -> c, of which c reads a as well.
Graph small_graph(const std::string& name = "a") {
  GraphBuilder builder;
  builder.name(name).cost_unit("us").fixed_bytes(3);
  builder.add_op(name, {}, kSize, 1, Phase::kForward);
  builder.add_op("b", {name}, 4, 2.5, Phase::kForward);
  builder.add_op("c", {"b", name}, 2, 4, Phase::kBackward);
  return *builder.build();
}

// Computes the first op twice.
Plan with_a_rerun(const Graph& graph) {
  return plan_from_sequence(
      graph, std::vector<OpId>{OpId(0), OpId(1), OpId(0), OpId(2)});
}

Report report_of(const Graph& graph, const Plan& plan) {
  auto measured = measure(graph, "plan", plan, OrderRule::kFixed);
  return {.graph = graph,
          .plans = {*std::move(measured)},
          .curve = quick_curve(graph, OrderRule::kFixed, {})};
}

JsonValue document_of(const Graph& graph, const Plan& plan) {
  auto document = parse_json(report_document(report_of(graph, plan)));
  EXPECT_TRUE(document.ok());
  return *std::move(document);
}

const JsonValue& field(const JsonValue& value, std::string_view name) {
  const JsonValue* found = value.find(name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

const JsonValue& plan_in(const JsonValue& document, std::size_t number) {
  return (*field(document, "plans").as<JsonValue::List>())[number];
}

std::vector<double> numbers(const JsonValue& list) {
  std::vector<double> result;
  for (const JsonValue& item : *list.as<JsonValue::List>()) {
    result.push_back(*item.to_number());
  }
  return result;
}

TEST(ReportDocument, StepsAreOpsAndDroppedTensors) {
  const Graph graph = small_graph();
  const JsonValue document = document_of(graph, with_a_rerun(graph));
  EXPECT_EQ(numbers(field(plan_in(document, 1), "steps")),
            (std::vector<double>{0, 1, -1, 0, 2, -3, -2, -1}));
}

TEST(ReportDocument, FootprintsAreThoseOfReplay) {
  const Graph graph = small_graph();
  const Plan plan = with_a_rerun(graph);
  const auto measured = replay(graph, plan, OrderRule::kFixed);
  std::vector<double> expected;
  for (std::size_t at = 0; at < plan.steps.size(); ++at) {
    if (!plan.steps[at].is_compute()) continue;
    expected.push_back(static_cast<double>(measured->footprint[at]));
  }
  const JsonValue document = document_of(graph, plan);
  const JsonValue& shown = plan_in(document, 1);
  EXPECT_EQ(numbers(field(shown, "footprint_bytes")), expected);
  EXPECT_EQ(field(shown, "peak_bytes").to_number(), measured->peak);
  EXPECT_EQ(field(shown, "peak_step").to_number(), measured->peak_step.value);
  EXPECT_EQ(field(shown, "cost").to_number(), measured->cost);
}

TEST(ReportDocument, FirstPlanKeepsEverything) {
  const Graph graph = small_graph();
  const JsonValue document = document_of(graph, with_a_rerun(graph));
  const JsonValue& first = plan_in(document, 0);
  EXPECT_EQ(field(first, "peak_bytes").to_number(), keep_all_peak(graph));
  EXPECT_EQ(field(first, "cost").to_number(), graph.base_cost());
}

TEST(ReportDocument, IsTheSameEveryTime) {
  const Graph graph = small_graph();
  const Report report = report_of(graph, with_a_rerun(graph));
  EXPECT_EQ(report_document(report), report_document(report));
}

TEST(ReportPage, HoldsNoMarkupFromTheGraph) {
  const Graph graph = small_graph("</script><script>alert(1)</script>\u2028");
  const std::string page = report_page(report_of(graph, keep_all_plan(graph)));
  EXPECT_EQ(page.find("<script>alert"), page.npos);
  EXPECT_NE(page.find("\\u003cscript\\u003ealert"), page.npos);
  EXPECT_EQ(page.find("\u2028"), page.npos);
}

TEST(ReportPage, HasAPolicyWithHashes) {
  const Graph graph = small_graph();
  const std::string page = report_page(report_of(graph, keep_all_plan(graph)));
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), page.npos);
  EXPECT_EQ(page.find("{{"), page.npos);
}

TEST(JsonInHtml, EscapesWhatCouldEndTheScript) {
  EXPECT_EQ(json_in_html("[\"</script>&\"]"),
            "[\"\\u003c/script\\u003e\\u0026\"]");
  EXPECT_EQ(json_in_html("\"\u2028\u2029\u2027\""), "\"\\u2028\\u2029\u2027\"");
}

}  // namespace
}  // namespace rematch
