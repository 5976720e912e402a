// SPDX-License-Identifier: Apache-2.0
#include "rematch/graph/synthetic/training.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rematch/base/check.h"
#include "rematch/graph/synthetic/roofline.h"

namespace rematch::synthetic {

ValueId Tape::input(std::string name, Bytes bytes) {
  return add_graph_input(std::move(name), bytes, false);
}

ValueId Tape::weight(std::string name, Bytes bytes) {
  return add_graph_input(std::move(name), bytes, true);
}

ValueId Tape::add_graph_input(std::string name, Bytes bytes, bool is_weight) {
  const Bytes size = numbers_ == Numbers::kUnit ? 0 : bytes;
  builder_.add_input({.name = name, .bytes = size, .storage_of = {}});
  return values_.push_back(
      {.name = std::move(name), .bytes = size, .needs_gradient = is_weight});
}

std::vector<ValueId> Tape::record(ForwardOp op) {
  const auto needs = [this](ValueId value) {
    return values_[value].needs_gradient;
  };
  Entry entry;
  entry.op = std::move(op);
  entry.needs_gradient =
      !entry.op.weights.empty() ||
      std::any_of(entry.op.inputs.begin(), entry.op.inputs.end(), needs);
  Draft draft;
  read(entry.op.inputs, draft);
  read(entry.op.weights, draft);
  read(entry.op.data, draft);
  write_outputs(entry, draft);
  if (training_) write_extras(entry, draft);
  draft.spec.op = {
      .name = entry.op.name,
      .kind = std::string(entry.op.kind),
      .cost = cost(entry.op, entry.op.is_view, entry.op.flops, 1, draft.moved),
      .workspace = numbers_ == Numbers::kUnit ? 0 : entry.op.workspace,
      .phase = entry.op.phase};
  builder_.add_op(std::move(draft.spec));
  if (!training_) return std::move(entry.outputs);
  entries_.push_back(std::move(entry));
  return entries_.back().outputs;
}

// `factor` scales a given cost; `flops` are already scaled.
Cost Tape::cost(const ForwardOp& op, bool is_view, double flops, double factor,
                Bytes moved) const {
  if (numbers_ == Numbers::kUnit) return 1;
  if (is_view) return 0;
  if (op.cost) return factor * *op.cost;
  return roofline_cost(flops, moved);
}

void Tape::read(std::span<const ValueId> values, Draft& draft) const {
  for (ValueId value : values) {
    draft.spec.inputs.push_back(values_[value].name);
    draft.moved += values_[value].bytes;
  }
}

void Tape::write(TensorSpec tensor, Draft& draft) const {
  draft.moved += tensor.bytes;
  draft.spec.outputs.push_back(std::move(tensor));
}

void Tape::write_outputs(Entry& entry, Draft& draft) {
  const ForwardOp& op = entry.op;
  const std::string storage =
      op.is_view ? values_[op.inputs.front()].name : std::string();
  for (std::size_t k = 0; k < op.outputs.size(); ++k) {
    std::string name =
        op.outputs.size() == 1 ? op.name : fmt::format("{}.{}", op.name, k);
    const Bytes size = counted(op.outputs[k]);
    write({.name = name,
           .bytes = size,
           .storage_of = storage,
           .is_output = op.kept},
          draft);
    entry.outputs.push_back(
        values_.push_back({.name = std::move(name),
                           .bytes = size,
                           .needs_gradient = entry.needs_gradient}));
  }
}

void Tape::write_extras(Entry& entry, Draft& draft) const {
  for (const Extra& extra : entry.op.extras) {
    std::string name = fmt::format("{}.{}", entry.op.name, extra.name);
    if (!extra.kept) {
      entry.saved.push_back(name);
      entry.saved_bytes += counted(extra.bytes);
    }
    write({.name = std::move(name),
           .bytes = counted(extra.bytes),
           .storage_of = {},
           .is_output = extra.kept},
          draft);
  }
}

void Tape::mirror() {
  REMATCH_CHECK(training_ && !entries_.empty(),
                "backward mirrors a recorded forward");
  for (std::size_t at = entries_.size(); at-- > 0;) {
    const Entry& entry = entries_[at];
    if (!entry.needs_gradient) continue;
    std::vector<std::string> gradients = gradients_of(entry);
    const bool is_loss = at + 1 == entries_.size();
    if (gradients.empty() && !is_loss) continue;
    if (entry.op.gradient == GradientRule::kPass) {
      pass_on(entry, gradients.front());
    } else {
      add_backward(entry, std::move(gradients));
    }
  }
}

// The gradients of those outputs that have one.
std::vector<std::string> Tape::gradients_of(const Entry& entry) {
  std::vector<std::string> result;
  for (ValueId output : entry.outputs) {
    if (values_[output].gradients.empty()) continue;
    result.push_back(gradient_of(output, entry.op));
  }
  return result;
}

// The sum of what the readers contributed, by an op of its own if need be.
std::string Tape::gradient_of(ValueId id, const ForwardOp& producer) {
  Value& value = values_[id];
  if (value.gradients.size() == 1) return std::move(value.gradients.front());
  std::string name = value.name + ".grad_sum";
  Draft draft;
  draft.moved = value.bytes * static_cast<Bytes>(value.gradients.size());
  draft.spec.inputs = std::move(value.gradients);
  write({.name = name, .bytes = value.bytes, .storage_of = {}}, draft);
  Cost sum = cost(producer, false, 0, 1, draft.moved);
  if (producer.cost && numbers_ == Numbers::kRealistic) sum = kLaunchCost;
  draft.spec.op = {
      .name = name, .kind = "add", .cost = sum, .phase = Phase::kBackward};
  builder_.add_op(std::move(draft.spec));
  return name;
}

void Tape::pass_on(const Entry& entry, const std::string& gradient) {
  for (ValueId input : entry.op.inputs) {
    Value& value = values_[input];
    if (value.needs_gradient) value.gradients.push_back(gradient);
  }
}

void Tape::add_backward(const Entry& entry,
                        std::vector<std::string> gradients) {
  const ForwardOp& op = entry.op;
  const bool is_view = op.gradient == GradientRule::kView;
  Draft draft;
  for (ValueId output : entry.outputs) draft.moved += values_[output].bytes;
  draft.spec.inputs = std::move(gradients);
  const std::string incoming = is_view ? draft.spec.inputs.front() : "";
  if (op.saves.inputs) read(op.inputs, draft);
  if (op.saves.weights) read(op.weights, draft);
  if (op.saves.outputs) read(entry.outputs, draft);
  if (op.saves.extras) {
    draft.spec.inputs.insert(draft.spec.inputs.end(), entry.saved.begin(),
                             entry.saved.end());
    draft.moved += entry.saved_bytes;
  }
  read(op.data, draft);
  const double flops = write_gradients(entry, incoming, draft);
  draft.spec.op = {.name = op.name + ".backward",
                   .kind = fmt::format("{}_backward", op.kind),
                   .cost = cost(op, is_view, flops, 2, draft.moved),
                   .workspace = numbers_ == Numbers::kUnit ? 0 : op.workspace,
                   .phase = Phase::kBackward};
  builder_.add_op(std::move(draft.spec));
}

// One output for each input and weight with a gradient; views of `incoming`
// unless it is empty. Returns the flops that they take.
double Tape::write_gradients(const Entry& entry, const std::string& incoming,
                             Draft& draft) {
  const ForwardOp& op = entry.op;
  const auto wanted = std::count_if(
      op.inputs.begin(), op.inputs.end(),
      [this](ValueId value) { return values_[value].needs_gradient; });
  int index = 0;
  for (ValueId input : op.inputs) {
    Value& value = values_[input];
    if (!value.needs_gradient) continue;
    std::string name = wanted == 1
                           ? op.name + ".backward"
                           : fmt::format("{}.backward.{}", op.name, index++);
    value.gradients.push_back(name);
    write(
        {.name = std::move(name), .bytes = value.bytes, .storage_of = incoming},
        draft);
  }
  for (ValueId weight : op.weights) {
    const Value& value = values_[weight];
    write({.name = value.name + ".grad",
           .bytes = counted(value.bytes),
           .storage_of = {},
           .is_output = true},
          draft);
  }
  const auto products = wanted + (op.weights.empty() ? 0 : 1);
  return op.flops * static_cast<double>(std::min<std::ptrdiff_t>(products, 2));
}

}  // namespace rematch::synthetic
