// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/blocks/small_version.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

bool is_inside(const Repeat& repeat, std::size_t op) {
  return repeat.first <= op && op < repeat.end();
}

// Which forward block the middle one of a backward stretch reads most, plus
// the number of that one.
std::optional<std::size_t> pair_sum(const Graph& graph, const Repeat& forward,
                                    const Repeat& backward) {
  const std::size_t middle = backward.count / 2;
  std::map<std::size_t, std::size_t> reads;
  for (std::size_t i = 0; i < backward.period; ++i) {
    const OpId op(backward.first + middle * backward.period + i);
    for (TensorId input : graph.inputs(op)) {
      const auto producer = graph.tensor(input).producer;
      if (!producer || !is_inside(forward, producer->index())) continue;
      ++reads[(producer->index() - forward.first) / forward.period];
    }
  }
  if (reads.empty()) return std::nullopt;
  const auto most = std::max_element(
      reads.begin(), reads.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->first + middle;
}

// Blocks [begin, begin + count) of a stretch are left out.
struct Removal {
  Repeat repeat;
  std::size_t begin = 0;
  std::size_t count = 0;

  bool removes(std::size_t op) const {
    if (!is_inside(repeat, op)) return false;
    const std::size_t block = (op - repeat.first) / repeat.period;
    return begin <= block && block < begin + count;
  }
};

class Shrinker {
 public:
  Shrinker(const Graph& graph, const Removal& forward, const Removal& backward)
      : graph_(graph), forward_(forward), backward_(backward) {}

  std::optional<Graph> run() {
    GraphBuilder builder;
    builder.fixed_bytes(graph_.declared_fixed_bytes());
    std::set<TensorId> inputs;
    for (OpId op : graph_.ops()) {
      if (is_removed(op.index())) continue;
      auto spec = reduced(op, inputs);
      if (!spec) return std::nullopt;
      builder.add_op(*std::move(spec));
    }
    for (TensorId input : inputs) {
      const Tensor& tensor = graph_.tensor(input);
      builder.add_input({tensor.name, tensor.bytes,
                         owner_name(input, inputs).value_or(""),
                         tensor.is_output});
    }
    auto built = builder.build();
    if (!built) return std::nullopt;
    return *std::move(built);
  }

 private:
  bool is_removed(std::size_t op) const {
    return forward_.removes(op) || backward_.removes(op);
  }

  // The op that stands in for one that may have been left out.
  std::optional<OpId> stand_in(OpId op) const {
    for (const Removal* removal : {&forward_, &backward_}) {
      if (!removal->removes(op.index())) continue;
      const std::size_t back = removal->count * removal->repeat.period;
      if (op.index() < removal->repeat.first + back) return std::nullopt;
      const OpId other(op.index() - back);
      if (is_removed(other.index())) return std::nullopt;
      return other;
    }
    return op;
  }

  std::optional<TensorId> stand_in(TensorId tensor) const {
    const auto producer = graph_.tensor(tensor).producer;
    if (!producer) return tensor;
    const auto other = stand_in(*producer);
    if (!other) return std::nullopt;
    const auto outputs = graph_.outputs(*producer);
    const auto place = static_cast<std::size_t>(
        std::find(outputs.begin(), outputs.end(), tensor) - outputs.begin());
    if (place >= graph_.outputs(*other).size()) return std::nullopt;
    return graph_.outputs(*other)[place];
  }

  // The tensor in whose storage this one lives; empty if that is its own.
  std::optional<std::string> owner_name(
      TensorId tensor, const std::set<TensorId>& inputs) const {
    const TensorId owner =
        graph_.tensors_in(graph_.tensor(tensor).storage).front();
    if (owner == tensor) return "";
    const auto there = stand_in(owner);
    if (!there) return std::nullopt;
    if (graph_.is_input(*there) && !inputs.contains(*there)) return "";
    return graph_.tensor(*there).name;
  }

  std::optional<OpSpec> reduced(OpId op, std::set<TensorId>& inputs) {
    OpSpec spec{.op = graph_.op(op), .inputs = {}, .outputs = {}};
    for (TensorId input : graph_.inputs(op)) {
      const auto there = stand_in(input);
      if (!there) return std::nullopt;
      if (graph_.is_input(*there)) inputs.insert(*there);
      spec.inputs.push_back(graph_.tensor(*there).name);
    }
    for (TensorId output : graph_.outputs(op)) {
      const Tensor& tensor = graph_.tensor(output);
      const TensorId owner = graph_.tensors_in(tensor.storage).front();
      if (graph_.is_input(owner)) inputs.insert(owner);
      const auto name = owner_name(output, inputs);
      if (!name) return std::nullopt;
      spec.outputs.push_back(
          {tensor.name, tensor.bytes, *name, tensor.is_output});
    }
    return spec;
  }

  const Graph& graph_;
  Removal forward_;
  Removal backward_;
};

}  // namespace

std::optional<BlockPair> find_block_pair(const Graph& graph,
                                         std::span<const Repeat> repeats) {
  std::optional<BlockPair> best;
  std::size_t most = 0;
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    for (std::size_t j = i + 1; j < repeats.size(); ++j) {
      const std::size_t ops = repeats[i].period * repeats[i].count +
                              repeats[j].period * repeats[j].count;
      if (ops <= most) continue;
      const auto sum = pair_sum(graph, repeats[i], repeats[j]);
      if (!sum) continue;
      most = ops;
      best = {repeats[i], repeats[j], *sum};
    }
  }
  return best;
}

std::optional<SmallVersion> with_fewer_blocks(const Graph& graph,
                                              const BlockPair& pair,
                                              std::size_t blocks) {
  if (blocks < 2 || blocks >= pair.forward.count) return std::nullopt;
  const std::size_t count = pair.forward.count - blocks;
  const std::size_t begin = blocks / 2;
  // Backward blocks from that of the last forward block that goes.
  const std::size_t last = begin + count - 1;
  if (pair.pair_sum < last || pair.pair_sum - last == 0) return std::nullopt;
  const std::size_t there = pair.pair_sum - last;
  if (there + count > pair.backward.count) return std::nullopt;
  auto small = Shrinker(graph, {pair.forward, begin, count},
                        {pair.backward, there, count})
                   .run();
  if (!small) return std::nullopt;
  Repeat left = pair.forward;
  left.count = blocks;
  return SmallVersion{*std::move(small), left};
}

}  // namespace rematch
