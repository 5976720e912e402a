// SPDX-License-Identifier: Apache-2.0
// Solution documents and summaries: what is read, refused and written.
#include "rematch/io/solution_json.h"

#include <limits>
#include <string>

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

Solution with_plan() {
  Solution solution;
  solution.outcome = Outcome::kFeasible;
  solution.strategy = "gap";
  solution.order = OrderRule::kFree;
  solution.seed = std::numeric_limits<std::uint64_t>::max();
  solution.budget = 100;
  solution.fixed_bytes = 7;
  solution.peak_floor = 9;
  solution.base_cost = 20;
  solution.lower_bound = 20.8;
  solution.stop_reason = StopReason::kGapReached;
  solution.plan = Plan{{Step::compute(OpId(0)), Step::compute(OpId(1))}};
  solution.peak = 90;
  solution.cost = 26;
  return solution;
}

Solution without_plan() {
  Solution solution = with_plan();
  solution.outcome = Outcome::kInfeasible;
  solution.stop_reason = StopReason::kProved;
  solution.message = "the least budget is 9 bytes";
  solution.plan.reset();
  solution.peak = 0;
  solution.cost = 0;
  return solution;
}

// The document of a solution with `old` replaced by `text`.
std::string problem(const Solution& solution, std::string_view old,
                    std::string_view text) {
  std::string document = solution_to_json(two_ops(), solution);
  const std::size_t at = document.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  document.replace(at, old.size(), text);
  const auto read = solution_from_json(document, two_ops());
  return read ? "none" : read.error().message;
}

std::string problem(std::string_view old, std::string_view text) {
  return problem(with_plan(), old, text);
}

TEST(Summary, IsOneObjectInDocumentedOrder) {
  Solution solution = with_plan();
  solution.seconds = 0.25;
  solution.lower_bound = 20;
  EXPECT_EQ(
      summary_to_json(solution),
      R"({"outcome": "feasible", "strategy": "gap", "budget_bytes": 100, )"
      R"("peak_bytes": 90, "fixed_bytes": 7, "cost": 26, )"
      R"("base_cost": 20, "overhead": 0.30000000000000004, )"
      R"("lower_bound": 20, "gap": 0.30000000000000004, )"
      R"("seconds": 0.25, "stop_reason": "gap_reached", )"
      R"("order": "free", "seed": 18446744073709551615, )"
      R"("peak_floor_bytes": 9})");
}

TEST(Summary, HasNullsWithoutAPlan) {
  EXPECT_EQ(summary_to_json(without_plan()),
            R"({"outcome": "infeasible", "strategy": "gap", )"
            R"("budget_bytes": 100, "peak_bytes": null, "fixed_bytes": 7, )"
            R"("cost": null, "base_cost": 20, "overhead": null, )"
            R"("lower_bound": 20.8, "gap": null, "seconds": 0, )"
            R"("stop_reason": "proved", "order": "free", )"
            R"("seed": 18446744073709551615, "peak_floor_bytes": 9, )"
            R"("message": "the least budget is 9 bytes"})");
}

TEST(Summary, RoundsSecondsToMicroseconds) {
  Solution solution;
  solution.seconds = 0.12345678;
  EXPECT_NE(summary_to_json(solution).find(R"("seconds": 0.123457,)"),
            std::string::npos);
}

TEST(SolutionToJson, WritesAFieldPerLineWithItsPlan) {
  EXPECT_EQ(solution_to_json(two_ops(), with_plan()), R"({
  "format": "rematch.solution",
  "version": 1,
  "outcome": "feasible",
  "strategy": "gap",
  "budget_bytes": 100,
  "peak_bytes": 90,
  "fixed_bytes": 7,
  "cost": 26,
  "base_cost": 20,
  "overhead": 0.30000000000000004,
  "lower_bound": 20.8,
  "gap": 0.25,
  "stop_reason": "gap_reached",
  "order": "free",
  "seed": 18446744073709551615,
  "peak_floor_bytes": 9,
  "plan": {
    "format": "rematch.plan",
    "version": 1,
    "graph": "net",
    "steps": [
      {"compute": "a"},
      {"compute": "b"}
    ]
  }
}
)");
}

TEST(SolutionToJson, LeavesOutSeconds) {
  Solution solution = with_plan();
  solution.seconds = 3;
  EXPECT_EQ(solution_to_json(two_ops(), solution),
            solution_to_json(two_ops(), with_plan()));
}

TEST(SolutionFromJson, GivesAnEqualSolutionWithPlan) {
  EXPECT_EQ(
      *solution_from_json(solution_to_json(two_ops(), with_plan()), two_ops()),
      with_plan());
}

