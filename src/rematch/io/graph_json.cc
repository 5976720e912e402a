// SPDX-License-Identifier: Apache-2.0
// Reads and writes the fields of a graph document.
#include "rematch/io/graph_json.h"

#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rematch/io/json_parse.h"
#include "rematch/io/json_reader.h"
#include "rematch/io/json_writer.h"

namespace rematch {
namespace {

constexpr std::array<std::string_view, 8> kGraphFields = {
    "format",    "version",     "name",   "description",
    "cost_unit", "fixed_bytes", "inputs", "ops"};
constexpr std::array<std::string_view, 9> kOpFields = {
    "name",        "kind", "inputs",          "outputs",
    "bytes",       "cost", "workspace_bytes", "phase",
    "recomputable"};
constexpr std::array<std::string_view, 4> kTensorFields = {
    "name", "bytes", "storage_of", "output"};

Result<TensorSpec> read_tensor(const JsonValue& value, FieldPlace place) {
  FieldReader tensor(value, place);
  tensor.allow_only(kTensorFields);
  TensorSpec spec;
  spec.name = tensor.text("name");
  spec.bytes = tensor.integer("bytes");
  spec.storage_of = tensor.text_or("storage_of", "");
  if (spec.storage_of.empty() && tensor.find("storage_of") != nullptr) {
    tensor.fail("field 'storage_of' should name a tensor, found ''");
  }
  spec.is_output = tensor.flag_or("output", false);
  if (tensor.failed()) return tensor.error();
  return spec;
}

std::vector<std::string> read_inputs(FieldReader& op) {
  std::vector<std::string> names;
  const auto& list = op.list_or_empty("inputs");
  names.reserve(list.size());
  for (const JsonValue& item : list) {
    const auto* name = item.as<std::string>();
    if (name == nullptr) {
      op.fail(fmt::format("input {} should be a string, found {}", names.size(),
                          item.shown()));
      return {};
    }
    names.push_back(*name);
  }
  return names;
}

Phase read_phase(FieldReader& op) {
  const std::string name = op.text_or("phase", phase_name(Phase::kOther));
  const auto phase = phase_from_name(name);
  if (!phase) {
    op.fail_type("phase", "'forward', 'backward' or 'other'",
                 *op.find("phase"));
  }
  return phase.value_or(Phase::kOther);
}

// The outputs in full, or `bytes` for one output named like the op.
Result<std::vector<TensorSpec>> read_outputs(FieldReader& op,
                                             const std::string& op_name) {
  std::vector<TensorSpec> outputs;
  const bool is_short = op.find("bytes") != nullptr;
  if (is_short == (op.find("outputs") != nullptr)) {
    op.fail(fmt::format("{} of the fields 'outputs' and 'bytes' {} there",
                        is_short ? "both" : "neither",
                        is_short ? "are" : "is"));
  } else if (is_short) {
    outputs.push_back(
        {.name = op_name, .bytes = op.integer("bytes"), .storage_of = {}});
  } else {
    const auto& list = op.list("outputs");
    outputs.reserve(list.size());
    for (const JsonValue& item : list) {
      auto output = read_tensor(item, {"output", outputs.size(), &op});
      if (!output) return output.error();
      outputs.push_back(*std::move(output));
    }
  }
  if (op.failed()) return op.error();
  return outputs;
}

Result<OpSpec> read_op(const JsonValue& value, std::size_t number) {
  FieldReader op(value, {"op", number});
  op.allow_only(kOpFields);
  OpSpec spec;
  spec.op.name = op.text("name");
  spec.op.kind = op.text_or("kind", "");
  spec.op.cost = op.number("cost");
  spec.op.workspace = op.integer_or("workspace_bytes", 0);
  spec.op.recomputable = op.flag_or("recomputable", true);
  spec.op.phase = read_phase(op);
  spec.inputs = read_inputs(op);
  if (op.failed()) return op.error();
  auto outputs = read_outputs(op, spec.op.name);
  if (!outputs) return outputs.error();
  spec.outputs = *std::move(outputs);
  return spec;
}

std::string tensor_json(const Graph& graph, TensorId id) {
  const Tensor& tensor = graph.tensor(id);
  JsonObjectWriter fields(JsonLayout::kOneLine);
  fields.text("name", tensor.name).integer("bytes", tensor.bytes);
  // Builders number storages by their first tensor, so that one has its own.
  const TensorId first = graph.tensors_in(tensor.storage).front();
  if (first != id) fields.text("storage_of", graph.tensor(first).name);
  if (tensor.is_output) fields.flag("output", true);
  return fields.finish();
}

std::string op_json(const Graph& graph, OpId id) {
  const Op& op = graph.op(id);
  JsonObjectWriter fields(JsonLayout::kOneLine);
  fields.text("name", op.name);
  if (!op.kind.empty()) fields.text("kind", op.kind);
  std::vector<std::string> items;
  for (TensorId input : graph.inputs(id)) {
    items.push_back(json_text(graph.tensor(input).name));
  }
  if (!items.empty()) {
    fields.json("inputs", json_list(items, JsonLayout::kOneLine));
  }
  items.clear();
  for (TensorId output : graph.outputs(id)) {
    items.push_back(tensor_json(graph, output));
  }
  fields.json("outputs", json_list(items, JsonLayout::kOneLine));
  fields.number("cost", op.cost);
  if (op.workspace != 0) fields.integer("workspace_bytes", op.workspace);
  if (op.phase != Phase::kOther) fields.text("phase", phase_name(op.phase));
  if (!op.recomputable) fields.flag("recomputable", false);
  return fields.finish();
}

}  // namespace

Result<Graph> graph_from_document(const JsonValue& document,
                                  DeclaredOrder order) {
  FieldReader graph(document);
  check_header(graph, DocumentKind::kGraph);
  graph.allow_only(kGraphFields);
  GraphBuilder builder;
  builder.order(order)
      .name(graph.text_or("name", ""))
      .description(graph.text_or("description", ""))
      .cost_unit(graph.text_or("cost_unit", ""))
      .fixed_bytes(graph.integer_or("fixed_bytes", 0));
  const auto& inputs = graph.list_or_empty("inputs");
  const auto& ops = graph.list("ops");
  if (graph.failed()) return graph.error();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto input = read_tensor(inputs[i], {"graph input", i});
    if (!input) return input.error();
    builder.add_input(*std::move(input));
  }
  for (std::size_t i = 0; i < ops.size(); ++i) {
    auto op = read_op(ops[i], i);
    if (!op) return op.error();
    builder.add_op(*std::move(op));
  }
  return builder.build();
}

