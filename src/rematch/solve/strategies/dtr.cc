// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/dtr.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "rematch/plan/occupancy.h"
#include "rematch/solve/strategies/dtr_classes.h"

namespace rematch {
namespace {

// A run that takes this many steps per op is thrashing and will not end soon.
constexpr std::int64_t kMostStepsPerOp = 1000;

class Simulation {
 public:
  Simulation(const Problem& problem, const Limits& limits)
      : graph_(problem.graph),
        budget_(problem.budget),
        meter_(limits),
        classes_(problem.graph),
        live_(graph_.num_tensors()),
        computed_(graph_.num_ops()),
        occupancy_(graph_),
        locks_(graph_.num_storages()),
        place_(graph_.num_storages()),
        last_access_(graph_.num_storages()) {
    for (TensorId tensor : graph_.tensors()) {
      live_[tensor] = graph_.is_input(tensor);
    }
    const auto ops =
        static_cast<double>(std::max<std::size_t>(1, graph_.num_ops()));
    tick_ = graph_.base_cost() > 0 ? graph_.base_cost() / ops * 1e-3 : 1;
  }

  Proposal run() {
    for (OpId op : graph_.ops()) {
      if (!bring(op)) return gave_up(op);
      for (TensorId input : graph_.inputs(op)) release_after(input, op);
      for (TensorId output : graph_.outputs(op)) {
        if (graph_.readers(output).empty()) release(output);
      }
    }
    Proposal proposal;
    proposal.plan = std::move(plan_);
    return proposal;
  }

 private:
  struct Frame {
    OpId op;
    std::size_t next_input = 0;
  };

  // Computes `op` after everything that it misses. False if it does not fit.
  bool bring(OpId op) {
    std::vector<Frame> stack = {{op}};
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const auto inputs = graph_.inputs(frame.op);
      if (frame.next_input < inputs.size()) {
        const TensorId input = inputs[frame.next_input];
        if (live_[input]) {
          ++locks_[graph_.tensor(input).storage];
          ++frame.next_input;
        } else {
          stack.push_back({*graph_.tensor(input).producer});
        }
        continue;
      }
      if (!compute(frame.op)) return false;
      for (TensorId input : inputs) --locks_[graph_.tensor(input).storage];
      stack.pop_back();
    }
    return true;
  }

  bool compute(OpId op) {
    const auto steps = static_cast<std::int64_t>(plan_.steps.size());
    const auto ops = static_cast<std::int64_t>(graph_.num_ops());
    thrashing_ = steps > kMostStepsPerOp * ops;
    if (thrashing_ || meter_.stop()) return false;
    for (TensorId output : graph_.outputs(op)) {
      ++locks_[graph_.tensor(output).storage];
    }
    const bool fits = make_room(missing_bytes(op) + graph_.op(op).workspace);
    for (TensorId output : graph_.outputs(op)) {
      --locks_[graph_.tensor(output).storage];
    }
    if (!fits) return false;
    plan_.steps.push_back(Step::compute(op));
    clock_ += graph_.op(op).cost + tick_;
    if (computed_[op]) classes_.leave(op);
    computed_[op] = true;
    for (TensorId output : graph_.outputs(op)) make_live(output);
    for (TensorId input : graph_.inputs(op)) touch(input);
    return true;
  }

  Bytes missing_bytes(OpId op) const {
    Bytes bytes = 0;
    std::vector<StorageId> seen;
    for (TensorId output : graph_.outputs(op)) {
      const StorageId storage = graph_.tensor(output).storage;
      if (graph_.storage(storage).resident) continue;
      if (occupancy_.is_held(storage)) continue;
      if (std::find(seen.begin(), seen.end(), storage) != seen.end()) continue;
      seen.push_back(storage);
      bytes += graph_.storage(storage).bytes;
    }
    return bytes;
  }

  bool make_room(Bytes bytes) {
    while (graph_.fixed_bytes() + occupancy_.bytes() + bytes > budget_) {
      const auto victim = worst_storage();
      if (!victim) return false;
      evict(*victim);
      if (meter_.stop(static_cast<std::int64_t>(occupied_.size()))) {
        return false;
      }
    }
    return true;
  }

