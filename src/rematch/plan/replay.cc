// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/replay.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "rematch/plan/occupancy.h"

namespace rematch {
namespace {

template <class... Args>
Error invalid(std::size_t step, fmt::format_string<Args...> text,
              Args&&... args) {
  return {ErrorCode::kInvalidPlan,
          fmt::format("step {}: {}", step,
                      fmt::format(text, std::forward<Args>(args)...))};
}

// Which tensors are live, and how many bytes that takes.
class LiveSet {
 public:
  explicit LiveSet(const Graph& graph)
      : graph_(graph), live_(graph.num_tensors()), occupancy_(graph) {
    for (TensorId tensor : graph.tensors()) {
      if (graph.is_input(tensor)) live_[tensor] = true;
    }
  }

  bool contains(TensorId tensor) const { return live_[tensor]; }
  Bytes bytes() const { return graph_.fixed_bytes() + occupancy_.bytes(); }

  void add(TensorId tensor) {
    if (live_[tensor]) return;
    live_[tensor] = true;
    occupancy_.hold(tensor);
  }

  void remove(TensorId tensor) {
    live_[tensor] = false;
    occupancy_.release(tensor);
  }

  std::optional<TensorId> first_dead_input(OpId op) const {
    for (TensorId input : graph_.inputs(op)) {
      if (!live_[input]) return input;
    }
    return std::nullopt;
  }

 private:
  const Graph& graph_;
  IdVector<TensorId, bool> live_;
  Occupancy occupancy_;
};

class Replayer {
 public:
  Replayer(const Graph& graph, OrderRule order)
      : graph_(graph), order_(order), live_(graph) {
    result_.runs = IdVector<OpId, std::int64_t>(graph.num_ops());
    result_.peak = graph.fixed_bytes();
  }

  Result<Replay> run(const Plan& plan) {
    result_.footprint.reserve(plan.steps.size());
    for (std::size_t at = 0; at < plan.steps.size(); ++at) {
      const Step& step = plan.steps[at];
      const auto bytes =
          step.is_compute() ? compute(at, step.op()) : drop(at, step.tensor());
      if (!bytes) return bytes.error();
      result_.footprint.push_back(*bytes);
      if (*bytes > result_.peak || at == 0) {
        result_.peak = *bytes;
        result_.peak_step = StepId(at);
      }
    }
    if (const auto missing = first_missing_op()) {
      return Error{
          ErrorCode::kInvalidPlan,
          fmt::format("the plan never computes op '{}' (it computes "
                      "{} of {} ops)",
                      graph_.op(*missing).name, computed_, graph_.num_ops())};
    }
    result_.cost = cost_of_runs(graph_, result_.runs);
    return std::move(result_);
  }

 private:
  Result<Bytes> compute(std::size_t at, OpId op) {
    if (op.index() >= graph_.num_ops()) {
      return invalid(at, "op {} does not exist (graph has {} ops)", op.value,
                     graph_.num_ops());
    }
    const Op& what = graph_.op(op);
    if (const auto dead = live_.first_dead_input(op)) {
      return invalid(at, "compute '{}' reads '{}', which is not live",
                     what.name, graph_.tensor(*dead).name);
    }
    if (result_.runs[op] > 0 && !what.recomputable) {
      return invalid(at, "op '{}' is computed again but is not recomputable",
                     what.name);
    }
    if (result_.runs[op]++ == 0) {
      if (order_ == OrderRule::kFixed && op.index() != computed_) {
        return invalid(at,
                       "op '{}' is computed before op '{}', which comes first "
                       "in the fixed order",
                       what.name, graph_.op(OpId(computed_)).name);
      }
      if (!what.recomputable) {
        if (last_effect_ && op < *last_effect_) {
          return invalid(at,
                         "op '{}' is computed after op '{}': both must run "
                         "exactly once, in the graph's order",
                         what.name, graph_.op(*last_effect_).name);
        }
        last_effect_ = op;
      }
      ++computed_;
    }
    for (TensorId output : graph_.outputs(op)) live_.add(output);
    return live_.bytes() + what.workspace;
  }

  Result<Bytes> drop(std::size_t at, TensorId tensor) {
    if (tensor.index() >= graph_.num_tensors()) {
      return invalid(at, "tensor {} does not exist (graph has {} tensors)",
                     tensor.value, graph_.num_tensors());
    }
    const std::string& name = graph_.tensor(tensor).name;
    if (graph_.is_input(tensor)) {
      return invalid(at, "drop '{}', which is a graph input", name);
    }
    if (!live_.contains(tensor)) {
      return invalid(at, "drop '{}', which is not live", name);
    }
    if (graph_.tensor(tensor).is_output) {
      return invalid(at, "drop '{}', which is a graph output", name);
    }
    live_.remove(tensor);
    return live_.bytes();
  }

  std::optional<OpId> first_missing_op() const {
    for (OpId op : graph_.ops()) {
      if (result_.runs[op] == 0) return op;
    }
    return std::nullopt;
  }

  const Graph& graph_;
  OrderRule order_;
  LiveSet live_;
  std::size_t computed_ = 0;         // Ops computed at least once.
  std::optional<OpId> last_effect_;  // The last that runs once.
  Replay result_;
};

}  // namespace

Result<Replay> replay(const Graph& graph, const Plan& plan, OrderRule order) {
  return Replayer(graph, order).run(plan);
}

std::vector<TensorId> live_tensors(const Graph& graph, const Plan& plan,
                                   StepId at) {
  LiveSet live(graph);
  const std::size_t end = std::min(at.index() + 1, plan.steps.size());
  for (std::size_t i = 0; i < end; ++i) {
    const Step& step = plan.steps[i];
    if (!step.is_compute()) {
      live.remove(step.tensor());
      continue;
    }
    for (TensorId output : graph.outputs(step.op())) live.add(output);
  }
  std::vector<TensorId> result;
  for (TensorId tensor : graph.tensors()) {
    if (!graph.is_input(tensor) && live.contains(tensor)) {
      result.push_back(tensor);
    }
  }
  return result;
}

}  // namespace rematch
