// SPDX-License-Identifier: Apache-2.0
// Plan documents: what is read, what is refused, what is written.
#include "rematch/io/plan_json.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

Graph two_ops() {
  return *GraphBuilder()
              .name("net")
              .add_op("a", {}, 1)
              .add_op("b", {"a"}, 1)
              .build();
}

Plan a_plan() {
  return {{Step::compute(OpId(0)), Step::compute(OpId(1)),
           Step::drop(TensorId(0))}};
}

std::string with_steps(std::string_view steps) {
  return fmt::format(
      R"({{"format": "rematch.plan", "version": 1, "steps": [{}]}})", steps);
}

std::string problem(std::string_view text) {
  const auto plan = plan_from_json(text, two_ops());
  return plan ? "none" : plan.error().message;
}

TEST(PlanFromJson, ReadsSteps) {
  const auto plan = plan_from_json(
      with_steps(R"({"compute": "a"}, {"compute": "b"}, {"drop": "a"})"),
      two_ops());
  EXPECT_EQ(*plan, a_plan());
}

TEST(PlanFromJson, TakesTheGraphsNameAsALabel) {
  EXPECT_EQ(problem(R"({"format": "rematch.plan", "version": 1,
                        "graph": "another", "steps": []})"),
            "none");
}

TEST(PlanFromJson, ReadsThePlanOfASolution) {
  const auto plan = plan_from_json(
      fmt::format(
          R"({{"format": "rematch.solution", "version": 1, "plan": {}}})",
          plan_to_json(two_ops(), a_plan())),
      two_ops());
  EXPECT_EQ(*plan, a_plan());
}

TEST(PlanFromJson, RefusesSolutionWithoutPlan) {
  EXPECT_EQ(problem(R"({"format": "rematch.solution", "version": 1,
                        "outcome": "infeasible", "plan": null})"),
            "this solution has no plan (its outcome is infeasible)");
}

TEST(PlanFromJson, RefusesSolutionOfAnotherVersion) {
  EXPECT_EQ(problem(R"({"format": "rematch.solution", "version": 2})"),
            "version 2 of the solution format is not known (known: version 1)");
}

TEST(PlanFromJson, NamesTheStepInsideASolution) {
  EXPECT_EQ(problem(fmt::format(
                R"({{"format": "rematch.solution", "version": 1, "plan": {}}})",
                with_steps(R"({"drop": "c"})"))),
            "plan: step 0: there is no tensor 'c' (graph has 2 tensors)");
}

TEST(PlanFromJson, RefusesUnknownOp) {
  EXPECT_EQ(problem(with_steps(R"({"compute": "a"}, {"compute": "c"})")),
            "step 1: there is no op 'c' (graph has 2 ops)");
}

TEST(PlanFromJson, RefusesUnknownTensor) {
  EXPECT_EQ(problem(with_steps(R"({"drop": "c"})")),
            "step 0: there is no tensor 'c' (graph has 2 tensors)");
}

TEST(PlanFromJson, RefusesUnknownField) {
  EXPECT_EQ(problem(R"({"format": "rematch.plan", "version": 1, "step": []})"),
            "there is no field 'step' (known: format, version, graph, steps)");
}

TEST(PlanFromJson, RefusesUnknownFieldOfAStep) {
  EXPECT_EQ(problem(with_steps(R"({"free": "a"})")),
            "step 0: there is no field 'free' (known: compute, drop)");
}

TEST(PlanFromJson, RefusesStepWithBoth) {
  EXPECT_EQ(problem(with_steps(R"({"compute": "a", "drop": "a"})")),
            "step 0: both of the fields 'compute' and 'drop' are there");
}

TEST(PlanFromJson, RefusesStepWithNeither) {
  EXPECT_EQ(problem(with_steps("{}")),
            "step 0: neither of the fields 'compute' and 'drop' is there");
}

TEST(PlanFromJson, RefusesNameThatIsNoText) {
  EXPECT_EQ(problem(with_steps(R"({"compute": 0})")),
            "step 0: field 'compute' should be a string, found 0");
}

TEST(PlanFromJson, NeedsSteps) {
  EXPECT_EQ(problem(R"({"format": "rematch.plan", "version": 1})"),
            "field 'steps' is missing");
}

TEST(PlanFromJson, RefusesGraph) {
  EXPECT_EQ(problem(R"({"format": "rematch.graph", "version": 1})"),
            "this is a graph, not a plan");
}

TEST(PlanFromJson, RefusesBrokenText) {
  EXPECT_EQ(problem("{]"),
            "line 1, column 2: unexpected ']'; expected string literal");
}

TEST(PlanToJson, WritesAStepPerLine) {
  EXPECT_EQ(plan_to_json(two_ops(), a_plan()), R"({
  "format": "rematch.plan",
  "version": 1,
  "graph": "net",
  "steps": [
    {"compute": "a"},
    {"compute": "b"},
    {"drop": "a"}
  ]
}
)");
}

TEST(PlanToJson, GivesAnEqualPlan) {
  EXPECT_EQ(*plan_from_json(plan_to_json(two_ops(), a_plan()), two_ops()),
            a_plan());
}

}  // namespace
}  // namespace rematch
