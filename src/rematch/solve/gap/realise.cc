// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/realise.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "rematch/plan/sequence.h"
#include "rematch/plan/stages.h"
#include "rematch/solve/anneal/schedule.h"
#include "rematch/solve/gap/slack_tree.h"

namespace rematch {
namespace {

constexpr std::int64_t kMostRunsPerOp = 20;

std::size_t first_of(const Gap& gap) {
  return static_cast<std::size_t>(gap.first);
}
std::size_t last_of(const Gap& gap) {
  return static_cast<std::size_t>(gap.last);
}

// By descending cost, then in their order.
std::vector<RunId> reruns_by_cost(const Schedule& schedule) {
  const auto reruns = schedule.reruns();
  std::vector<RunId> sorted(reruns.begin(), reruns.end());
  const auto cost = [&](RunId run) {
    return schedule.graph().op(schedule.op(run)).cost;
  };
  std::sort(sorted.begin(), sorted.end(), [&](RunId a, RunId b) {
    if (cost(a) != cost(b)) return cost(a) > cost(b);
    return schedule.before(a, b);
  });
  return sorted;
}

// What each stage has to spare if the chosen gaps are evicted.
std::vector<Bytes> slack_of(const GapProgram& program,
                            const std::vector<bool>& chosen) {
  std::vector<Bytes> slack(program.need.size() + 1);
  for (std::size_t g = 0; g < program.gaps.size(); ++g) {
    if (!chosen[g]) continue;
    slack[first_of(program.gaps[g])] += program.gaps[g].bytes;
    slack[last_of(program.gaps[g]) + 1] -= program.gaps[g].bytes;
  }
  std::partial_sum(slack.begin(), slack.end(), slack.begin());
  slack.pop_back();
  for (std::size_t t = 0; t < slack.size(); ++t) slack[t] -= program.need[t];
  return slack;
}

// Walks through the stages and decides what to keep: what is not evicted, and
// of what has to be recomputed whatever then fits until its next touch.
class Realisation {
 public:
  Realisation(const Graph& graph, const GapProgram& program,
              const std::vector<bool>& evicted)
      : graph_(graph),
        slack_(slack_of(program, evicted)),
        kept_until_(graph.num_tensors(), -1),
        wanted_in_(graph.num_ops(), -1),
        lost_(graph.num_storages()) {
    for (std::size_t g = 0; g < program.gaps.size(); ++g) {
      if (evicted[g]) {
        lost_[program.gaps[g].storage].push_back(program.gaps[g].first);
      }
    }
  }

  // None if the meter, which counts runs, says stop.
  std::optional<std::vector<KeptInterval>> run(Meter& meter) {
    for (OpId stage : graph_.ops()) {
      choose_ops(stage);
      if (meter.stop(static_cast<std::int64_t>(ops_.size()))) {
        return std::nullopt;
      }
      for (TensorId output : graph_.outputs(stage)) keep_next(output, stage);
      for (TensorId input : graph_.inputs(stage)) keep_next(input, stage);
      hold_recomputed(stage);
    }
    return std::move(kept_);
  }

 private:
  // The ops of a stage: its own, and what its inputs are missing.
  void choose_ops(OpId stage) {
    ops_.assign(1, stage);
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      for (TensorId input : graph_.inputs(ops_[i])) {
        if (!graph_.is_droppable(input)) continue;
        if (kept_until_[input] >= stage.value) continue;
        const OpId producer = *graph_.tensor(input).producer;
        if (!graph_.op(producer).recomputable) continue;
        if (wanted_in_[producer] == stage.value) continue;
        wanted_in_[producer] = stage.value;
        ops_.push_back(producer);
      }
    }
  }

  // The next stage that reads the tensor; none if there is none.
  std::optional<std::int32_t> next_reader(TensorId tensor, OpId stage) const {
    const auto readers = graph_.readers(tensor);
    const auto next = std::upper_bound(readers.begin(), readers.end(), stage);
    if (next == readers.end()) return std::nullopt;
    return next->value;
  }

  void keep(TensorId tensor, OpId stage, std::int32_t until) {
    kept_.push_back({tensor, stage.value + 1, until});
    kept_until_[tensor] = until;
  }

