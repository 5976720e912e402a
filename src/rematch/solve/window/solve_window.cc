// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/window/solve_window.h"

#include <algorithm>
#include <set>
#include <utility>

#include "rematch/base/check.h"
#include "rematch/lp/lp_session.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

// Solves of one window.
constexpr int kMostRounds = 8;
// What is cheaper by a smaller share is not looked for.
constexpr double kWorthIt = 1e-7;
constexpr double kEffortOnPoints = 0.2;

// Footprints of the runs.
struct Measured {
  Cost cost = 0;
  Bytes peak = 0;
  std::vector<Bytes> footprints;
};

Measured measure(const Problem& problem, std::span<const OpId> sequence) {
  const Plan plan = plan_from_sequence(problem.graph, sequence);
  const auto replayed = replay(problem.graph, plan, problem.order);
  REMATCH_CHECK(replayed.ok(), "a window's sequence is valid");
  Measured measured{replayed->cost, replayed->peak, {}};
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.steps[i].kind() == StepKind::kCompute) {
      measured.footprints.push_back(replayed->footprint[i]);
    }
  }
  return measured;
}

// What the reruns of the free ops cost.
Cost rerun_cost(const Graph& graph, const WindowFrame& frame) {
  Cost cost = 0;
  for (OpId op : frame.free) {
    cost += graph.op(op).cost * static_cast<double>(frame.reruns[op].size());
  }
  return cost;
}

std::int64_t work_to_begin(const WindowFrame& frame) {
  std::size_t places = frame.runs.size() / 8;
  for (OpId op : frame.free) places += frame.places[op].size();
  return static_cast<std::int64_t>(places / 4);
}

// One window, solved again while reruns are found not to fit.
class Window {
 public:
  Window(const Problem& problem, std::span<const OpId> sequence,
         WindowFrame frame)
      : problem_(problem),
        program_(problem, std::move(frame)),
        session_(program_.take_model()),
        before_(measure(problem, sequence).cost) {
    answer_.work = work_to_begin(program_.frame());
  }

  WindowAnswer solve(LpLimits limits) {
    const Cost now = rerun_cost(problem_.graph, program_.frame());
    limits.cutoff = now / program_.cost_scale() * (1 - kWorthIt);
    limits.effort_on_points = kEffortOnPoints;
    for (int i = 0; i < kMostRounds && now > 0; ++i) {
      const LpSolution found = session_.solve_integers(limits);
      answer_.work += found.iterations + 100 * found.nodes;
      answer_.is_complete = found.status == LpStatus::kCutoff ||
                            found.status == LpStatus::kInfeasible ||
                            found.status == LpStatus::kOptimal;
      if (!found.has_point || found.objective > limits.cutoff) break;
      if (is_taken(program_.runs_at(found.columns))) break;
      limits.seconds -= found.seconds;
      limits.iterations -= found.iterations;
      if (limits.seconds <= 0 || limits.iterations <= 0) break;
    }
    return std::move(answer_);
  }

 private:
  // Whether it ends here: with a better sequence, or because nothing is known
  // that keeps the same one from being found again.
  bool is_taken(const std::vector<PlacedRun>& runs) {
    std::vector<OpId> ops;
    for (const PlacedRun& run : runs) ops.push_back(run.op);
    const Measured measured = measure(problem_, ops);
    if (measured.peak > problem_.budget) {
      return !add_rerun_rows(runs, measured.footprints);
    }
    ops = without_useless_reruns(problem_.graph, ops);
    answer_.cost = measure(problem_, ops).cost;
    if (answer_.cost < before_) answer_.sequence = std::move(ops);
    return true;
  }

  bool add_rerun_rows(const std::vector<PlacedRun>& runs,
                      const std::vector<Bytes>& footprints) {
    bool added = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto [op, slot, is_placed] = runs[i];
      if (!is_placed || footprints[i] <= problem_.budget) continue;
      if (!rows_.emplace(slot, op).second) continue;
      program_.add_rerun_row(op, slot, session_.model());
      added = true;
    }
    return added;
  }

  const Problem& problem_;
  WindowProgram program_;
  LpSession session_;
  Cost before_;
  std::set<std::pair<std::int32_t, OpId>> rows_;
  WindowAnswer answer_;
};

}  // namespace

WindowAnswer solve_window(const Problem& problem,
                          std::span<const OpId> sequence,
                          std::span<const OpId> free, const LpLimits& limits) {
  WindowFrame frame = window_frame(problem.graph, sequence, free);
  return Window(problem, sequence, std::move(frame)).solve(limits);
}

WindowAnswer solve_cross(const Problem& problem, std::span<const OpId> sequence,
                         std::span<const OpId> other, const LpLimits& limits) {
  const auto free = differing_ops(problem.graph, sequence, other);
  WindowFrame frame = window_frame(problem.graph, sequence, free);
  keep_places_of(problem.graph, sequence, other, frame);
  return Window(problem, sequence, std::move(frame)).solve(limits);
}

std::vector<OpId> without_useless_reruns(const Graph& graph,
                                         std::span<const OpId> sequence) {
  IdVector<OpId, std::size_t> first(graph.num_ops(), sequence.size());
  for (std::size_t i = sequence.size(); i-- > 0;) first[sequence[i]] = i;
  IdVector<TensorId, bool> needed(graph.num_tensors());
  std::vector<OpId> kept;
  for (std::size_t i = sequence.size(); i-- > 0;) {
    const OpId op = sequence[i];
    const auto outputs = graph.outputs(op);
    const bool is_read = std::ranges::any_of(
        outputs, [&](TensorId tensor) { return needed[tensor]; });
    if (i != first[op] && !is_read) continue;
    kept.push_back(op);
    for (TensorId tensor : outputs) needed[tensor] = false;
    for (TensorId tensor : graph.inputs(op)) needed[tensor] = true;
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

}  // namespace rematch