  // The live storage with the least score that may be evicted.
  std::optional<StorageId> worst_storage() {
    std::optional<StorageId> worst;
    double least = std::numeric_limits<double>::infinity();
    for (StorageId storage : occupied_) {
      if (!is_evictable(storage)) continue;
      const double score = this->score(storage);
      if (!worst || score < least || (score == least && storage < *worst)) {
        least = score;
        worst = storage;
      }
    }
    return worst;
  }

  bool is_evictable(StorageId storage) const {
    if (locks_[storage] > 0 || graph_.storage(storage).bytes == 0) return false;
    for (TensorId tensor : graph_.tensors_in(storage)) {
      if (!live_[tensor]) continue;
      if (!may_drop(tensor)) return false;
    }
    return true;
  }

  bool may_drop(TensorId tensor) const {
    return graph_.is_droppable(tensor) &&
           graph_.op(*graph_.tensor(tensor).producer).recomputable;
  }

  double score(StorageId storage) {
    double cost = 0;
    classes_.start_sum();
    for (TensorId tensor : graph_.tensors_in(storage)) {
      if (!live_[tensor]) continue;
      cost += graph_.op(*graph_.tensor(tensor).producer).cost;
      cost += classes_.neighbours(tensor);
    }
    const double staleness = clock_ - last_access_[storage] + tick_;
    return cost /
           (static_cast<double>(graph_.storage(storage).bytes) * staleness);
  }

  void evict(StorageId storage) {
    for (TensorId tensor : graph_.tensors_in(storage)) {
      if (live_[tensor]) drop(tensor);
    }
  }

  void drop(TensorId tensor) {
    plan_.steps.push_back(Step::drop(tensor));
    live_[tensor] = false;
    if (occupancy_.release(tensor)) vacate(graph_.tensor(tensor).storage);
    classes_.enter(*graph_.tensor(tensor).producer);
  }

  void make_live(TensorId tensor) {
    touch(tensor);
    if (live_[tensor]) return;
    live_[tensor] = true;
    if (occupancy_.hold(tensor)) occupy(graph_.tensor(tensor).storage);
  }

  void occupy(StorageId storage) {
    place_[storage] = occupied_.size();
    occupied_.push_back(storage);
  }

  void vacate(StorageId storage) {
    const StorageId last = occupied_.back();
    occupied_[place_[storage]] = last;
    place_[last] = place_[storage];
    occupied_.pop_back();
  }

  void touch(TensorId tensor) {
    last_access_[graph_.tensor(tensor).storage] = clock_;
  }

  // After its last reader in the order the program lets go of a tensor.
  void release_after(TensorId tensor, OpId reader) {
    if (graph_.readers(tensor).back() == reader) release(tensor);
  }

  void release(TensorId tensor) {
    if (live_[tensor] && may_drop(tensor)) drop(tensor);
  }

  Proposal gave_up(OpId op) const {
    if (meter_.reason()) return stopped(*meter_.reason());
    Proposal proposal;
    const std::string& name = graph_.op(op).name;
    if (thrashing_) {
      proposal.stop_reason = StopReason::kWorkLimit;
      proposal.message =
          fmt::format("dtr gave up at op '{}' after {} steps for {} ops", name,
                      plan_.steps.size(), graph_.num_ops());
      return proposal;
    }
    proposal.stop_reason = StopReason::kOverBudget;
    proposal.message = fmt::format(
        "dtr ran out of memory at op '{}': nothing was left to evict within "
        "{} bytes",
        name, budget_);
    return proposal;
  }

  const Graph& graph_;
  Bytes budget_;
  Meter meter_;
  EvictedClasses classes_;
  IdVector<TensorId, bool> live_;
  IdVector<OpId, bool> computed_;
  Occupancy occupancy_;
  IdVector<StorageId, std::int32_t> locks_;  // In use by a pending op.
  IdVector<StorageId, std::size_t> place_;   // In occupied_.
  std::vector<StorageId> occupied_;          // Live and not resident.
  IdVector<StorageId, double> last_access_;  // On clock_.
  double clock_ = 0;  // Cost so far, plus a tick per step.
  double tick_ = 1;
  bool thrashing_ = false;
  Plan plan_;
};

}  // namespace

Proposal propose_dtr(const Problem& problem, const Request& request) {
  return Simulation(problem, request.limits).run();
}

}  // namespace rematch