Result<Graph> graph_from_json(std::string_view text, DeclaredOrder order) {
  const auto document = parse_json(text);
  if (!document) return document.error();
  return graph_from_document(*document, order);
}

std::string graph_to_json(const Graph& graph) {
  JsonObjectWriter fields(JsonLayout::kLines);
  fields.text("format", format_name(DocumentKind::kGraph))
      .integer("version", kFormatVersion);
  if (!graph.name().empty()) fields.text("name", graph.name());
  if (!graph.description().empty()) {
    fields.text("description", graph.description());
  }
  if (!graph.cost_unit().empty()) fields.text("cost_unit", graph.cost_unit());
  if (graph.declared_fixed_bytes() != 0) {
    fields.integer("fixed_bytes", graph.declared_fixed_bytes());
  }
  std::vector<std::string> items;
  for (TensorId tensor : graph.tensors()) {
    if (graph.is_input(tensor)) items.push_back(tensor_json(graph, tensor));
  }
  if (!items.empty())
    fields.json("inputs", json_list(items, JsonLayout::kLines));
  items.clear();
  for (OpId op : graph.ops()) items.push_back(op_json(graph, op));
  fields.json("ops", json_list(items, JsonLayout::kLines));
  return fields.finish() + '\n';
}

}  // namespace rematch
