// SPDX-License-Identifier: Apache-2.0
// Records forward ops and mirrors them into the backward of a training step.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rematch/base/ids.h"
#include "rematch/graph/graph_builder.h"
#include "rematch/graph/synthetic/synthetic.h"

namespace rematch::synthetic {

// A tensor of the forward graph.
using ValueId = Id<struct ValueTag>;

// What a backward op reads besides the gradients of its op's outputs.
struct Saves {
  bool inputs = false;
  bool weights = false;
  bool outputs = false;
  bool extras = false;
};

// How the gradient of an output becomes the gradients of the inputs.
enum class GradientRule {
  kOp,    // By an op that writes new tensors.
  kView,  // By a view of the gradient.
  kPass,  // It is the gradient of every input, and there is no op.
};

// An output without gradient: a statistic, a mask. Only with training.
struct Extra {
  std::string_view name;  // The tensor is called <op>.<name>.
  Bytes bytes = 0;
  bool kept = false;  // A result of the graph; backward does not read it.
};

struct ForwardOp {
  std::string name;
  std::string_view kind = {};
  std::vector<ValueId> inputs = {};
  std::vector<ValueId> weights = {};
  std::vector<ValueId> data = {};   // Without gradient; backward reads them.
  std::vector<Bytes> outputs = {};  // Each with a gradient.
  std::vector<Extra> extras = {};
  double flops = 0;     // Backward takes twice that for two or more gradients.
  Bytes workspace = 0;  // Of backward, too.
  // Instead of the roofline; its backward costs twice that.
  std::optional<Cost> cost = std::nullopt;
  Saves saves = {};
  GradientRule gradient = GradientRule::kOp;
  bool is_view = false;  // The outputs live in the storage of the first input.
  bool kept = false;     // The outputs are results of the graph.
  Phase phase = Phase::kForward;
};

// Ops are named as given, and so is their only output; several are called
// <op>.0, <op>.1 and so on. The backward of <op> is <op>.backward; the gradient
// of a weight is <weight>.grad. Where a tensor has several readers their
// gradients are added by <tensor>.grad_sum.
class Tape {
 public:
  Tape(Numbers numbers, bool training)
      : numbers_(numbers), training_(training) {}

  bool training() const { return training_; }
  // As counted in the graph: 1 for anything computed with unit numbers.
  Bytes bytes(ValueId value) const { return values_[value].bytes; }

  // A graph input without gradient: the batch, a buffer.
  ValueId input(std::string name, Bytes bytes);
  // A graph input whose gradient is a result. One op reads it.
  ValueId weight(std::string name, Bytes bytes);
  // Appends the op; returns its outputs, extras not among them.
  std::vector<ValueId> record(ForwardOp op);
  // For an op with one output.
  ValueId record_one(ForwardOp op) { return record(std::move(op)).front(); }

  // Appends the backward of everything recorded; the op recorded last is the
  // loss, whose gradient nobody gives.
  void mirror();

  GraphBuilder finish() && { return std::move(builder_); }

 private:
  struct Value {
    std::string name;
    Bytes bytes = 0;
    bool needs_gradient = false;
    std::vector<std::string> gradients = {};  // One for each op that read it.
  };
  // A forward op with its outputs.
  struct Entry {
    ForwardOp op;
    std::vector<ValueId> outputs;
    std::vector<std::string> saved;  // Names of the extras that backward reads.
    Bytes saved_bytes = 0;
    bool needs_gradient = false;
  };
  // The op under construction and the bytes that it moves.
  struct Draft {
    OpSpec spec;
    Bytes moved = 0;
  };

  Bytes counted(Bytes bytes) const {
    return numbers_ == Numbers::kUnit ? 1 : bytes;
  }
  Cost cost(const ForwardOp& op, bool is_view, double flops, double factor,
            Bytes moved) const;
  ValueId add_graph_input(std::string name, Bytes bytes, bool is_weight);
  void read(std::span<const ValueId> values, Draft& draft) const;
  void write(TensorSpec tensor, Draft& draft) const;
  void write_outputs(Entry& entry, Draft& draft);
  void write_extras(Entry& entry, Draft& draft) const;

  std::vector<std::string> gradients_of(const Entry& entry);
  std::string gradient_of(ValueId id, const ForwardOp& producer);
  void pass_on(const Entry& entry, const std::string& gradient);
  void add_backward(const Entry& entry, std::vector<std::string> gradients);
  double write_gradients(const Entry& entry, const std::string& incoming,
                         Draft& draft);

  Numbers numbers_;
  bool training_;
  GraphBuilder builder_;
  IdVector<ValueId, Value> values_;
  std::vector<Entry> entries_;
};

}  // namespace rematch::synthetic
