// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "rematch/graph/graph.h"
#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/io/graph_file.h"
#include "rematch/io/graph_json.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/sequence.h"
#include "rematch/python/arguments.h"
#include "rematch/python/bindings.h"
#include "rematch/python/or_raise.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rematch {
namespace {

using Unlocked = nb::call_guard<nb::gil_scoped_release>;

DeclaredOrder declared(bool sort) {
  return sort ? DeclaredOrder::kSorted : DeclaredOrder::kAsGiven;
}

void bind_parts(nb::module_& module) {
  nb::class_<Op>(module, "Op", "What runs: reads tensors, makes tensors.")
      .def_ro("name", &Op::name, "Unique among the ops of the graph.")
      .def_ro("kind", &Op::kind, "Such as 'conv2d'; may be empty.")
      .def_ro("cost", &Op::cost, "Of one run.")
      .def_ro("workspace", &Op::workspace, "Bytes needed only while it runs.")
      .def_prop_ro(
          "phase", [](const Op& op) { return phase_name(op.phase); },
          "'forward', 'backward' or 'other'.")
      .def_ro("recomputable", &Op::recomputable,
              "False if it has an effect and runs exactly once.")
      .def("__repr__",
           [](const Op& op) { return fmt::format("<Op '{}'>", op.name); });
  nb::class_<Tensor>(module, "Tensor", "What an op makes, or a graph input.")
      .def_ro("name", &Tensor::name, "Unique among the tensors of the graph.")
      .def_ro("bytes", &Tensor::bytes, "Its size.")
      .def_prop_ro(
          "producer",
          [](const Tensor& tensor) -> std::optional<std::int32_t> {
            if (!tensor.producer) return std::nullopt;
            return tensor.producer->value;
          },
          "The op that makes it; None for a graph input.")
      .def_prop_ro(
          "storage", [](const Tensor& tensor) { return tensor.storage.value; },
          "The storage that it lives in.")
      .def_ro("is_output", &Tensor::is_output, "Live to the end once computed.")
      .def("__repr__", [](const Tensor& tensor) {
        return fmt::format("<Tensor '{}': {}>", tensor.name,
                           format_bytes(tensor.bytes));
      });
  nb::class_<Storage>(module, "Storage",
                      "A block of memory, live while any of its tensors is.")
      .def_ro("bytes", &Storage::bytes, "The largest of its tensors.")
      .def_ro("resident", &Storage::resident,
              "True if it holds a graph input, so that it never dies.");
}

// What is always at hand.
void bind_numbers(nb::class_<Graph>& graph) {
  graph.def_prop_ro("name", &Graph::name, "Free text.")
      .def_prop_ro("description", &Graph::description, "Free text.")
      .def_prop_ro("cost_unit", &Graph::cost_unit, "Free text: 'us', 'flop'.")
      .def_prop_ro("num_ops", &Graph::num_ops, "Number of ops.")
      .def_prop_ro("num_tensors", &Graph::num_tensors, "Number of tensors.")
      .def_prop_ro("num_storages", &Graph::num_storages, "Number of storages.")
      .def_prop_ro("num_edges", &Graph::num_edges,
                   "Pairs of an op and a tensor that it reads and that another "
                   "op makes.")
      .def_prop_ro("fixed_bytes", &Graph::fixed_bytes,
                   "Bytes that are always there: all graph inputs, plus "
                   "declared_fixed_bytes.")
      .def_prop_ro("declared_fixed_bytes", &Graph::declared_fixed_bytes,
                   "What was declared on top of the graph inputs.")
      .def_prop_ro("base_cost", &Graph::base_cost,
                   "The cost of running every op once; no plan costs less.");
}

template <class Part, class Ids, class Get>
std::vector<Part> parts_of(const Ids& ids, Get get) {
  std::vector<Part> parts;
  for (auto id : ids) parts.push_back(get(id));
  return parts;
}

// Ids are places in the lists.
void bind_lists(nb::class_<Graph>& graph) {
  graph
      .def(
          "ops",
          [](const Graph& self) {
            return parts_of<Op>(self.ops(), [&](OpId i) { return self.op(i); });
          },
          "All ops, in the graph's order; an op's id is its place.")
      .def(
          "tensors",
          [](const Graph& self) {
            return parts_of<Tensor>(self.tensors(),
                                    [&](TensorId i) { return self.tensor(i); });
          },
          "All tensors; a tensor's id is its place.")
      .def(
          "storages",
          [](const Graph& self) {
            return parts_of<Storage>(
                self.storages(), [&](StorageId i) { return self.storage(i); });
          },
          "All storages; a storage's id is its place.");
}

void bind_queries(nb::class_<Graph>& graph) {
  const auto inside = nb::rv_policy::reference_internal;
  graph
      .def(
          "op",
          [](const Graph& self, std::int64_t id) -> const Op& {
            return self.op(op_at(self, id));
          },
          "id"_a, inside, "One op.")
      .def(
          "tensor",
          [](const Graph& self, std::int64_t id) -> const Tensor& {
            return self.tensor(tensor_at(self, id));
          },
          "id"_a, inside, "One tensor.")
      .def(
          "storage",
          [](const Graph& self, std::int64_t id) -> const Storage& {
            return self.storage(storage_at(self, id));
          },
          "id"_a, inside, "One storage.")
      .def(
          "inputs",
          [](const Graph& self, std::int64_t op) {
            return to_numbers(self.inputs(op_at(self, op)));
          },
          "op"_a, "The tensors that the op reads, as declared.")
      .def(
          "outputs",
          [](const Graph& self, std::int64_t op) {
            return to_numbers(self.outputs(op_at(self, op)));
          },
          "op"_a, "The tensors that the op makes.")
      .def(
          "readers",
          [](const Graph& self, std::int64_t tensor) {
            return to_numbers(self.readers(tensor_at(self, tensor)));
          },
          "tensor"_a, "The ops that read the tensor, ascending, each once.")
      .def(
          "tensors_in",
          [](const Graph& self, std::int64_t storage) {
            return to_numbers(self.tensors_in(storage_at(self, storage)));
          },
          "storage"_a, "The tensors that live in the storage, ascending.");
}

void bind_formats(nb::class_<Graph>& graph) {
  graph
      .def_static(
          "from_json",
          [](std::string_view text, bool sort) {
            return or_raise(graph_from_text(text, declared(sort)));
          },
          "text"_a, nb::kw_only(), "sort"_a = false, Unlocked(),
          "Read a graph: our own JSON, or node-link JSON as networkx writes "
          "it. With sort, ops may come in any order.")
      .def_static(
          "load",
          [](const std::filesystem::path& path, bool sort) {
            return or_raise(load_graph(path.string(), declared(sort)));
          },
          "path"_a, nb::kw_only(), "sort"_a = false, Unlocked(),
          "Read a graph from a file, as from_json does.")
      .def("to_json", &graph_to_json, Unlocked(),
           "Our own JSON; reading it gives an equal graph.")
      .def("__getstate__", &graph_to_json, "The graph as text, for pickle.")
      .def(
          "__setstate__",
          [](Graph& self, std::string_view text) {
            new (&self) Graph(or_raise(graph_from_json(text)));
          },
          "text"_a, "The graph from text, for pickle.")
      .def("__eq__", [](const Graph& a, const Graph& b) { return a == b; })
      .def("__repr__", [](const Graph& self) {
        return fmt::format("<Graph '{}': {} ops, {} tensors>", self.name(),
                           self.num_ops(), self.num_tensors());
      });
}

Family family_named(const std::string& name) {
  const auto family = family_from_name(name);
  if (family) return *family;
  throw RaisedError(
      {ErrorCode::kInvalidArgument,
       fmt::format("family '{}' is not 'chain', 'residual', 'unet', "
                   "'transformer' or 'random'",
                   name)});
}

}  // namespace

