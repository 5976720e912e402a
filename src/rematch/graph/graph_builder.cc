// SPDX-License-Identifier: Apache-2.0
#include "rematch/graph/graph_builder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "rematch/graph/declarations.h"
#include "rematch/graph/declared_order.h"

namespace rematch {
namespace {

// Above this a sum of costs could overflow when ops are repeated.
constexpr Cost kMaxTotalCost = 1e280;

template <class... Args>
Error invalid(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorCode::kInvalidGraph,
          fmt::format(text, std::forward<Args>(args)...)};
}

Status check_bytes(std::string_view what, std::string_view name, Bytes bytes) {
  if (bytes < 0) {
    return invalid("{} '{}': a size of {} bytes is negative", what,
                   shown_name(name), bytes);
  }
  if (bytes > kMaxBytes) {
    return invalid("{} '{}': a size of {} bytes is more than {}", what,
                   shown_name(name), bytes, kMaxBytes);
  }
  return ok_status();
}

Status check_cost(const Op& op) {
  if (!std::isfinite(op.cost) || op.cost < 0) {
    return invalid("op '{}': a cost of {} is not a finite number >= 0",
                   shown_name(op.name), op.cost);
  }
  return ok_status();
}

Error too_much() {
  return invalid("the sizes add up to more than {} bytes", kMaxBytes);
}

Status check_numbers(const std::vector<TensorSpec>& inputs,
                     const std::vector<OpSpec>& ops, Bytes fixed_bytes) {
  if (fixed_bytes < 0 || fixed_bytes > kMaxBytes) {
    return invalid("fixed_bytes of {} is not between 0 and {}", fixed_bytes,
                   kMaxBytes);
  }
  Bytes total = fixed_bytes;
  const auto count = [&total](Bytes bytes) {
    if (bytes > kMaxBytes - total) return false;
    total += bytes;
    return true;
  };
  Cost cost = 0;
  for (const TensorSpec& input : inputs) {
    if (auto ok = check_bytes("graph input", input.name, input.bytes); !ok) {
      return ok;
    }
    if (!count(input.bytes)) return too_much();
  }
  for (const OpSpec& spec : ops) {
    if (auto ok = check_cost(spec.op); !ok) return ok;
    auto ok = check_bytes("workspace of op", spec.op.name, spec.op.workspace);
    if (!ok) return ok;
    bool fits = count(spec.op.workspace);
    for (const TensorSpec& output : spec.outputs) {
      ok = check_bytes("tensor", output.name, output.bytes);
      if (!ok) return ok;
      fits = fits && count(output.bytes);
    }
    if (!fits) return too_much();
    cost += spec.op.cost;
    if (cost > kMaxTotalCost) {
      return invalid("the costs add up to more than {}", kMaxTotalCost);
    }
  }
  return ok_status();
}

}  // namespace

GraphBuilder& GraphBuilder::name(std::string name) {
  name_ = std::move(name);
  return *this;
}

GraphBuilder& GraphBuilder::description(std::string text) {
  description_ = std::move(text);
  return *this;
}

GraphBuilder& GraphBuilder::cost_unit(std::string unit) {
  cost_unit_ = std::move(unit);
  return *this;
}

GraphBuilder& GraphBuilder::fixed_bytes(Bytes bytes) {
  fixed_bytes_ = bytes;
  return *this;
}

GraphBuilder& GraphBuilder::order(DeclaredOrder order) {
  order_ = order;
  return *this;
}

GraphBuilder& GraphBuilder::add_input(TensorSpec input) {
  inputs_.push_back(std::move(input));
  return *this;
}

GraphBuilder& GraphBuilder::add_op(OpSpec op) {
  ops_.push_back(std::move(op));
  return *this;
}

GraphBuilder& GraphBuilder::add_op(std::string name,
                                   std::vector<std::string> inputs, Bytes bytes,
                                   Cost cost, Phase phase) {
  OpSpec spec;
  spec.outputs.push_back({.name = name, .bytes = bytes, .storage_of = {}});
  spec.op.name = std::move(name);
  spec.op.cost = cost;
  spec.op.phase = phase;
  spec.inputs = std::move(inputs);
  return add_op(std::move(spec));
}

Error GraphBuilder::cycle_error(const Positions& cycle) const {
  constexpr std::size_t kMostListed = 20;
  std::string path;
  for (std::size_t i = 0; i < std::min(cycle.size(), kMostListed); ++i) {
    path += fmt::format("'{}' -> ", shown_name(ops_[cycle[i]].op.name));
  }
  if (cycle.size() > kMostListed) {
    path += fmt::format("... {} more ... -> ", cycle.size() - kMostListed);
  }
  return invalid("the graph has a cycle: {}'{}'", path,
                 shown_name(ops_[cycle.front()].op.name));
}

