// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/chain/block_footprint.h"

#include <algorithm>
#include <functional>

#include "rematch/plan/occupancy.h"

namespace rematch {
namespace {

constexpr std::size_t kNoBlock = SIZE_MAX;

// Runs ops once in order and tracks live bytes. Tensors for which `stays` says
// yes are never dropped; others after their last reader among the ops.
class Run {
 public:
  explicit Run(const Graph& graph)
      : graph_(graph),
        live_(graph.num_tensors()),
        occupancy_(graph),
        reads_left_(graph.num_tensors()) {}

  void add(TensorId tensor) {
    if (live_[tensor]) return;
    live_[tensor] = true;
    touched_.push_back(tensor);
    occupancy_.hold(tensor);
    peak_ = std::max(peak_, occupancy_.bytes());
  }

  // Returns the largest footprint from here on.
  Bytes run(const std::vector<OpId>& ops,
            const std::function<bool(TensorId)>& stays) {
    for (OpId op : ops) {
      for (TensorId input : graph_.inputs(op)) ++reads_left_[input];
    }
    for (OpId op : ops) {
      for (TensorId output : graph_.outputs(op)) add(output);
      peak_ = std::max(peak_, occupancy_.bytes() + graph_.op(op).workspace);
      for (TensorId input : graph_.inputs(op)) {
        if (--reads_left_[input] == 0 && !stays(input)) remove(input);
      }
      for (TensorId output : graph_.outputs(op)) {
        if (reads_left_[output] == 0 && !stays(output)) remove(output);
      }
    }
    return peak_;
  }

  Bytes bytes() const { return occupancy_.bytes(); }

  // Forgets everything, in time proportional to what was touched.
  void reset() {
    for (TensorId tensor : touched_) {
      if (live_[tensor]) remove(tensor);
    }
    touched_.clear();
    peak_ = 0;
  }

 private:
  void remove(TensorId tensor) {
    if (!live_[tensor] || graph_.is_input(tensor)) return;
    live_[tensor] = false;
    occupancy_.release(tensor);
  }

  const Graph& graph_;
  IdVector<TensorId, bool> live_;
  Occupancy occupancy_;
  IdVector<TensorId, std::int32_t> reads_left_;
  std::vector<TensorId> touched_;
  Bytes peak_ = 0;
};

// Who belongs where.
class Membership {
 public:
  Membership(const Graph& graph, const BlockChain& chain)
      : graph_(graph), block_of_(graph.num_ops(), kNoBlock) {
    for (std::size_t i = 0; i < chain.blocks.size(); ++i) {
      for (OpId op : chain.blocks[i].forward) block_of_[op] = i;
      for (OpId op : chain.blocks[i].backward) block_of_[op] = i;
    }
    first_backward_ = OpId(graph.num_ops());
    for (OpId op : graph.ops()) {
      if (graph.op(op).phase == Phase::kForward) continue;
      first_backward_ = op;
      break;
    }
  }

  bool is_backward(OpId op) const { return op >= first_backward_; }
  std::size_t block_of(OpId op) const { return block_of_[op]; }

  template <class Test>
  bool any_reader(TensorId tensor, const Test& test) const {
    const auto readers = graph_.readers(tensor);
    return graph_.tensor(tensor).is_output ||
           std::any_of(readers.begin(), readers.end(), test);
  }

 private:
  const Graph& graph_;
  IdVector<OpId, std::size_t> block_of_;
  OpId first_backward_;
};

void measure_forward(const Graph& graph, const Membership& members,
                     std::size_t index, const Block* before, Block& block,
                     Run& run) {
  const auto leaves = [&](TensorId tensor) {
    return members.any_reader(tensor, [&](OpId reader) {
      return !members.is_backward(reader) && members.block_of(reader) > index;
    });
  };
  const auto saved = [&](TensorId tensor) {
    return leaves(tensor) || members.any_reader(tensor, [&](OpId reader) {
      return members.is_backward(reader);
    });
  };
  const auto own = [&](const auto& stays) {
    return [&](TensorId tensor) {
      const auto producer = graph.tensor(tensor).producer;
      return producer && members.block_of(*producer) == index && stays(tensor);
    };
  };
  block.forward_peak = run.run(block.forward, own(leaves));
  block.output = run.bytes();
  run.reset();
  block.save_peak = run.run(block.forward, own(saved));
  block.saved = run.bytes();
  run.reset();
  if (before != nullptr && !before->forward.empty()) {
    for (TensorId tensor : graph.outputs(before->forward.back())) {
      run.add(tensor);
    }
  }
  block.forward_peak_with_input = run.run(block.forward, own(leaves));
  run.reset();
}

void measure_backward(const Graph& graph, const Membership& members,
                      std::size_t index, Block& block, Run& run) {
  const auto crosses = [&](TensorId tensor) {
    const auto producer = graph.tensor(tensor).producer;
    if (!producer || !members.is_backward(*producer)) return false;
    return members.any_reader(
        tensor, [&](OpId reader) { return members.block_of(reader) < index; });
  };
  for (OpId op : block.backward) {
    for (TensorId input : graph.inputs(op)) {
      const auto producer = graph.tensor(input).producer;
      if (!producer) continue;
      const bool from_input = !members.is_backward(*producer) &&
                              members.block_of(*producer) != index;
      if (members.block_of(*producer) != index && !from_input) run.add(input);
    }
  }
  for (OpId op : block.forward) {
    for (TensorId tensor : graph.outputs(op)) {
      const bool read = members.any_reader(
          tensor, [&](OpId reader) { return members.is_backward(reader); });
      if (read) run.add(tensor);
    }
  }
  block.backward_peak = run.run(block.backward, crosses);
  run.reset();
  for (OpId op : block.backward) {
    for (TensorId tensor : graph.outputs(op)) {
      if (crosses(tensor)) run.add(tensor);
    }
  }
  block.gradient = run.bytes();
  run.reset();
}

}  // namespace

void measure_blocks(const Graph& graph, BlockChain& chain) {
  const Membership members(graph, chain);
  Run run(graph);
  for (std::size_t i = 0; i < chain.blocks.size(); ++i) {
    const Block* before = i > 0 ? &chain.blocks[i - 1] : nullptr;
    measure_forward(graph, members, i, before, chain.blocks[i], run);
    measure_backward(graph, members, i, chain.blocks[i], run);
  }
}

}  // namespace rematch