TEST(SolutionFromJson, GivesAnEqualSolutionWithoutPlan) {
  EXPECT_EQ(*solution_from_json(solution_to_json(two_ops(), without_plan()),
                                two_ops()),
            without_plan());
}

TEST(SolutionFromJson, ReadsNullBoundAsInfinite) {
  Solution solution = without_plan();
  solution.lower_bound = std::numeric_limits<Cost>::infinity();
  EXPECT_EQ(
      *solution_from_json(solution_to_json(two_ops(), solution), two_ops()),
      solution);
}

TEST(SolutionFromJson, RefusesSeconds) {
  EXPECT_TRUE(problem(R"("outcome")", R"("seconds": 1, "outcome")")
                  .starts_with("there is no field 'seconds' (known: format, "));
}

TEST(SolutionFromJson, RefusesPlanDocument) {
  EXPECT_EQ(problem("rematch.solution", "rematch.plan"),
            "this is a plan, not a solution");
}

TEST(SolutionFromJson, RefusesUnknownOutcome) {
  EXPECT_EQ(problem(R"("feasible")", R"("good")"),
            "field 'outcome' should be 'optimal', 'feasible', 'infeasible' or "
            "'unknown', found the string 'good'");
}

TEST(SolutionFromJson, RefusesUnknownStopReason) {
  EXPECT_EQ(problem("gap_reached", "bored"),
            "field 'stop_reason' should be 'proved', 'finished', "
            "'over_budget', 'not_applicable', 'time_limit', 'work_limit', "
            "'gap_reached' or 'interrupted', found the string 'bored'");
}

TEST(SolutionFromJson, RefusesUnknownOrder) {
  EXPECT_EQ(problem(R"("free")", R"("any")"),
            "field 'order' should be 'fixed' or 'free', found the string "
            "'any'");
}

TEST(SolutionFromJson, RefusesNegativeSize) {
  EXPECT_EQ(problem("100", "-1"), "field 'budget_bytes' is -1, below 0");
}

TEST(SolutionFromJson, RefusesNegativeCost) {
  EXPECT_EQ(problem("20.8", "-0.5"), "field 'lower_bound' is -0.5, below 0");
}

TEST(SolutionFromJson, RefusesNegativeSeed) {
  EXPECT_EQ(problem("18446744073709551615", "-1"),
            "field 'seed' should be an integer between 0 and "
            "18446744073709551615, found -1");
}

TEST(SolutionFromJson, NeedsCostOfAPlan) {
  EXPECT_EQ(problem(R"("cost": 26)", R"("cost": null)"),
            "field 'cost' should be a number, found null");
}

TEST(SolutionFromJson, NeedsStrategy) {
  EXPECT_EQ(problem("  \"strategy\": \"gap\",\n", ""),
            "field 'strategy' is missing");
}

TEST(SolutionFromJson, NeedsGap) {
  EXPECT_EQ(problem("  \"gap\": 0.25,\n", ""), "field 'gap' is missing");
}

TEST(SolutionFromJson, RefusesNumbersOfNoPlan) {
  EXPECT_EQ(
      problem(without_plan(), R"("peak_bytes": null)", R"("peak_bytes": 5)"),
      "field 'peak_bytes' should be null when the outcome is infeasible, "
      "found 5");
}

TEST(SolutionFromJson, RefusesMissingPlan) {
  Solution solution = with_plan();
  solution.plan = Plan{};
  std::string text = solution_to_json(two_ops(), solution);
  text.erase(text.find(",\n  \"plan\""));
  EXPECT_EQ(solution_from_json(text + "}", two_ops()).error().message,
            "field 'plan' is missing");
}

TEST(SolutionFromJson, RefusesMissingFieldWithoutPlan) {
  EXPECT_EQ(problem(without_plan(), "  \"cost\": null,\n", ""),
            "field 'cost' is missing");
}

TEST(SolutionFromJson, RefusesNullPlanOfAFeasibleSolution) {
  std::string text = solution_to_json(two_ops(), with_plan());
  text.erase(text.find("{\n    \"format\""));
  EXPECT_EQ(solution_from_json(text + "null}", two_ops()).error().message,
            "plan should be an object, found null");
}

TEST(SolutionFromJson, NamesTheStepOfItsPlan) {
  EXPECT_EQ(problem(R"({"compute": "b"})", R"({"compute": "c"})"),
            "plan: step 1: there is no op 'c' (graph has 2 ops)");
}

TEST(SolutionFromJson, RefusesBrokenText) {
  EXPECT_EQ(solution_from_json("", two_ops()).error().message,
            "the text is empty");
}

}  // namespace
}  // namespace rematch
