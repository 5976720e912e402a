// SPDX-License-Identifier: Apache-2.0
// Reads and writes the fields of a solution document.
#include "rematch/io/solution_json.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "rematch/io/json_parse.h"
#include "rematch/io/json_reader.h"
#include "rematch/io/json_writer.h"
#include "rematch/io/plan_json.h"

namespace rematch {
namespace {

constexpr std::array<std::string_view, 19> kSolutionFields = {
    "format",     "version",          "graph_file",
    "outcome",    "strategy",         "budget_bytes",
    "peak_bytes", "fixed_bytes",      "cost",
    "base_cost",  "overhead",         "lower_bound",
    "gap",        "stop_reason",      "order",
    "seed",       "peak_floor_bytes", "message",
    "plan"};

enum class Seconds { kWritten, kLeftOut };

void write_summary(const Solution& solution, Seconds seconds,
                   JsonObjectWriter& fields) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const bool has_plan = solution.has_plan();
  fields.text("outcome", outcome_name(solution.outcome))
      .text("strategy", solution.strategy)
      .integer("budget_bytes", solution.budget)
      .json("peak_bytes", has_plan ? std::to_string(solution.peak) : "null")
      .integer("fixed_bytes", solution.fixed_bytes)
      .number("cost", has_plan ? solution.cost : kNone)
      .number("base_cost", solution.base_cost)
      .number("overhead", has_plan ? solution.overhead() : kNone)
      .number("lower_bound", solution.lower_bound)
      .number("gap", solution.gap().value_or(kNone));
  if (seconds == Seconds::kWritten) {
    fields.number("seconds", std::round(solution.seconds * 1e6) / 1e6);
  }
  fields.text("stop_reason", stop_reason_name(solution.stop_reason))
      .text("order", order_name(solution.order))
      .integer("seed", solution.seed)
      .integer("peak_floor_bytes", solution.peak_floor);
  if (!solution.message.empty()) fields.text("message", solution.message);
}

// The value that a name stands for; `parse` gives none for an unknown name.
template <class Value>
Value read_name(FieldReader& fields, std::string_view key,
                std::optional<Value> (*parse)(std::string_view),
                std::string_view expected) {
  const auto value = parse(fields.text(key));
  if (!value && !fields.failed()) {
    fields.fail_type(key, expected, *fields.find(key));
  }
  return value.value_or(Value{});
}

Bytes read_size(FieldReader& fields, std::string_view key) {
  const Bytes bytes = fields.integer(key);
  if (bytes < 0)
    fields.fail(fmt::format("field '{}' is {}, below 0", key, bytes));
  return bytes;
}

Cost read_cost(FieldReader& fields, std::string_view key) {
  const Cost cost = fields.number(key);
  if (cost < 0)
    fields.fail(fmt::format("field '{}' is {}, below 0", key, cost));
  return cost;
}

// A bound that is not finite is written as null.
Cost read_lower_bound(FieldReader& fields) {
  const JsonValue* found = fields.find("lower_bound");
  if (found != nullptr && found->as<JsonValue::Null>()) {
    return std::numeric_limits<Cost>::infinity();
  }
  return read_cost(fields, "lower_bound");
}

void read_summary(FieldReader& fields, Solution& solution) {
  solution.outcome =
      read_name(fields, "outcome", outcome_from_name,
                "'optimal', 'feasible', 'infeasible' or 'unknown'");
  solution.strategy = fields.text("strategy");
  solution.budget = read_size(fields, "budget_bytes");
  solution.fixed_bytes = read_size(fields, "fixed_bytes");
  solution.base_cost = read_cost(fields, "base_cost");
  solution.lower_bound = read_lower_bound(fields);
  solution.stop_reason = read_name(
      fields, "stop_reason", stop_reason_from_name,
      "'proved', 'finished', 'over_budget', 'not_applicable', 'time_limit', "
      "'work_limit', 'gap_reached' or 'interrupted'");
  solution.order =
      read_name(fields, "order", order_from_name, "'fixed' or 'free'");
  solution.seed = fields.unsigned_integer("seed");
  solution.peak_floor = read_size(fields, "peak_floor_bytes");
  solution.message = fields.text_or("message", "");
}

// A number that follows from others: it must say the same, up to rounding. What
// is not finite is written as null.
void check_derived(FieldReader& fields, std::string_view key,
                   std::optional<double> expected) {
  if (expected && !std::isfinite(*expected)) expected = std::nullopt;
  const std::optional<double> found = fields.number_or_null(key);
  if (fields.failed()) return;
  const double off = std::abs(found.value_or(0) - expected.value_or(0));
  if (found.has_value() == expected.has_value() &&
      off <= 1e-9 * (1 + std::abs(expected.value_or(0)))) {
    return;
  }
  const auto shown = [](const std::optional<double>& value) {
    return value ? json_number(*value) : std::string("null");
  };
  fields.fail(fmt::format("field '{}' is {}, but the other fields make it {}",
                          key, shown(found), shown(expected)));
}

bool needs_plan(Outcome outcome) {
  return outcome == Outcome::kOptimal || outcome == Outcome::kFeasible;
}

// What is there with a plan and null without one.
void read_measures(FieldReader& fields, Solution& solution) {
  if (needs_plan(solution.outcome)) {
    solution.peak = read_size(fields, "peak_bytes");
    solution.cost = read_cost(fields, "cost");
    return;
  }
  for (std::string_view key :
       {"peak_bytes", "cost", "overhead", "gap", "plan"}) {
    const JsonValue* found = fields.find(key);
    if (found == nullptr) {
      return fields.fail(fmt::format("field '{}' is missing", key));
    }
    if (found->as<JsonValue::Null>()) continue;
    fields.fail_type(key,
                     fmt::format("null when the outcome is {}",
                                 outcome_name(solution.outcome)),
                     *found);
  }
}

Result<std::optional<Plan>> read_plan(FieldReader& fields, Outcome outcome,
                                      const Graph& graph) {
  if (!needs_plan(outcome)) return std::optional<Plan>();
  const JsonValue* found = fields.find("plan");
  if (found == nullptr) {
    fields.fail("field 'plan' is missing");
    return fields.error();
  }
  auto plan = plan_from_document(*found, graph, "plan");
  if (!plan) return plan.error();
  return std::optional<Plan>(*std::move(plan));
}

}  // namespace

