// SPDX-License-Identifier: Apache-2.0
// Reads and writes the fields of a plan document.
#include "rematch/io/plan_json.h"

#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "rematch/graph/declarations.h"
#include "rematch/io/json_parse.h"
#include "rematch/io/json_reader.h"
#include "rematch/io/json_writer.h"

namespace rematch {
namespace {

constexpr std::array<std::string_view, 4> kPlanFields = {"format", "version",
                                                         "graph", "steps"};
constexpr std::array<std::string_view, 2> kStepFields = {"compute", "drop"};

// Finds ops and tensors by name. Refers to the graph.
class Names {
 public:
  explicit Names(const Graph& graph) {
    for (OpId op : graph.ops()) ops_.emplace(graph.op(op).name, op);
    for (TensorId tensor : graph.tensors()) {
      tensors_.emplace(graph.tensor(tensor).name, tensor);
    }
  }

  std::optional<Step> read(FieldReader& step) const {
    step.allow_only(kStepFields);
    const bool computes = step.find("compute") != nullptr;
    if (computes == (step.find("drop") != nullptr)) {
      step.fail(fmt::format("{} of the fields 'compute' and 'drop' {} there",
                            computes ? "both" : "neither",
                            computes ? "are" : "is"));
    }
    if (step.failed()) return std::nullopt;
    return computes ? read_compute(step) : read_drop(step);
  }

 private:
  std::optional<Step> read_compute(FieldReader& step) const {
    const std::string name = step.text("compute");
    const auto found = ops_.find(name);
    if (found != ops_.end()) return Step::compute(found->second);
    step.fail(fmt::format("there is no op '{}' (graph has {} ops)",
                          shown_name(name), ops_.size()));
    return std::nullopt;
  }

  std::optional<Step> read_drop(FieldReader& step) const {
    const std::string name = step.text("drop");
    const auto found = tensors_.find(name);
    if (found != tensors_.end()) return Step::drop(found->second);
    step.fail(fmt::format("there is no tensor '{}' (graph has {} tensors)",
                          shown_name(name), tensors_.size()));
    return std::nullopt;
  }

  std::unordered_map<std::string_view, OpId> ops_;
  std::unordered_map<std::string_view, TensorId> tensors_;
};

// The plan inside a solution document.
Result<Plan> plan_of_solution(const JsonValue& document, const Graph& graph) {
  FieldReader solution(document);
  check_header(solution, DocumentKind::kSolution);
  if (solution.failed()) return solution.error();
  const JsonValue* plan = document.find("plan");
  if (plan == nullptr || plan->as<JsonValue::Null>()) {
    const std::string outcome = solution.text_or("outcome", "not given");
    return Error{ErrorCode::kParse,
                 fmt::format("this solution has no plan (its outcome is {})",
                             shown_name(outcome))};
  }
  return plan_from_document(*plan, graph, "plan");
}

}  // namespace

Result<Plan> plan_from_document(const JsonValue& document, const Graph& graph,
                                std::string_view field) {
  FieldReader reader(document, {field});
  check_header(reader, DocumentKind::kPlan);
  reader.allow_only(kPlanFields);
  reader.text_or("graph", "");  // A label: any text will do.
  const auto& steps = reader.list("steps");
  if (reader.failed()) return reader.error();
  const Names names(graph);
  Plan plan;
  plan.steps.reserve(steps.size());
  for (const JsonValue& item : steps) {
    FieldReader step(item, {"step", plan.steps.size(), &reader});
    const auto read = names.read(step);
    if (step.failed()) return step.error();
    plan.steps.push_back(*read);
  }
  return plan;
}

Result<Plan> plan_from_json(std::string_view text, const Graph& graph) {
  const auto document = parse_json(text);
  if (!document) return document.error();
  if (document_kind(*document) == DocumentKind::kSolution) {
    return plan_of_solution(*document, graph);
  }
  return plan_from_document(*document, graph);
}

std::string plan_to_json(const Graph& graph, const Plan& plan) {
  std::vector<std::string> steps;
  steps.reserve(plan.steps.size());
  for (const Step& step : plan.steps) {
    JsonObjectWriter fields(JsonLayout::kOneLine);
    if (step.is_compute()) {
      fields.text("compute", graph.op(step.op()).name);
    } else {
      fields.text("drop", graph.tensor(step.tensor()).name);
    }
    steps.push_back(fields.finish());
  }
  JsonObjectWriter fields(JsonLayout::kLines);
  fields.text("format", format_name(DocumentKind::kPlan))
      .integer("version", kFormatVersion)
      .text("graph", graph.name())
      .json("steps", json_list(steps, JsonLayout::kLines));
  return fields.finish() + '\n';
}

}  // namespace rematch
