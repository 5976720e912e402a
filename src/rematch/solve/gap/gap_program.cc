// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/gap_program.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace rematch {
namespace {

// A stage at which a storage is live for certain.
struct Touch {
  std::int32_t stage = 0;
  bool reads = false;  // The op of the stage reads from the storage.
};

class Builder {
 public:
  explicit Builder(const Problem& problem)
      : graph_(problem.graph),
        stages_(static_cast<std::int32_t>(problem.graph.num_ops())),
        held_(problem.graph.num_ops() + 1) {
    program_.need.assign(graph_.num_ops(), 0);
    for (OpId op : graph_.ops()) {
      program_.need[op.index()] =
          graph_.fixed_bytes() + graph_.op(op).workspace - problem.budget;
    }
  }

  GapProgram build() {
    for (StorageId storage : graph_.storages()) {
      if (graph_.storage(storage).resident) continue;
      if (graph_.storage(storage).bytes > 0) add_storage(storage);
    }
    share_reruns();
    Bytes held = 0;
    for (std::size_t t = 0; t < program_.need.size(); ++t) {
      held += held_[t];
      program_.need[t] += held;
    }
    return std::move(program_);
  }

 private:
  // Touches of the storage, ascending, one per stage.
  std::vector<Touch> touches(StorageId storage) const {
    std::vector<Touch> all;
    for (TensorId tensor : graph_.tensors_in(storage)) {
      all.push_back({graph_.tensor(tensor).producer->value, false});
      for (OpId reader : graph_.readers(tensor)) {
        all.push_back({reader.value, true});
      }
    }
    std::sort(all.begin(), all.end(),
              [](const Touch& a, const Touch& b) { return a.stage < b.stage; });
    std::vector<Touch> merged;
    for (const Touch& touch : all) {
      if (merged.empty() || merged.back().stage != touch.stage) {
        merged.push_back(touch);
      } else {
        merged.back().reads = merged.back().reads || touch.reads;
      }
    }
    return merged;
  }

  // The first stage from which on the storage can never be dropped.
  std::int32_t pinned_from(StorageId storage) const {
    std::int32_t stage = stages_;
    for (TensorId tensor : graph_.tensors_in(storage)) {
      if (!graph_.tensor(tensor).is_output) continue;
      stage = std::min(stage, graph_.tensor(tensor).producer->value);
    }
    return stage;
  }

  void add_storage(StorageId storage) {
    const Bytes bytes = graph_.storage(storage).bytes;
    const bool comes_back = !rerun_roots(storage).empty();
    const std::int32_t pinned = pinned_from(storage);
    const std::vector<Touch> all = touches(storage);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::int32_t at = all[i].stage;
      hold(bytes, at, at);
      const bool last = i + 1 == all.size();
      const std::int32_t next = last ? stages_ : all[i + 1].stage;
      if (next - at < 2) continue;
      if (at >= pinned) {
        hold(bytes, at + 1, next - 1);
        continue;
      }
      // Nothing is lost by dropping what is written before it is read.
      if (last || !all[i + 1].reads) continue;
      hold(bytes, at + 1, next - 1);
      if (!comes_back) continue;
      program_.gaps.push_back({storage, at + 1, next - 1, bytes, 0});
    }
  }

  void hold(Bytes bytes, std::int32_t first, std::int32_t last) {
    held_[static_cast<std::size_t>(first)] += bytes;
    held_[static_cast<std::size_t>(last) + 1] -= bytes;
  }

  // The ops that can make a dead storage live: they write into it without
  // reading from it, and may run again.
  std::vector<OpId> rerun_roots(StorageId storage) const {
    std::vector<OpId> roots;
    for (TensorId tensor : graph_.tensors_in(storage)) {
      const OpId op = *graph_.tensor(tensor).producer;
      if (!graph_.op(op).recomputable) continue;
      const auto inputs = graph_.inputs(op);
      const bool reads =
          std::any_of(inputs.begin(), inputs.end(), [&](TensorId input) {
            return graph_.tensor(input).storage == storage;
          });
      if (!reads) roots.push_back(op);
    }
    return roots;
  }

  // One rerun of an op brings back all its outputs, so its cost is shared by
  // the storages that it can bring back, in proportion to their bytes. Where
  // several ops can bring a storage back, the cheapest share counts.
  void share_reruns() {
    IdVector<StorageId, bool> has_gap(graph_.num_storages());
    for (const Gap& gap : program_.gaps) has_gap[gap.storage] = true;
    IdVector<OpId, double> bytes(graph_.num_ops());
    for (StorageId storage : graph_.storages()) {
      if (!has_gap[storage]) continue;
      for (OpId op : distinct_roots(storage)) {
        bytes[op] += static_cast<double>(graph_.storage(storage).bytes);
      }
    }
    for (Gap& gap : program_.gaps) {
      Cost least = std::numeric_limits<Cost>::infinity();
      for (OpId op : distinct_roots(gap.storage)) {
        // Just below the share, so that all shares never exceed the cost.
        const double share =
            static_cast<double>(gap.bytes) == bytes[op]
                ? 1
                : static_cast<double>(gap.bytes) / bytes[op] * (1 - 1e-12);
        least = std::min(least, graph_.op(op).cost * share);
      }
      gap.cost = least;
    }
  }

  std::vector<OpId> distinct_roots(StorageId storage) const {
    std::vector<OpId> roots = rerun_roots(storage);
    std::sort(roots.begin(), roots.end());
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    return roots;
  }

  const Graph& graph_;
  std::int32_t stages_;
  std::vector<Bytes> held_;  // Differences, by stage.
  GapProgram program_;
};

}  // namespace

GapProgram gap_program(const Problem& problem) {
  return Builder(problem).build();
}

}  // namespace rematch
