// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/stage_oracle.h"

#include <algorithm>
#include <map>
#include <queue>

namespace rematch {
namespace {

using Needs = std::vector<LifeId>;  // Ascending.

class StageSearch {
 public:
  StageSearch(const Problem& problem, const Lives& lives,
              const LiveSet& available, Cost limit)
      : graph_(problem.graph),
        lives_(lives),
        available_(available),
        limit_(limit),
        room_(problem.budget - problem.graph.fixed_bytes()),
        relevant_(lives.all.size()) {}

  StageAnswer run(Needs wanted, int most_states) {
    StageAnswer answer;
    push(std::move(wanted), 0, kNone, OpId(0));
    while (!queue_.empty()) {
      const Entry top = queue_.top();
      if (top.estimate > limit_ ||
          static_cast<int>(states_.size()) > most_states) {
        break;
      }
      queue_.pop();
      if (states_[top.state].done) continue;
      states_[top.state].done = true;
      if (is_available(*states_[top.state].needs)) {
        answer.solved = true;
        answer.least = states_[top.state].cost;
        for (std::size_t at = top.state; states_[at].before != kNone;
             at = states_[at].before) {
          answer.order.push_back(states_[at].op);
        }
        break;
      }
      expand(top.state);
    }
    if (!answer.solved) {
      answer.least = queue_.empty() ? std::numeric_limits<Cost>::infinity()
                                    : queue_.top().estimate;
    }
    for (LifeId id : lives_.all.ids()) {
      if (relevant_[id]) answer.relevant.push_back(id);
    }
    return answer;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // What has to be live at some time, and what happens from there to the end.
  struct State {
    const Needs* needs = nullptr;
    Cost cost = 0;
    std::size_t before = kNone;  // The state after running `op` from here.
    OpId op;
    bool done = false;
  };
  struct Entry {
    Cost estimate = 0;
    std::size_t state = 0;
    friend bool operator<(const Entry& a, const Entry& b) {
      if (a.estimate != b.estimate) return a.estimate > b.estimate;
      return a.state < b.state;
    }
  };

  bool is_available(const Needs& needs) const {
    return std::all_of(needs.begin(), needs.end(),
                       [&](LifeId id) { return available_[id]; });
  }

  // What is needed and not available has to run: at least so much.
  Cost cost_to_go(const Needs& needs) {
    roots_.clear();
    for (LifeId id : needs) {
      relevant_[id] = true;
      if (available_[id]) continue;
      if (!lives_.all[id].root) return std::numeric_limits<Cost>::infinity();
      roots_.push_back(*lives_.all[id].root);
    }
    std::sort(roots_.begin(), roots_.end());
    roots_.erase(std::unique(roots_.begin(), roots_.end()), roots_.end());
    Cost cost = 0;
    for (OpId op : roots_) cost += graph_.op(op).cost;
    return cost;
  }

  void push(Needs needs, Cost cost, std::size_t before, OpId op) {
    const Cost estimate = cost + cost_to_go(needs);
    if (estimate == std::numeric_limits<Cost>::infinity()) return;
    const auto [at, is_new] = seen_.try_emplace(std::move(needs), kNone);
    if (!is_new && states_[at->second].cost <= cost) return;
    at->second = states_.size();
    states_.push_back({&at->first, cost, before, op, false});
    queue_.push({estimate, at->second});
  }

  void expand(std::size_t state) {
    const Needs needs = *states_[state].needs;
    const Cost cost = states_[state].cost;
    tried_.clear();
    for (LifeId id : needs) {
      const auto op = lives_.all[id].root;
      if (!op) continue;
      if (std::find(tried_.begin(), tried_.end(), *op) != tried_.end()) {
        continue;
      }
      tried_.push_back(*op);
      run_before(needs, *op, cost, state);
    }
  }

  // Runs the op last before the needs.
  void run_before(const Needs& needs, OpId op, Cost cost, std::size_t state) {
    const auto& written = lives_.written_by[op];
    const auto& read = lives_.read_by[op];
    std::vector<StorageId> storages = storages_of(lives_, op);
    for (LifeId id : needs) storages.push_back(lives_.all[id].storage);
    std::sort(storages.begin(), storages.end());
    storages.erase(std::unique(storages.begin(), storages.end()),
                   storages.end());
    Bytes bytes = graph_.op(op).workspace;
    for (StorageId storage : storages) bytes += graph_.storage(storage).bytes;
    if (bytes > room_) return;
    Needs all = needs;
    all.insert(all.end(), read.begin(), read.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    // A graph output stays once it is there.
    std::erase_if(all, [&](LifeId id) {
      return !lives_.all[id].pinned &&
             std::binary_search(written.begin(), written.end(), id);
    });
    push(std::move(all), cost + graph_.op(op).cost, state, op);
  }

  const Graph& graph_;
  const Lives& lives_;
  const LiveSet& available_;
  Cost limit_;
  Bytes room_;
  LiveSet relevant_;
  std::map<Needs, std::size_t> seen_;
  std::vector<State> states_;
  std::priority_queue<Entry> queue_;
  std::vector<OpId> roots_;  // Scratch.
  std::vector<OpId> tried_;  // Scratch.
};

}  // namespace

StageAnswer solve_stage(const Problem& problem, const Lives& lives,
                        std::int32_t stage, const LiveSet& available,
                        const LiveSet& wanted, Cost limit, int most_states) {
  Needs needs;
  for (LifeId id : lives.all.ids()) {
    if (wanted[id] && lives.all[id].birth() < stage) needs.push_back(id);
  }
  return StageSearch(problem, lives, available, limit)
      .run(std::move(needs), most_states);
}

}  // namespace rematch