// The order of the ops as positions in the declaration.
Result<GraphBuilder::Positions> GraphBuilder::op_order(
    const Declarations& declared) const {
  const auto dependencies = declared.dependencies();
  auto sorted = sort_by_dependencies(dependencies);
  if (!sorted.cycle.empty()) {
    return cycle_error(sorted.cycle);
  }
  if (order_ == DeclaredOrder::kSorted) return std::move(sorted.order);
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    for (std::size_t needed : dependencies[i]) {
      if (needed < i) continue;
      return invalid(
          "op '{}' comes before op '{}', whose output it reads (positions {} "
          "and {}); list ops in an order in which they can run",
          shown_name(ops_[i].op.name), shown_name(ops_[needed].op.name), i,
          needed);
    }
  }
  Positions given(ops_.size());
  std::iota(given.begin(), given.end(), std::size_t{0});
  return given;
}

// Tensor ids: graph inputs as declared, then outputs in op order. Storage ids:
// in order of their first tensor.
void GraphBuilder::place_tensors(const Declarations& declared,
                                 const Positions& order, Graph& graph) const {
  std::vector<OpId> op_id(ops_.size());
  Positions sequence(inputs_.size());
  std::iota(sequence.begin(), sequence.end(), std::size_t{0});
  for (std::size_t i = 0; i < order.size(); ++i) {
    op_id[order[i]] = OpId(i);
    for (std::size_t k = 0; k < ops_[order[i]].outputs.size(); ++k) {
      sequence.push_back(declared.first_output()[order[i]] + k);
    }
  }
  std::unordered_map<std::size_t, StorageId> storage_of_root;
  std::vector<std::vector<TensorId>> members;
  for (std::size_t at : sequence) {
    const auto [found, added] = storage_of_root.emplace(
        declared.root(at), StorageId(graph.storages_.size()));
    if (added) {
      graph.storages_.push_back({});
      members.emplace_back();
    }
    const auto& [spec, producer] = declared.tensors()[at];
    Tensor tensor{.name = spec->name,
                  .bytes = spec->bytes,
                  .producer = std::nullopt,
                  .storage = found->second,
                  .is_output = spec->is_output};
    Storage& storage = graph.storages_[found->second];
    storage.bytes = std::max(storage.bytes, spec->bytes);
    if (producer == Declarations::kNoOp) {
      storage.resident = true;
    } else {
      tensor.producer = op_id[producer];
    }
    members[found->second.index()].push_back(
        graph.tensors_.push_back(std::move(tensor)));
  }
  for (const auto& row : members) graph.tensors_in_.append_row(row);
}

void GraphBuilder::connect_ops(const Declarations& declared,
                               const Positions& order, Graph& graph) const {
  std::vector<TensorId> id_of(declared.tensors().size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) id_of[i] = TensorId(i);
  std::size_t next = inputs_.size();
  for (std::size_t op : order) {
    for (std::size_t k = 0; k < ops_[op].outputs.size(); ++k) {
      id_of[declared.first_output()[op] + k] = TensorId(next++);
    }
  }
  std::vector<std::vector<OpId>> readers(id_of.size());
  std::vector<TensorId> row;
  for (std::size_t op : order) {
    const OpId id = graph.ops_.push_back(ops_[op].op);
    graph.ops_[id].cost += 0.0;  // No negative zero.
    row.clear();
    for (std::size_t tensor : declared.reads(op)) row.push_back(id_of[tensor]);
    graph.inputs_.append_row(row);
    for (TensorId tensor : row) {
      auto& list = readers[tensor.index()];
      if (!list.empty() && list.back() == id) continue;
      list.push_back(id);
      if (graph.tensors_[tensor].producer) ++graph.num_edges_;
    }
    row.clear();
    for (std::size_t k = 0; k < ops_[op].outputs.size(); ++k) {
      row.push_back(id_of[declared.first_output()[op] + k]);
    }
    graph.outputs_.append_row(row);
  }
  for (const auto& list : readers) graph.readers_.append_row(list);
}

Result<Graph> GraphBuilder::build() const {
  if (auto ok = check_numbers(inputs_, ops_, fixed_bytes_); !ok) {
    return ok.error();
  }
  Declarations declared(inputs_, ops_);
  if (auto ok = declared.resolve(); !ok) return ok.error();
  const auto order = op_order(declared);
  if (!order) return order.error();

  Graph graph;
  graph.name_ = name_;
  graph.description_ = description_;
  graph.cost_unit_ = cost_unit_;
  graph.declared_fixed_bytes_ = fixed_bytes_;
  place_tensors(declared, *order, graph);
  connect_ops(declared, *order, graph);
  graph.fixed_bytes_ = fixed_bytes_;
  for (const Storage& storage : graph.storages_) {
    if (storage.resident) graph.fixed_bytes_ += storage.bytes;
  }
  graph.base_cost_ =
      cost_of_runs(graph, IdVector<OpId, std::int64_t>(graph.num_ops(), 1));
  return graph;
}

}  // namespace rematch