std::string summary_to_json(const Solution& solution) {
  JsonObjectWriter fields(JsonLayout::kOneLine);
  write_summary(solution, Seconds::kWritten, fields);
  return fields.finish();
}

std::string solution_to_json(const Graph& graph, const Solution& solution,
                             const std::optional<GraphOrigin>& origin) {
  JsonObjectWriter fields(JsonLayout::kLines);
  fields.text("format", format_name(DocumentKind::kSolution))
      .integer("version", kFormatVersion);
  if (origin) fields.json("graph_file", origin_to_json(*origin));
  write_summary(solution, Seconds::kLeftOut, fields);
  std::string plan = "null";
  if (solution.has_plan()) {
    plan = plan_to_json(graph, *solution.plan);
    plan.pop_back();  // The line end.
  }
  fields.json("plan", plan);
  return fields.finish() + '\n';
}

Result<Solution> solution_from_json(std::string_view text, const Graph& graph) {
  const auto document = parse_json(text);
  if (!document) return document.error();
  FieldReader fields(*document);
  check_header(fields, DocumentKind::kSolution);
  fields.allow_only(kSolutionFields);
  read_origin(fields);
  Solution solution;
  if (!fields.failed()) read_summary(fields, solution);
  if (!fields.failed()) read_measures(fields, solution);
  if (fields.failed()) return fields.error();
  auto plan = read_plan(fields, solution.outcome, graph);
  if (!plan) return plan.error();
  solution.plan = *std::move(plan);
  if (solution.has_plan()) {
    check_derived(fields, "overhead", solution.overhead());
    check_derived(fields, "gap", solution.gap());
    if (fields.failed()) return fields.error();
  }
  return solution;
}

}  // namespace rematch
