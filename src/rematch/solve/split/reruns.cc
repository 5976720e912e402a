// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/reruns.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

class Scheduler {
 public:
  Scheduler(const Graph& graph, const SplitProgram& program,
            std::span<const double> columns)
      : graph_(graph),
        program_(program),
        columns_(columns),
        needs_(program.lives().all.size()) {}

  std::vector<Rerun> run() {
    // Whatever reads a storage has a larger id than what brings it back.
    const Lives& lives = program_.lives();
    for (std::size_t i = graph_.num_ops(); i-- > 0;) {
      const OpId op(i);
      if (!graph_.op(op).recomputable) continue;
      std::map<std::size_t, std::int32_t> stages;
      for (LifeId life : lives.written_by[op]) schedule(life, op, stages);
      for (const auto& [piece, stage] : stages) add(op, stage);
    }
    return {reruns_.begin(), reruns_.end()};
  }

 private:
  bool is_set(Binary binary) const { return binary.at(columns_) > 0.5; }

  // Adds to `stages`, by piece of the op's runs: one run there brings back all
  // that it writes.
  void schedule(LifeId id, OpId op,
                std::map<std::size_t, std::int32_t>& stages) const {
    const auto points = program_.points(id);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool last = i + 1 == points.size();
      const std::int32_t end =
          last ? std::numeric_limits<std::int32_t>::max() : points[i + 1];
      if (!last && is_set(program_.keep(id, i))) continue;
      std::vector<std::int32_t> needs;
      for (auto at = needs_[id].upper_bound(points[i]);
           at != needs_[id].end() && *at <= end; ++at) {
        needs.push_back(*at);
      }
      if (!last && is_set(program_.live(id, i + 1))) {
        if (needs.empty() || needs.back() != end) needs.push_back(end);
      }
      if (needs.empty()) continue;
      const auto stage =
          stage_for(points[i], is_set(program_.live(id, i)), needs);
      if (!stage) continue;
      const auto piece = run_between(op, points[i], end, *stage);
      if (!piece) continue;
      const auto at = stages.emplace(*piece, *stage).first;
      at->second = std::min(at->second, *stage);
    }
  }

  // The piece of a run of the op after `begin` and before `end`: the last that
  // begins before the stage, else the first.
  std::optional<std::size_t> run_between(OpId op, std::int32_t begin,
                                         std::int32_t end,
                                         std::int32_t stage) const {
    std::optional<std::size_t> found;
    const auto points = program_.run_points(op);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i] < begin || points[i] >= end) continue;
      const Binary run = program_.run(op, i);
      if (run.is_constant() || !is_set(run)) continue;
      if (!found || points[i] < stage) found = i;
    }
    return found;
  }

  // Where one run serves the needs, which ascend. What is live at the begin of
  // the piece is held on for those before the longest wait; no run if that is
  // no wait.
  static std::optional<std::int32_t> stage_for(
      std::int32_t begin, bool live, const std::vector<std::int32_t>& needs) {
    if (!live) return needs.front();
    std::int32_t longest = 1;
    std::int32_t held = begin;
    std::optional<std::int32_t> after;
    for (std::int32_t need : needs) {
      if (need - held > longest) {
        longest = need - held;
        after = need;
      }
      held = need;
    }
    return after;
  }

  void add(OpId op, std::int32_t stage) {
    if (!reruns_.insert({stage, op}).second) return;
    for (LifeId input : program_.lives().read_by[op]) {
      needs_[input].insert(stage);
    }
  }

  struct ByStage {
    std::int32_t stage;
    OpId op;
    // NOLINTNEXTLINE(google-explicit-constructor): the same thing, sorted.
    operator Rerun() const { return {op, stage}; }
    friend auto operator<=>(const ByStage&, const ByStage&) = default;
  };

  const Graph& graph_;
  const SplitProgram& program_;
  std::span<const double> columns_;
  IdVector<LifeId, std::set<std::int32_t>> needs_;  // Stages that read it.
  std::set<ByStage> reruns_;
};

}  // namespace

std::vector<Rerun> reruns_at(const Graph& graph, const SplitProgram& program,
                             std::span<const double> columns) {
  return Scheduler(graph, program, columns).run();
}

Plan plan_with_reruns(const Graph& graph, std::span<const Rerun> reruns) {
  std::vector<OpId> sequence;
  std::size_t next = 0;
  for (OpId op : graph.ops()) {
    while (next < reruns.size() && reruns[next].stage <= op.value) {
      sequence.push_back(reruns[next++].op);
    }
    sequence.push_back(op);
  }
  return plan_from_sequence(graph, sequence);
}

std::vector<Rerun> reruns_of(const Graph& graph, const Plan& plan) {
  std::vector<Rerun> result;
  IdVector<OpId, bool> ran(graph.num_ops());
  std::int32_t stage = 0;
  for (OpId op : computed_ops(plan)) {
    if (ran[op]) {
      result.push_back({op, stage});
    } else {
      ran[op] = true;
      stage = op.value + 1;
    }
  }
  return result;
}

}  // namespace rematch