void bind_graph(nb::module_& module) {
  bind_parts(module);
  nb::class_<Graph> graph(
      module, "Graph",
      "The training graph: ops, tensors and storages, immutable once built.");
  bind_numbers(graph);
  bind_lists(graph);
  bind_queries(graph);
  bind_formats(graph);
  module.def("keep_all_peak", &keep_all_peak, "graph"_a, Unlocked(),
             "The peak without recomputation, in bytes: budgets in percent "
             "refer to it.");
  module.def(
      "peak_floor",
      [](const Graph& self, std::string_view order) {
        return peak_floor(self, order_named(order)).bytes;
      },
      "graph"_a, "order"_a = "fixed", Unlocked(),
      "A peak in bytes below which no plan exists, whatever it recomputes.");
  module.def(
      "synthetic_graph",
      [](const std::string& family, std::int64_t ops, std::int64_t length,
         bool training, std::uint64_t seed) {
        return or_raise(synthetic_graph({.family = family_named(family),
                                         .ops = ops,
                                         .length = length,
                                         .training = training,
                                         .seed = seed}));
      },
      "family"_a, nb::kw_only(), "ops"_a = 0, "length"_a = 0,
      "training"_a = false, "seed"_a = 1, Unlocked(),
      "A graph made from a recipe: 'chain', 'residual', 'unet', 'transformer' "
      "or 'random'; its size is given as ops or as length.");
}

}  // namespace rematch
