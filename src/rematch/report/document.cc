// SPDX-License-Identifier: Apache-2.0
#include "rematch/report/document.h"

#include <functional>
#include <limits>
#include <optional>
#include <unordered_map>

#include "rematch/base/check.h"
#include "rematch/io/json_writer.h"
#include "rematch/plan/sequence.h"
#include "rematch/report/modules.h"

namespace rematch {
namespace {

// A list of what `text` makes of each item, without spaces.
template <class Range, class Text>
std::string list_of(const Range& items, Text text) {
  std::string list = "[";
  for (const auto& item : items) {
    if (list.size() > 1) list += ',';
    list += text(item);
  }
  return list + ']';
}

template <class Range>
std::string texts(const Range& items) {
  return list_of(items, [](std::string_view text) { return json_text(text); });
}

std::string number_or_null(const std::optional<double>& value) {
  return json_number(value.value_or(std::numeric_limits<double>::quiet_NaN()));
}

std::string bytes_or_null(const std::optional<Bytes>& value) {
  return value ? std::to_string(*value) : "null";
}

// Numbers texts that come again and again.
class TextTable {
 public:
  std::size_t number(const std::string& text) {
    const auto [found, is_new] = numbers_.emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return found->second;
  }
  const std::vector<std::string>& all() const { return texts_; }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

std::string ops_json(const Graph& graph) {
  TextTable kinds;
  const auto column = [&](auto text) {
    return list_of(graph.ops(), [&](OpId op) { return text(graph.op(op)); });
  };
  const std::string kind = column(
      [&](const Op& op) { return std::to_string(kinds.number(op.kind)); });
  const Modules modules = modules_of(graph);
  JsonObjectWriter fields(JsonLayout::kOneLine);
  fields.json("name", column([](const Op& op) { return json_text(op.name); }))
      .json("kind", kind)
      .json("kinds", texts(kinds.all()))
      .json("phase", column([](const Op& op) {
              return std::to_string(static_cast<int>(op.phase));
            }))
      .json("cost", column([](const Op& op) { return json_number(op.cost); }))
      .json("workspace",
            column([](const Op& op) { return std::to_string(op.workspace); }))
      .json("runs_once", column([](const Op& op) {
              return std::string(op.recomputable ? "0" : "1");
            }))
      .json("modules", texts(modules.names))
      .json("module", list_of(modules.of, [](ModuleId module) {
              return std::to_string(module.value);
            }));
  return fields.finish();
}

// What ops produce: graph inputs are part of the fixed bytes, whatever a plan
// does. An input of an op that is a graph input is left out.
std::string tensors_json(const Graph& graph) {
  const auto column = [&](auto text) { return list_of(graph.tensors(), text); };
  JsonObjectWriter fields(JsonLayout::kOneLine);
  fields
      .json("name", column([&](TensorId id) -> std::string {
              const Tensor& tensor = graph.tensor(id);
              if (!tensor.producer) return "0";
              // Most are called like the op.
              if (tensor.name == graph.op(*tensor.producer).name) return "0";
              return json_text(tensor.name);
            }))
      .json("bytes", column([&](TensorId id) {
              return std::to_string(graph.tensor(id).bytes);
            }))
      .json("producer", column([&](TensorId id) {
              const auto& producer = graph.tensor(id).producer;
              return std::to_string(producer ? producer->value : -1);
            }))
      .json("storage", column([&](TensorId id) {
              return std::to_string(graph.tensor(id).storage.value);
            }))
      .json("is_output", column([&](TensorId id) {
              return std::string(graph.tensor(id).is_output ? "1" : "0");
            }));
  return fields.finish();
}

std::string storages_json(const Graph& graph) {
  // What is resident is counted in the fixed bytes.
  return list_of(graph.storages(), [&](StorageId id) {
    const Storage& storage = graph.storage(id);
    return std::to_string(storage.resident ? 0 : storage.bytes);
  });
}

std::string inputs_json(const Graph& graph) {
  return list_of(graph.ops(), [&](OpId op) {
    std::vector<TensorId> computed;
    for (TensorId tensor : graph.inputs(op)) {
      if (!graph.is_input(tensor)) computed.push_back(tensor);
    }
    return list_of(computed,
                   [](TensorId id) { return std::to_string(id.value); });
  });
}

std::string graph_json(const Graph& graph) {
  JsonObjectWriter fields(JsonLayout::kOneLine);
  fields.text("name", graph.name())
      .text("description", graph.description())
      .text("cost_unit", graph.cost_unit())
      .integer("edges", graph.num_edges())
      .integer("fixed_bytes", graph.fixed_bytes())
      .number("base_cost", graph.base_cost())
      .json("ops", ops_json(graph))
      .json("tensors", tensors_json(graph))
      .json("storage_bytes", storages_json(graph))
      .json("inputs", inputs_json(graph));
  return fields.finish();
}

std::string steps_json(const Plan& plan) {
  return list_of(plan.steps, [](const Step& step) {
    return std::to_string(step.is_compute() ? step.op().value
                                            : -1 - step.tensor().value);
  });
}

std::string footprint_json(const MeasuredPlan& plan) {
  std::vector<Bytes> computing;
  for (std::size_t at = 0; at < plan.plan.steps.size(); ++at) {
    if (plan.plan.steps[at].is_compute()) {
      computing.push_back(plan.measured.footprint[at]);
    }
  }
  return list_of(computing, [](Bytes bytes) { return std::to_string(bytes); });
}

// Of every step, as text, where numbers of JavaScript are too short; else none.
std::string exact_json(const MeasuredPlan& plan) {
  constexpr Bytes kLargest = Bytes{1} << 53;
  if (plan.peak() <= kLargest) return "null";
  return list_of(plan.measured.footprint,
                 [](Bytes bytes) { return json_text(std::to_string(bytes)); });
}

std::string certificate_json(const MeasuredPlan& plan) {
  if (!plan.certificate) return "null";
  const Solution& solution = *plan.certificate;
  JsonObjectWriter fields(JsonLayout::kOneLine);
  fields.text("words", certificate_words(solution))
      .text("claimed_by", plan.claimed_by)
      .text("outcome", outcome_name(solution.outcome))
      .text("strategy", solution.strategy)
      .integer("budget_bytes", solution.budget)
      .number("lower_bound", solution.lower_bound)
      .json("gap", number_or_null(solution.gap()))
      .integer("peak_floor_bytes", solution.peak_floor)
      .text("stop_reason", stop_reason_name(solution.stop_reason))
      .text("message", solution.message);
  return fields.finish();
}

std::string plan_json(const Graph& graph, const MeasuredPlan& plan) {
  const double base = graph.base_cost();
  JsonObjectWriter fields(JsonLayout::kOneLine);
  fields.text("label", plan.label)
      .text("order", order_name(plan.order))
      .integer("peak_bytes", plan.peak())
      .integer("peak_step", plan.measured.peak_step.value)
      .number("cost", plan.cost())
      .number("overhead", base > 0 ? plan.cost() / base - 1 : 0)
      .json("certificate", certificate_json(plan))
      .json("steps", steps_json(plan.plan))
      .json("footprint_bytes", footprint_json(plan))
      .json("exact_bytes", exact_json(plan));
  return fields.finish();
}

std::string curve_json(const Curve& curve) {
  const auto point_json = [](const CurvePoint& point) {
    JsonObjectWriter fields(JsonLayout::kOneLine);
    fields.text("strategy", point.strategy)
        .text("outcome", outcome_name(point.outcome))
        .integer("budget_bytes", point.budget)
        .json("peak_bytes", bytes_or_null(point.peak))
        .json("cost", number_or_null(point.cost))
        .json("lower_bound", number_or_null(point.lower_bound));
    return fields.finish();
  };
  JsonObjectWriter fields(JsonLayout::kOneLine);
  fields.flag("whole", curve.whole)
      .text("order", order_name(curve.order))
      .integer("keep_all_peak_bytes", curve.keep_all_peak)
      .integer("peak_floor_bytes", curve.peak_floor)
      .json("least_peak_bytes", bytes_or_null(curve.least_peak()))
      .json("points", list_of(curve.points, point_json));
  return fields.finish();
}

}  // namespace

std::string report_document(const Report& report) {
  const auto keep_all = measure(report.graph, "keep everything",
                                keep_all_plan(report.graph), OrderRule::kFixed);
  REMATCH_CHECK(keep_all.ok(), "the keep-all plan is valid");
  std::vector<std::reference_wrapper<const MeasuredPlan>> plans = {*keep_all};
  plans.insert(plans.end(), report.plans.begin(), report.plans.end());
  JsonObjectWriter fields(JsonLayout::kOneLine);
  fields.text("format", "rematch.report")
      .integer("version", 1)
      .json("graph", graph_json(report.graph))
      .json("plans", list_of(plans,
                             [&](const MeasuredPlan& plan) {
                               return plan_json(report.graph, plan);
                             }))
      .json("curve", curve_json(report.curve));
  return fields.finish();
}

}  // namespace rematch