  // What was touched stays until its next touch, unless that gap is evicted.
  void keep_next(TensorId tensor, OpId stage) {
    if (!graph_.is_droppable(tensor) || kept_until_[tensor] > stage.value) {
      return;
    }
    const auto next = next_reader(tensor, stage);
    if (!next) return;
    const auto& lost = lost_[graph_.tensor(tensor).storage];
    const auto gone =
        std::lower_bound(lost.begin(), lost.end(), stage.value + 1);
    if (gone != lost.end() && *gone < *next) return;
    keep(tensor, stage, *next);
  }

  // What was recomputed for this stage and is read again later stays if it
  // fits, the best cost per byte and stage first.
  void hold_recomputed(OpId stage) {
    struct Candidate {
      TensorId tensor;
      std::int32_t until;
      double value;
    };
    std::vector<Candidate> candidates;
    for (std::size_t i = 1; i < ops_.size(); ++i) {
      for (TensorId output : graph_.outputs(ops_[i])) {
        if (!graph_.is_droppable(output)) continue;
        if (kept_until_[output] > stage.value) continue;
        const auto next = next_reader(output, stage);
        if (!next) continue;
        const auto bytes = static_cast<double>(bytes_of(output));
        const double length = *next - stage.value;
        candidates.push_back(
            {output, *next, graph_.op(ops_[i]).cost / ((bytes + 1) * length)});
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) {
                       return a.value > b.value;
                     });
    for (const Candidate& candidate : candidates) {
      const auto first = static_cast<std::size_t>(stage.value) + 1;
      const auto end = static_cast<std::size_t>(candidate.until);
      const Bytes bytes = bytes_of(candidate.tensor);
      if (first < end) {
        if (slack_.least(first, end - 1) < bytes) continue;
        slack_.add(first, end - 1, -bytes);
      }
      keep(candidate.tensor, stage, candidate.until);
    }
  }

  Bytes bytes_of(TensorId tensor) const {
    return graph_.storage(graph_.tensor(tensor).storage).bytes;
  }

  const Graph& graph_;
  SlackTree slack_;
  IdVector<TensorId, std::int32_t> kept_until_;
  IdVector<OpId, std::int32_t> wanted_in_;
  // Where the evicted gaps of a storage begin, ascending.
  IdVector<StorageId, std::vector<std::int32_t>> lost_;
  std::vector<OpId> ops_;
  std::vector<KeptInterval> kept_;
};

// Evicted gaps that one rerun brings back.
struct Restoration {
  Cost cost = 0;
  std::vector<std::size_t> gaps;
};

// Splits the gaps of one op, of which some are evicted, into as few
// restorations as they need. What a rerun can bring back as well is evicted,
// too: that costs nothing.
class Grouping {
 public:
  Grouping(const GapProgram& program, std::vector<std::size_t> gaps,
           std::vector<bool>& chosen)
      : program_(program), gaps_(std::move(gaps)), chosen_(chosen) {
    std::sort(gaps_.begin(), gaps_.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(of(a).last, a) < std::pair(of(b).last, b);
    });
  }

  void run(std::vector<Restoration>& all) {
    while (true) {
      const auto next = std::find_if(gaps_.begin(), gaps_.end(),
                                     [&](std::size_t g) { return chosen_[g]; });
      if (next == gaps_.end()) return;
      const Gap& gap = of(*next);
      first_ = gap.first;
      last_ = gap.last;
      Restoration one{.cost = gap.cost / gap.share, .gaps = {}};
      take(true, one.gaps);
      take(false, one.gaps);
      for (std::size_t g : one.gaps) chosen_[g] = true;
      all.push_back(std::move(one));
    }
  }

 private:
  const Gap& of(std::size_t g) const { return program_.gaps[g]; }

  // Moves the gaps that a rerun in [first_, last_] can serve.
  void take(bool chosen, std::vector<std::size_t>& taken) {
    std::vector<std::size_t> rest;
    for (std::size_t g : gaps_) {
      const std::int32_t first = std::max(first_, of(g).first);
      const std::int32_t last = std::min(last_, of(g).last);
      const bool takes = chosen_[g] == chosen && first <= last;
      (takes ? taken : rest).push_back(g);
      if (!takes) continue;
      first_ = first;
      last_ = last;
    }
    gaps_ = std::move(rest);
  }

