// SPDX-License-Identifier: Apache-2.0
// A plan: what to compute and what to drop, step by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rematch/base/ids.h"

namespace rematch {

using StepId = Id<struct StepTag>;

enum class StepKind : std::uint8_t { kCompute, kDrop };

// compute(op), any number of times, or drop(tensor).
class Step {
 public:
  static Step compute(OpId op) { return Step(StepKind::kCompute, op.value); }
  static Step drop(TensorId tensor) {
    return Step(StepKind::kDrop, tensor.value);
  }

  StepKind kind() const { return kind_; }
  bool is_compute() const { return kind_ == StepKind::kCompute; }
  // Only for compute steps.
  OpId op() const { return OpId(id_); }
  // Only for drop steps.
  TensorId tensor() const { return TensorId(id_); }

  friend bool operator==(const Step&, const Step&) = default;

 private:
  Step(StepKind kind, std::int32_t id) : id_(id), kind_(kind) {}

  std::int32_t id_;
  StepKind kind_;
};

// Steps in the order in which they run. Whether they make sense on a graph is
// for replay() to say.
struct Plan {
  std::vector<Step> steps;

  friend bool operator==(const Plan&, const Plan&) = default;
};

// The ops of the compute steps, in order.
std::vector<OpId> computed_ops(const Plan& plan);

}  // namespace rematch
