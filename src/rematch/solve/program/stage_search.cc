// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/stage_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "rematch/plan/occupancy.h"

namespace rematch {
namespace {

constexpr Cost kNever = std::numeric_limits<Cost>::infinity();

Cost cost_of(const Graph& graph, const std::vector<OpId>& ops) {
  Cost cost = 0;
  for (OpId op : ops) cost += graph.op(op).cost;
  return cost;
}

// What must run so that the wanted tensors are live, given the live ones;
// ascending. None if something cannot come back.
std::optional<std::vector<OpId>> closure(const Graph& graph, OpId stage,
                                         const std::vector<TensorId>& wanted,
                                         const IdVector<TensorId, bool>& live) {
  std::vector<OpId> ops;
  IdVector<OpId, bool> chosen(stage.index());
  const auto want = [&](TensorId tensor) {
    if (!graph.is_droppable(tensor) || live[tensor]) return true;
    const OpId op = *graph.tensor(tensor).producer;
    if (op == stage || chosen[op]) return true;
    chosen[op] = true;
    ops.push_back(op);
    return graph.op(op).recomputable;
  };
  for (TensorId tensor : wanted) {
    if (!want(tensor)) return std::nullopt;
  }
  for (TensorId tensor : graph.inputs(stage)) {
    if (!want(tensor)) return std::nullopt;
  }
  // NOLINTNEXTLINE(modernize-loop-convert): ops grows inside the loop.
  for (std::size_t i = 0; i < ops.size(); ++i) {
    for (TensorId input : graph.inputs(ops[i])) {
      if (!want(input)) return std::nullopt;
    }
  }
  std::sort(ops.begin(), ops.end());
  return ops;
}

IdVector<TensorId, bool> marks(const Graph& graph,
                               const std::vector<TensorId>& tensors) {
  IdVector<TensorId, bool> result(graph.num_tensors());
  for (TensorId tensor : tensors) result[tensor] = true;
  return result;
}

// The graph outputs of earlier stages, which are always there.
void hold_outputs(const Graph& graph, OpId stage, Occupancy& occupancy) {
  for (OpId op : IdRange<OpId>(OpId(0), stage)) {
    for (TensorId tensor : graph.outputs(op)) {
      if (!graph.is_droppable(tensor)) occupancy.hold(tensor);
    }
  }
}

// Orders in which each of some ops runs once, nothing is dropped that is still
// to be read, and everything else is dropped at once.
class OrderSearch {
 public:
  OrderSearch(const Graph& graph, Bytes budget, const StageTask& task,
              std::vector<OpId> ops, std::size_t most_states, SolveClock& clock)
      : graph_(graph),
        budget_(budget),
        ops_(std::move(ops)),
        left_(most_states),
        clock_(clock),
        uses_(graph.num_tensors()),
        live_(marks(graph, task.kept_in)),
        occupancy_(graph) {
    ops_.push_back(task.stage);
    done_.assign(ops_.size(), 0);
    hold_outputs(graph, task.stage, occupancy_);
    for (TensorId tensor : task.kept_out) ++uses_[tensor];
    for (OpId op : ops_) {
      for (TensorId input : graph.inputs(op)) ++uses_[input];
    }
    for (TensorId tensor : task.kept_in) {
      if (uses_[tensor] == 0) {
        live_[tensor] = false;
      } else {
        occupancy_.hold(tensor);
      }
    }
  }

  bool found() { return extend(); }
  bool gave_up() const { return left_ == 0; }
  const std::vector<OpId>& order() const { return order_; }

 private:
  bool extend() {
    if (order_.size() == ops_.size()) return true;
    if (left_ == 0 ||
        !seen_.insert(std::string(done_.begin(), done_.end())).second) {
      return false;
    }
    left_ = clock_.spend(1) ? 0 : left_ - 1;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const bool last = i + 1 == ops_.size();
      if (done_[i] != 0 || (last && order_.size() + 1 < ops_.size())) continue;
      if (!is_ready(ops_[i])) continue;
      if (run(i)) return true;
    }
    return false;
  }

  bool is_ready(OpId op) const {
    return std::ranges::all_of(graph_.inputs(op), [&](TensorId input) {
      return !graph_.is_droppable(input) || live_[input];
    });
  }

