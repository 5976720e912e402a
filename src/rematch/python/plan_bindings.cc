// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "rematch/io/plan_json.h"
#include "rematch/plan/plan.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/python/arguments.h"
#include "rematch/python/bindings.h"
#include "rematch/python/or_raise.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rematch {
namespace {

using Unlocked = nb::call_guard<nb::gil_scoped_release>;

std::string_view kind_name(const Step& step) {
  return step.is_compute() ? "compute" : "drop";
}

std::int32_t index_of(const Step& step) {
  return step.is_compute() ? step.op().value : step.tensor().value;
}

void bind_step(nb::module_& module) {
  nb::class_<Step>(module, "Step", "compute(op) or drop(tensor).")
      .def_static(
          "compute", [](std::int32_t op) { return Step::compute(OpId(op)); },
          "op"_a, "Compute an op, for the first time or again.")
      .def_static(
          "drop",
          [](std::int32_t tensor) { return Step::drop(TensorId(tensor)); },
          "tensor"_a, "Drop a tensor.")
      .def_prop_ro("kind", &kind_name, "'compute' or 'drop'.")
      .def_prop_ro("index", &index_of, "The op or the tensor, by kind.")
      .def_prop_ro(
          "op",
          [](const Step& step) {
            return step.is_compute() ? std::optional(step.op().value)
                                     : std::nullopt;
          },
          "The op; None for drop steps.")
      .def_prop_ro(
          "tensor",
          [](const Step& step) {
            return step.is_compute() ? std::nullopt
                                     : std::optional(step.tensor().value);
          },
          "The tensor; None for compute steps.")
      .def(
          "__getstate__",
          [](const Step& step) {
            return std::pair(step.is_compute(), index_of(step));
          },
          "The step as plain values, for pickle.")
      .def(
          "__setstate__",
          [](Step& self, std::pair<bool, std::int32_t> state) {
            new (&self) Step(state.first ? Step::compute(OpId(state.second))
                                         : Step::drop(TensorId(state.second)));
          },
          "state"_a, "The step from plain values, for pickle.")
      .def("__eq__", [](const Step& a, const Step& b) { return a == b; })
      .def("__hash__",
           [](const Step& step) {
             return nb::hash(nb::make_tuple(kind_name(step), index_of(step)));
           })
      .def("__repr__", [](const Step& step) {
        return fmt::format("{}({})", kind_name(step), index_of(step));
      });
}

// Names can only be written for what the graph has.
std::string checked_plan_to_json(const Plan& plan, const Graph& graph) {
  for (const Step& step : plan.steps) {
    if (step.is_compute()) {
      op_at(graph, step.op().value);
    } else {
      tensor_at(graph, step.tensor().value);
    }
  }
  return plan_to_json(graph, plan);
}

void bind_plan_class(nb::module_& module) {
  nb::class_<Plan>(module, "Plan", "What to compute and drop, step by step.")
      .def(
          "__init__",
          [](Plan* self, std::vector<Step> steps) {
            new (self) Plan{std::move(steps)};
          },
          "steps"_a, "Whether the steps make sense is for replay to say.")
      .def_prop_ro(
          "steps", [](const Plan& plan) { return plan.steps; },
          "The steps in the order in which they run, as a new list.")
      .def(
          "computed_ops",
          [](const Plan& plan) {
            return to_numbers(std::span<const OpId>(computed_ops(plan)));
          },
          "The ops of the compute steps, in order.")
      .def_static("from_json", or_raise(&plan_from_json), "text"_a, "graph"_a,
                  Unlocked(),
                  "Read a plan for the graph, or the plan of a solution.")
      .def("to_json", &checked_plan_to_json, "graph"_a, Unlocked(),
           "The plan in our own JSON, with the names of the graph.")
      .def(
          "__getstate__", [](const Plan& plan) { return plan.steps; },
          "The steps, for pickle.")
      .def(
          "__setstate__",
          [](Plan& self, std::vector<Step> steps) {
            new (&self) Plan{std::move(steps)};
          },
          "steps"_a, "The plan from its steps, for pickle.")
      .def("__len__", [](const Plan& plan) { return plan.steps.size(); })
      .def("__eq__", [](const Plan& a, const Plan& b) { return a == b; })
      .def("__repr__", [](const Plan& plan) {
        return fmt::format("<Plan: {} steps>", plan.steps.size());
      });
}

void bind_replay(nb::module_& module) {
  nb::class_<Replay>(module, "Replay", "What a plan takes.")
      .def_ro("peak_bytes", &Replay::peak,
              "Largest footprint; the fixed bytes if there is no step.")
      .def_ro("cost", &Replay::cost, "Every compute step, repeats included.")
      .def_ro("footprint_bytes", &Replay::footprint,
              "Per step, fixed bytes included. A compute step: everything "
              "live, its outputs and its workspace. A drop: what is live "
              "afterwards.")
      .def_prop_ro(
          "peak_step", [](const Replay& self) { return self.peak_step.value; },
          "The first step whose footprint is the peak.")
      .def_prop_ro(
          "runs",
          [](const Replay& self) {
            return std::vector<std::int64_t>(self.runs.begin(),
                                             self.runs.end());
          },
          "How often each op was computed.")
      .def("__eq__", [](const Replay& a, const Replay& b) { return a == b; })
      .def("__repr__", [](const Replay& self) {
        return fmt::format("<Replay: peak {}, cost {}>",
                           format_bytes(self.peak), format_cost(self.cost));
      });
  module.def(
      "replay",
      [](const Graph& graph, const Plan& plan, std::string_view order) {
        return or_raise(replay(graph, plan, order_named(order)));
      },
      "graph"_a, "plan"_a, "order"_a = "fixed", Unlocked(),
      "Replay a plan and measure it; raise InvalidPlan, naming the step, if a "
      "step uses what is not live or breaks another rule.");
}

}  // namespace

void bind_plan(nb::module_& module) {
  bind_step(module);
  bind_plan_class(module);
  bind_replay(module);
  module.def("keep_all_plan", &keep_all_plan, "graph"_a, Unlocked(),
             "Every op once, in the graph's order, without recomputation.");
  module.def(
      "plan_from_sequence",
      [](const Graph& graph, const std::vector<std::int64_t>& ops) {
        std::vector<OpId> sequence;
        sequence.reserve(ops.size());
        for (std::int64_t op : ops) sequence.push_back(op_at(graph, op));
        return plan_from_sequence(graph, sequence);
      },
      "graph"_a, "sequence"_a, Unlocked(),
      "The plan that computes these ops in order and drops each tensor as "
      "early as that allows.");
}

}  // namespace rematch
