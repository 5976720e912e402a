// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/exhaustive.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include <fmt/format.h>

#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

constexpr std::size_t kMostTensors = 24;
constexpr std::size_t kMostOps = 24;
// Beyond this many states the search would not fit into memory.
constexpr std::size_t kMostStates = 40'000'000;

// Live droppable tensors in the low half, computed ops in the high half: with
// a fixed order their number, with a free order a set.
using State = std::uint64_t;
using Mask = std::uint32_t;

State make_state(Mask live, Mask computed) {
  return State{computed} << 32 | live;
}
Mask live_part(State state) { return static_cast<Mask>(state); }
Mask computed_part(State state) { return static_cast<Mask>(state >> 32); }

struct Arrival {
  Cost cost;
  State from;
  Step step;
  bool settled;
};

struct Entry {
  Cost cost;
  std::uint64_t number;  // Ties in order of discovery, so runs are repeatable.
  State state;
  friend bool operator>(const Entry& a, const Entry& b) {
    return std::tie(a.cost, a.number) > std::tie(b.cost, b.number);
  }
};

class Search {
 public:
  explicit Search(const Problem& problem)
      : graph_(problem.graph),
        budget_(problem.budget),
        fixed_order_(problem.order == OrderRule::kFixed),
        bit_of_(graph_.num_tensors(), -1) {
    for (TensorId tensor : graph_.tensors()) {
      if (!graph_.is_droppable(tensor)) continue;
      bit_of_[tensor] = static_cast<int>(droppable_.size());
      droppable_.push_back(tensor);
    }
  }

  std::size_t num_droppable() const { return droppable_.size(); }

  Proposal run(const Limits& limits) {
    Meter meter(limits);
    reach(make_state(0, 0), 0, 0, Step::compute(OpId()));
    while (!queue_.empty()) {
      const State state = queue_.top().state;
      const Cost cost = queue_.top().cost;
      queue_.pop();
      Arrival& arrival = arrivals_.at(state);
      if (arrival.settled) continue;
      arrival.settled = true;
      if (num_computed(state) == graph_.num_ops()) return found(state);
      if (meter.stop()) return stopped(*meter.reason());
      if (arrivals_.size() > kMostStates) return stopped(Stop::kWork);
      expand(state, cost);
    }
    Proposal proposal;
    proposal.infeasible = true;
    proposal.message = fmt::format(
        "no plan fits in {} bytes: every one of the {} reachable states was "
        "tried",
        budget_, arrivals_.size());
    return proposal;
  }

 private:
  std::size_t num_computed(State state) const {
    const Mask computed = computed_part(state);
    return fixed_order_
               ? computed
               : static_cast<std::size_t>(__builtin_popcount(computed));
  }

  bool was_computed(State state, OpId op) const {
    const Mask computed = computed_part(state);
    return fixed_order_ ? op.index() < computed
                        : (computed >> op.value & 1) != 0;
  }

  bool is_live(State state, TensorId tensor) const {
    if (graph_.is_input(tensor)) return true;
    if (graph_.tensor(tensor).is_output) {
      return was_computed(state, *graph_.tensor(tensor).producer);
    }
    return (live_part(state) >> bit_of_[tensor] & 1) != 0;
  }

  // With a free order: ops that run once keep theirs.
  bool is_next_effect(State state, OpId op) const {
    if (graph_.op(op).recomputable) return true;
    for (OpId other : graph_.ops()) {
      if (other == op) return true;
      if (!graph_.op(other).recomputable && !was_computed(state, other)) {
        return false;
      }
    }
    return true;
  }

  bool may_compute(State state, OpId op) const {
    if (was_computed(state, op)) {
      if (!graph_.op(op).recomputable) return false;
    } else if (fixed_order_ ? op.index() != computed_part(state)
                            : !is_next_effect(state, op)) {
      return false;
    }
    const auto inputs = graph_.inputs(op);
    return std::all_of(inputs.begin(), inputs.end(),
                       [&](TensorId input) { return is_live(state, input); });
  }

  State after_compute(State state, OpId op) const {
    Mask live = live_part(state);
    for (TensorId output : graph_.outputs(op)) {
      if (bit_of_[output] >= 0) live |= Mask{1} << bit_of_[output];
    }
    Mask computed = computed_part(state);
    if (!was_computed(state, op)) {
      computed = fixed_order_ ? computed + 1 : computed | Mask{1} << op.value;
    }
    return make_state(live, computed);
  }

  Bytes bytes(State state) const {
    Bytes total = graph_.fixed_bytes();
    for (StorageId storage : graph_.storages()) {
      if (graph_.storage(storage).resident) continue;
      const auto tensors = graph_.tensors_in(storage);
      const bool live =
          std::any_of(tensors.begin(), tensors.end(),
                      [&](TensorId tensor) { return is_live(state, tensor); });
      if (live) total += graph_.storage(storage).bytes;
    }
    return total;
  }

  void expand(State state, Cost cost) {
    for (OpId op : graph_.ops()) {
      if (!may_compute(state, op)) continue;
      const State next = after_compute(state, op);
      if (bytes(next) + graph_.op(op).workspace > budget_) continue;
      reach(next, cost + graph_.op(op).cost, state, Step::compute(op));
    }
    for (std::size_t bit = 0; bit < droppable_.size(); ++bit) {
      if ((live_part(state) >> bit & 1) == 0) continue;
      const State next = state & ~(State{1} << bit);
      reach(next, cost, state, Step::drop(droppable_[bit]));
    }
  }

  void reach(State state, Cost cost, State from, Step step) {
    const auto [at, added] =
        arrivals_.try_emplace(state, Arrival{cost, from, step, false});
    if (!added) {
      if (at->second.settled || cost >= at->second.cost) return;
      at->second = {cost, from, step, false};
    }
    queue_.push({cost, number_++, state});
  }

  Proposal found(State state) const {
    Proposal proposal;
    std::vector<OpId> sequence;
    while (state != 0) {
      const Arrival& arrival = arrivals_.at(state);
      if (arrival.step.is_compute()) sequence.push_back(arrival.step.op());
      state = arrival.from;
    }
    std::reverse(sequence.begin(), sequence.end());
    // The search drops only when it has to; a plan drops as early as it can.
    proposal.plan = plan_from_sequence(graph_, sequence);
    proposal.proves_plan = true;
    return proposal;
  }

  const Graph& graph_;
  Bytes budget_;
  bool fixed_order_;
  IdVector<TensorId, int> bit_of_;  // -1: not droppable.
  std::vector<TensorId> droppable_;
  std::unordered_map<State, Arrival> arrivals_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  std::uint64_t number_ = 0;
};

}  // namespace

Proposal propose_exhaustive(const Problem& problem, const Request& request) {
  Search search(problem);
  if (search.num_droppable() > kMostTensors) {
    return not_applicable(fmt::format(
        "exhaustive takes at most {} tensors that can be dropped; this graph "
        "has {}",
        kMostTensors, search.num_droppable()));
  }
  if (problem.order == OrderRule::kFree && problem.graph.num_ops() > kMostOps) {
    return not_applicable(fmt::format(
        "exhaustive takes at most {} ops with free order; this graph has {}",
        kMostOps, problem.graph.num_ops()));
  }
  return search.run(request.limits);
}

}  // namespace rematch
