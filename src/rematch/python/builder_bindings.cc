// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/python/arguments.h"
#include "rematch/python/bindings.h"
#include "rematch/python/or_raise.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rematch {
namespace {

constexpr auto kSelf =
    nb::rv_policy::reference;  // The object is there already.

void bind_tensor_spec(nb::module_& module) {
  nb::class_<TensorSpec>(module, "TensorSpec", "A tensor as declared.")
      .def(
          "__init__",
          [](TensorSpec* self, std::string name, Bytes bytes,
             std::string storage_of, bool is_output) {
            new (self) TensorSpec{.name = std::move(name),
                                  .bytes = bytes,
                                  .storage_of = std::move(storage_of),
                                  .is_output = is_output};
          },
          "name"_a, "bytes"_a, "storage_of"_a = "", "is_output"_a = false,
          "storage_of: the tensor in whose storage this one lives (a view or "
          "an alias); is_output: live to the end once computed.")
      .def_ro("name", &TensorSpec::name, "Unique among tensors.")
      .def_ro("bytes", &TensorSpec::bytes, "Its size.")
      .def_ro("storage_of", &TensorSpec::storage_of,
              "The tensor in whose storage this one lives, or empty.")
      .def_ro("is_output", &TensorSpec::is_output,
              "Live to the end once computed.")
      .def("__repr__", [](const TensorSpec& spec) {
        return fmt::format("<TensorSpec '{}': {}>", spec.name,
                           format_bytes(spec.bytes));
      });
}

void bind_texts(nb::class_<GraphBuilder>& builder) {
  builder.def(nb::init<>(), "An empty graph.")
      .def("name", &GraphBuilder::name, "name"_a, kSelf, "Free text.")
      .def("description", &GraphBuilder::description, "text"_a, kSelf,
           "Free text.")
      .def("cost_unit", &GraphBuilder::cost_unit, "unit"_a, kSelf,
           "Free text: 'us', 'flop'.")
      .def("fixed_bytes", &GraphBuilder::fixed_bytes, "bytes"_a, kSelf,
           "Bytes that are always resident besides the graph inputs.")
      .def(
          "order",
          [](GraphBuilder& self, bool sort) -> GraphBuilder& {
            return self.order(sort ? DeclaredOrder::kSorted
                                   : DeclaredOrder::kAsGiven);
          },
          nb::kw_only(), "sort"_a, kSelf,
          "With sort, ops may be added in any order.");
}

void bind_add_op(nb::class_<GraphBuilder>& builder) {
  builder.def(
      "add_op",
      [](GraphBuilder& self, std::string name, std::vector<std::string> inputs,
         std::vector<TensorSpec> outputs, Cost cost, std::string_view phase,
         std::string kind, Bytes workspace,
         bool recomputable) -> GraphBuilder& {
        return self.add_op({.op = {.name = std::move(name),
                                   .kind = std::move(kind),
                                   .cost = cost,
                                   .workspace = workspace,
                                   .phase = phase_named(phase),
                                   .recomputable = recomputable},
                            .inputs = std::move(inputs),
                            .outputs = std::move(outputs)});
      },
      "name"_a, "inputs"_a, "outputs"_a, "cost"_a = 1.0, "phase"_a = "other",
      nb::kw_only(), "kind"_a = "", "workspace"_a = 0, "recomputable"_a = true,
      kSelf,
      "Add an op. Inputs are names of tensors, declared anywhere. Phase is "
      "'forward', 'backward' or 'other'. An op that is not recomputable runs "
      "exactly once.");
  builder.def(
      "add_op",
      [](GraphBuilder& self, std::string name, std::vector<std::string> inputs,
         Bytes bytes, Cost cost, std::string_view phase) -> GraphBuilder& {
        return self.add_op(std::move(name), std::move(inputs), bytes, cost,
                           phase_named(phase));
      },
      "name"_a, "inputs"_a, "bytes"_a, "cost"_a = 1.0, "phase"_a = "other",
      kSelf, "Add an op with one output, named like the op.");
}

}  // namespace

void bind_graph_builder(nb::module_& module) {
  bind_tensor_spec(module);
  nb::class_<GraphBuilder> builder(
      module, "GraphBuilder",
      "Builds a graph from names, and says which name is wrong if one is. "
      "Every method but build returns the builder.");
  bind_texts(builder);
  builder
      .def(
          "add_input",
          [](GraphBuilder& self, std::string name, Bytes bytes,
             std::string storage_of, bool is_output) -> GraphBuilder& {
            return self.add_input({.name = std::move(name),
                                   .bytes = bytes,
                                   .storage_of = std::move(storage_of),
                                   .is_output = is_output});
          },
          "name"_a, "bytes"_a, "storage_of"_a = "", "is_output"_a = false,
          kSelf, "A tensor without a producer: a weight, the batch.")
      .def(
          "build",
          [](const GraphBuilder& self) { return or_raise(self.build()); },
          "Check everything and make the graph; raise InvalidGraph, naming "
          "what is wrong.");
  bind_add_op(builder);
}

}  // namespace rematch
