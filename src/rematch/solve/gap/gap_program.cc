// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/gap_program.h"

#include <algorithm>
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
  Builder(const Problem& problem, const IdVector<StorageId, bool>* held)
      : graph_(problem.graph),
        always_held_(held),
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
    const bool comes_back =
        !is_always_held(storage) && !rerun_roots(storage).empty();
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
      program_.gaps.push_back({.storage = storage,
                               .first = at + 1,
                               .last = next - 1,
                               .bytes = bytes,
                               .cost = 0,
                               .root = std::nullopt,
                               .share = 0});
    }
  }

  bool is_always_held(StorageId storage) const {
    return always_held_ != nullptr && (*always_held_)[storage];
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
      const auto producer = graph_.tensor(tensor).producer;
      if (!producer || !graph_.op(*producer).recomputable) continue;
      const OpId op = *producer;
      const auto inputs = graph_.inputs(op);
      const bool reads =
          std::any_of(inputs.begin(), inputs.end(), [&](TensorId input) {
            return graph_.tensor(input).storage == storage;
          });
      if (!reads) roots.push_back(op);
    }
    return roots;
  }

  // Storages that may be charged for a rerun: they have gaps, or an op that may
  // run again after their last touch reads them.
  IdVector<StorageId, bool> chargeable() const {
    IdVector<StorageId, bool> result(graph_.num_storages());
    IdVector<OpId, std::int32_t> latest(graph_.num_ops(), -1);
    for (const Gap& gap : program_.gaps) {
      result[gap.storage] = true;
      for (OpId op : rerun_roots(gap.storage)) {
        latest[op] = std::max(latest[op], gap.first - 1);
      }
    }
    // An op that runs again needs its inputs, so their producers may, too.
    for (std::int32_t i = stages_; i-- > 0;) {
      const OpId op(i);
      if (latest[op] < 0) continue;
      for (TensorId input : graph_.inputs(op)) {
        const auto producer = graph_.tensor(input).producer;
        if (!producer || is_always_held(graph_.tensor(input).storage)) continue;
        result[graph_.tensor(input).storage] = true;
        latest[*producer] = std::max(latest[*producer], latest[op]);
      }
    }
    return result;
  }

  // One rerun of an op brings back all its outputs, so its cost is shared by
  // the storages that it can bring back, in proportion to their bytes. Where
  // several ops can bring a storage back, the cheapest share counts.
  void share_reruns() {
    const auto charged = chargeable();
    IdVector<OpId, double> bytes(graph_.num_ops());
    program_.roots = IdVector<StorageId, StorageRoot>(graph_.num_storages());
    for (StorageId storage : graph_.storages()) {
      if (!charged[storage]) continue;
      for (OpId op : distinct_roots(storage)) {
        bytes[op] += static_cast<double>(graph_.storage(storage).bytes);
      }
    }
    for (StorageId storage : graph_.storages()) {
      if (charged[storage]) find_root(storage, bytes);
    }
    for (Gap& gap : program_.gaps) {
      const StorageRoot& root = program_.roots[gap.storage];
      gap.cost = root.cost;
      if (root.kind != StorageRoot::Kind::kOne) continue;
      gap.root = root.op;
      gap.share = root.share;
    }
  }

  void find_root(StorageId storage, const IdVector<OpId, double>& bytes) {
    const auto own = static_cast<double>(graph_.storage(storage).bytes);
    StorageRoot& root = program_.roots[storage];
    for (OpId op : distinct_roots(storage)) {
      // Just below the share, so that all shares never exceed the cost.
      const double share = own == bytes[op] ? 1 : own / bytes[op] * (1 - 1e-12);
      const Cost cost = graph_.op(op).cost * share;
      if (root.kind == StorageRoot::Kind::kNone) {
        root = {StorageRoot::Kind::kOne, op, share, cost};
      } else {
        root.kind = StorageRoot::Kind::kSeveral;
        root.cost = std::min(root.cost, cost);
      }
    }
  }

  std::vector<OpId> distinct_roots(StorageId storage) const {
    std::vector<OpId> roots = rerun_roots(storage);
    std::sort(roots.begin(), roots.end());
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    return roots;
  }

  const Graph& graph_;
  const IdVector<StorageId, bool>* always_held_;  // May be null.
  std::int32_t stages_;
  std::vector<Bytes> held_;  // Differences, by stage.
  GapProgram program_;
};

}  // namespace

GapProgram gap_program(const Problem& problem) {
  return Builder(problem, nullptr).build();
}

GapProgram gap_program_holding(const Problem& problem,
                               const IdVector<StorageId, bool>& held) {
  return Builder(problem, &held).build();
}

}  // namespace rematch