  // Runs an op and goes on; takes it back if that leads nowhere.
  bool run(std::size_t at) {
    const OpId op = ops_[at];
    std::vector<TensorId> added;
    std::vector<TensorId> dropped;
    for (TensorId output : graph_.outputs(op)) {
      if (live_[output]) continue;
      if (!graph_.is_droppable(output) && op != ops_.back()) continue;
      live_[output] = true;
      occupancy_.hold(output);
      added.push_back(output);
    }
    const Bytes footprint =
        graph_.fixed_bytes() + occupancy_.bytes() + graph_.op(op).workspace;
    bool found = false;
    for (TensorId input : graph_.inputs(op)) --uses_[input];
    if (footprint <= budget_) {
      const auto drop_unused = [&](TensorId tensor) {
        if (uses_[tensor] > 0 || !live_[tensor]) return;
        if (!graph_.is_droppable(tensor)) return;
        live_[tensor] = false;
        occupancy_.release(tensor);
        dropped.push_back(tensor);
      };
      for (TensorId input : graph_.inputs(op)) drop_unused(input);
      for (TensorId output : graph_.outputs(op)) drop_unused(output);
      done_[at] = 1;
      order_.push_back(op);
      found = extend();
      if (found) return true;
      order_.pop_back();
      done_[at] = 0;
    }
    for (TensorId tensor : dropped) {
      live_[tensor] = true;
      occupancy_.hold(tensor);
    }
    for (TensorId input : graph_.inputs(op)) ++uses_[input];
    for (TensorId tensor : added) {
      live_[tensor] = false;
      occupancy_.release(tensor);
    }
    return false;
  }

  const Graph& graph_;
  Bytes budget_;
  std::vector<OpId> ops_;
  std::size_t left_;
  SolveClock& clock_;
  IdVector<TensorId, std::int32_t> uses_;  // Readers to come, and being kept.
  IdVector<TensorId, bool> live_;
  Occupancy occupancy_;
  std::vector<char> done_;
  std::vector<OpId> order_;
  std::unordered_set<std::string> seen_;
};

// Everything that a way through the stage can touch.
struct Scope {
  std::vector<OpId> ops;          // May run again, ascending.
  std::vector<TensorId> tensors;  // That they, the stage or its end need.
};

Scope scope_of(const Graph& graph, const StageTask& task) {
  Scope scope;
  IdVector<OpId, bool> chosen(graph.num_ops());
  IdVector<TensorId, bool> seen(graph.num_tensors());
  const auto see = [&](TensorId tensor) {
    if (!graph.is_droppable(tensor) || seen[tensor]) return;
    const OpId op = *graph.tensor(tensor).producer;
    if (op == task.stage) return;
    seen[tensor] = true;
    scope.tensors.push_back(tensor);
    if (chosen[op] || !graph.op(op).recomputable) return;
    chosen[op] = true;
    scope.ops.push_back(op);
  };
  for (TensorId tensor : task.kept_out) see(tensor);
  for (TensorId tensor : graph.inputs(task.stage)) see(tensor);
  // NOLINTNEXTLINE(modernize-loop-convert): ops grows inside the loop.
  for (std::size_t i = 0; i < scope.ops.size(); ++i) {
    for (TensorId input : graph.inputs(scope.ops[i])) see(input);
  }
  std::sort(scope.ops.begin(), scope.ops.end());
  return scope;
}

// All sequences of runs and drops by rising cost. A state is the set of live
// tensors of the scope; what is still to pay is at least the closure's cost.
class FullSearch {
 public:
  FullSearch(const Graph& graph, Bytes budget, const StageTask& task,
             const Scope& scope, std::size_t most_states, SolveClock& clock)
      : graph_(graph),
        budget_(budget),
        task_(task),
        scope_(scope),
        left_(most_states),
        clock_(clock) {}

  TaskAnswer run() {
    std::string start(scope_.tensors.size(), '\0');
    const auto kept_in = marks(graph_, task_.kept_in);
    for (std::size_t i = 0; i < start.size(); ++i) {
      start[i] = kept_in[scope_.tensors[i]] ? '\1' : '\0';
    }
    reach(start, 0, nullptr, std::nullopt);
    while (!open_.empty()) {
      const Entry entry = open_.top();
      if (left_ == 0 || clock_.stop()) return {entry.total, std::nullopt};
      open_.pop();
      Node& node = *entry.node;
      if (node.closed || entry.spent > node.spent) continue;
      if (node.is_goal) return {node.spent, path_to(node)};
      node.closed = true;
      --left_;
      clock_.spend(1);
      expand(node);
    }
    return {kNever, std::nullopt};
  }

 private:
  struct Node {
    std::string live;
    Cost spent = kNever;
    Node* before = nullptr;
    std::optional<OpId> op;  // Run to get here; none: a drop.
    bool closed = false;
    bool is_goal = false;
  };
  struct Entry {
    Cost total = 0;
    Cost spent = 0;
    std::size_t number = 0;
    Node* node = nullptr;

    // Cheapest first; of these, the one that paid most, then the newest.
    friend bool operator<(const Entry& a, const Entry& b) {
      if (a.total != b.total) return a.total > b.total;
      if (a.spent != b.spent) return a.spent < b.spent;
      return a.number < b.number;
    }
  };