  const GapProgram& program_;
  std::vector<std::size_t> gaps_;  // By their last stages.
  std::vector<bool>& chosen_;
  std::int32_t first_ = 0;
  std::int32_t last_ = 0;
};

// What the chosen evictions take to bring back; may add evictions that cost
// nothing.
std::vector<Restoration> restorations(const GapProgram& program,
                                      std::vector<bool>& chosen) {
  std::vector<Restoration> all;
  std::map<OpId, std::vector<std::size_t>> shared;
  for (std::size_t g = 0; g < program.gaps.size(); ++g) {
    const Gap& gap = program.gaps[g];
    if (gap.root && gap.share > 0 && gap.share < 1) {
      shared[*gap.root].push_back(g);
    } else if (chosen[g]) {
      all.push_back({gap.cost, {g}});
    }
  }
  for (auto& [op, gaps] : shared) {
    Grouping(program, std::move(gaps), chosen).run(all);
  }
  return all;
}

// Holds through these gaps instead, if there is room.
bool take_back(const GapProgram& program, const std::vector<std::size_t>& gaps,
               SlackTree& tree) {
  std::size_t done = 0;
  for (; done < gaps.size(); ++done) {
    const Gap& gap = program.gaps[gaps[done]];
    if (tree.least(first_of(gap), last_of(gap)) < gap.bytes) break;
    tree.add(first_of(gap), last_of(gap), -gap.bytes);
  }
  if (done == gaps.size()) return true;
  while (done > 0) {
    const Gap& gap = program.gaps[gaps[--done]];
    tree.add(first_of(gap), last_of(gap), gap.bytes);
  }
  return false;
}

}  // namespace

std::vector<bool> rounded_evictions(const GapProgram& program,
                                    const std::vector<double>& evicted) {
  std::vector<bool> chosen(program.gaps.size());
  for (std::size_t g = 0; g < program.gaps.size(); ++g) {
    chosen[g] = evicted[g] > 0;
  }
  std::vector<Restoration> all = restorations(program, chosen);
  std::stable_sort(all.begin(), all.end(),
                   [](const Restoration& a, const Restoration& b) {
                     return a.cost > b.cost;
                   });
  SlackTree tree(slack_of(program, chosen));
  for (const Restoration& restoration : all) {
    if (!take_back(program, restoration.gaps, tree)) continue;
    for (std::size_t g : restoration.gaps) chosen[g] = false;
  }
  return chosen;
}

std::optional<Plan> realise(const Graph& graph, const GapProgram& program,
                            const std::vector<bool>& evicted, Meter& meter) {
  // A plan that is much longer than the graph is of no use to anyone.
  Limits short_plans;
  short_plans.work =
      kMostRunsPerOp * static_cast<std::int64_t>(graph.num_ops()) + 1000;
  Meter length(short_plans);
  auto kept = Realisation(graph, program, evicted).run(length);
  if (!kept || meter.stop(length.work())) return std::nullopt;
  Meter again(short_plans);
  auto staged = staged_plan(graph, *std::move(kept), again);
  if (!staged || meter.stop(again.work())) return std::nullopt;
  return plan_from_sequence(graph, computed_ops(*staged));
}

Plan without_needless_runs(const Graph& graph, Bytes budget, Plan plan,
                           Meter& meter) {
  const TouchTable table(graph);
  Schedule schedule(graph, table, budget, computed_ops(plan));
  if (!schedule.fits()) return plan;
  const std::size_t before = schedule.reruns().size();
  for (RunId rerun : reruns_by_cost(schedule)) {
    if (meter.stop()) break;
    schedule.remove(rerun);
    if (schedule.fits()) {
      schedule.commit();
    } else {
      schedule.undo_to(0);
    }
  }
  if (schedule.reruns().size() == before) return plan;
  return plan_from_sequence(graph, schedule.sequence());
}

}  // namespace rematch