  IdVector<TensorId, bool> live_tensors(const std::string& live) const {
    IdVector<TensorId, bool> result(graph_.num_tensors());
    for (std::size_t i = 0; i < live.size(); ++i) {
      result[scope_.tensors[i]] = live[i] != '\0';
    }
    return result;
  }

  void reach(const std::string& live, Cost spent, Node* before,
             std::optional<OpId> op) {
    Node& node = nodes_[live];
    if (node.closed || spent >= node.spent) return;
    const auto tensors = live_tensors(live);
    const auto required = closure(graph_, task_.stage, task_.kept_out, tensors);
    if (!required) return;
    node.live = live;
    node.spent = spent;
    node.before = before;
    node.op = op;
    node.is_goal = required->empty() && fits(tensors, task_.stage);
    open_.push({spent + cost_of(graph_, *required), spent, ++number_, &node});
  }

  // The memory while an op runs.
  bool fits(const IdVector<TensorId, bool>& live, OpId op) const {
    Occupancy occupancy(graph_);
    hold_outputs(graph_, task_.stage, occupancy);
    for (TensorId tensor : scope_.tensors) {
      if (live[tensor]) occupancy.hold(tensor);
    }
    for (TensorId output : graph_.outputs(op)) {
      if (!live[output]) occupancy.hold(output);
    }
    return graph_.fixed_bytes() + occupancy.bytes() + graph_.op(op).workspace <=
           budget_;
  }

  void expand(Node& node) {
    const std::string live = node.live;
    const auto tensors = live_tensors(live);
    for (std::size_t i = 0; i < live.size(); ++i) {
      if (live[i] == '\0') continue;
      std::string next = live;
      next[i] = '\0';
      reach(next, node.spent, &node, std::nullopt);
    }
    for (OpId op : scope_.ops) {
      const bool ready =
          std::ranges::all_of(graph_.inputs(op), [&](TensorId input) {
            return !graph_.is_droppable(input) || tensors[input];
          });
      if (!ready || !fits(tensors, op)) continue;
      std::string next = live;
      for (std::size_t i = 0; i < next.size(); ++i) {
        if (graph_.tensor(scope_.tensors[i]).producer == op) next[i] = '\1';
      }
      if (next != live) {
        reach(next, node.spent + graph_.op(op).cost, &node, op);
      }
    }
  }

  std::vector<OpId> path_to(const Node& goal) const {
    std::vector<OpId> ops = {task_.stage};
    for (const Node* node = &goal; node != nullptr; node = node->before) {
      if (node->op) ops.push_back(*node->op);
    }
    std::reverse(ops.begin(), ops.end());
    return ops;
  }

  const Graph& graph_;
  Bytes budget_;
  const StageTask& task_;
  const Scope& scope_;
  std::size_t left_;
  SolveClock& clock_;
  std::size_t number_ = 0;
  std::unordered_map<std::string, Node> nodes_;  // Nodes stay where they are.
  std::priority_queue<Entry> open_;
};

// If nothing that may run is free, and nothing live would come back by a run
// that is required anyway, then only the required runs cost as little.
bool orders_are_all(const Graph& graph, const StageTask& task,
                    const std::vector<OpId>& required, const Scope& scope) {
  for (OpId op : scope.ops) {
    if (!(graph.op(op).cost > 0)) return false;
  }
  return std::ranges::none_of(task.kept_in, [&](TensorId tensor) {
    return std::ranges::binary_search(required, *graph.tensor(tensor).producer);
  });
}

}  // namespace

std::vector<OpId> required_runs(const Graph& graph, const StageTask& task) {
  return closure(graph, task.stage, task.kept_out, marks(graph, task.kept_in))
      .value_or(std::vector<OpId>());
}

TaskAnswer cheapest_stage(const Graph& graph, Bytes budget,
                          const StageTask& task, std::size_t most_states,
                          SolveClock& clock) {
  const auto required =
      closure(graph, task.stage, task.kept_out, marks(graph, task.kept_in));
  if (!required) return {kNever, std::nullopt};
  const Cost least = cost_of(graph, *required);
  OrderSearch orders(graph, budget, task, *required, most_states, clock);
  if (orders.found()) return {least, orders.order()};
  const Scope scope = scope_of(graph, task);
  TaskAnswer answer =
      FullSearch(graph, budget, task, scope, most_states, clock).run();
  if (answer.ops || orders.gave_up() ||
      !orders_are_all(graph, task, *required, scope)) {
    return answer;
  }
  Cost next = kNever;
  for (OpId op : scope.ops) next = std::min(next, graph.op(op).cost);
  answer.least = std::max(answer.least, least + next);
  return answer;
}

}  // namespace rematch
