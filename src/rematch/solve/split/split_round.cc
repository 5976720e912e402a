// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/split_round.h"

#include <algorithm>
#include <cmath>

#include "rematch/lp/dual_bound.h"
#include "rematch/solve/split/path_cuts.h"

namespace rematch {
namespace {

constexpr int kMostRelaxations = 40;
constexpr std::size_t kMostCutsAtOnce = 500;
constexpr double kLeastViolation = 0.02;
constexpr double kRowTolerance = 1e-7;

}  // namespace

SplitRound::SplitRound(const Problem& problem, const Lives& lives,
                       SplitDetail& detail, Cost most)
    : problem_(problem),
      detail_(detail),
      program_(problem, lives, detail.points, most),
      session_(program_.take_model()) {
  add_known_rows();
}

void SplitRound::add_known_rows() {
  LinearModel& model = session_.model();
  for (std::int32_t stage : detail_.memory_rows) {
    program_.memory(stage).add_row("memory", model);
  }
  memory_rows_ = detail_.memory_rows;
  for (const auto& [stage, op] : detail_.rerun_rows) {
    const auto use = program_.rerun_memory(op, stage);
    if (!use) continue;
    use->add_row("rerun", model);
    rerun_rows_.emplace(stage, op);
  }
  for (const StageCut& cut : detail_.stage_cuts) {
    add_stage_row(problem_.graph, program_, cut, extra_, model);
  }
  for (const MemoryCover& cover : detail_.covers) {
    add_cover_row(program_, cover, model);
  }
}

LpStatus SplitRound::relax(const std::function<LpLimits()>& limits,
                           const OnBound& on_bound) {
  for (int i = 0; i < kMostRelaxations; ++i) {
    relaxed_ = session_.solve_relaxation(limits());
    iterations_ += relaxed_.iterations;
    if (relaxed_.status != LpStatus::kOptimal) return relaxed_.status;
    const Cost value = dual_bound(session_.model(), relaxed_.row_duals) *
                       program_.cost_scale();
    if (std::isfinite(value) && !on_bound(value)) {
      return LpStatus::kInterrupted;
    }
    if (!add_broken_rows()) break;
  }
  return LpStatus::kOptimal;
}

bool SplitRound::add_broken_rows() {
  const bool memory = add_broken_memory_rows();
  const bool reruns = add_broken_rerun_rows();
  const bool paths = add_broken_path_rows();
  return memory || reruns || paths;
}

bool SplitRound::add_broken_memory_rows() {
  const auto stages = static_cast<std::int32_t>(problem_.graph.num_ops());
  bool added = false;
  for (std::int32_t t = 0; t < stages; ++t) {
    if (memory_rows_.contains(t)) continue;
    const MemoryUse use = program_.memory(t);
    if (use.at(relaxed_.columns) <= kRowTolerance) continue;
    use.add_row("memory", session_.model());
    memory_rows_.insert(t);
    detail_.memory_rows.insert(t);
    added = true;
  }
  return added;
}

bool SplitRound::add_broken_rerun_rows() {
  bool added = false;
  for (std::int32_t t : detail_.points.detailed) {
    for (OpId op : IdRange<OpId>(OpId(0), OpId(t))) {
      if (rerun_rows_.contains({t, op})) continue;
      const auto use = program_.rerun_memory(op, t);
      if (!use || use->at(relaxed_.columns) <= kRowTolerance) continue;
      use->add_row("rerun", session_.model());
      rerun_rows_.emplace(t, op);
      detail_.rerun_rows.emplace(t, op);
      added = true;
    }
  }
  return added;
}

bool SplitRound::add_broken_path_rows() {
  auto cuts = path_cuts(program_, detail_.points.moments, relaxed_.columns,
                        kLeastViolation);
  std::stable_sort(cuts.begin(), cuts.end(),
                   [](const PathCut& a, const PathCut& b) {
                     return a.violation > b.violation;
                   });
  if (cuts.size() > kMostCutsAtOnce) cuts.resize(kMostCutsAtOnce);
  LinearModel& model = session_.model();
  for (const PathCut& cut : cuts) {
    model.add_row(model.family("path"), 1 - cut.sum.constant, kInfinity,
                  cut.sum.terms);
  }
  return !cuts.empty();
}

void SplitRound::fix_by_reduced_cost(Cost most) {
  LinearModel& model = session_.model();
  const double value = dual_bound(model, relaxed_.row_duals);
  const double room = most / program_.cost_scale() - value;
  // What rounding in the reduced costs could be worth, and far more.
  const double margin = 1e-6 * (1 + std::abs(room) + std::abs(value));
  for (ColumnId column : model.columns()) {
    const double reduced = relaxed_.reduced_costs[column.index()];
    const LinearColumn old = model.column(column);
    if (!old.integer || !(std::abs(reduced) > room + margin)) continue;
    const double at = reduced > 0 ? old.lower : old.upper;
    model.set_bounds(column, at, at);
  }
}

bool SplitRound::split_at_tight_stages() {
  auto& list = detail_.points.moments;
  std::set<std::int32_t> moments(list.begin(), list.end());
  const std::size_t before = moments.size();
  for (std::int32_t t : memory_rows_) {
    if (program_.memory(t).at(relaxed_.columns) > -kRowTolerance) {
      moments.insert(t);
    }
  }
  list.assign(moments.begin(), moments.end());
  return moments.size() > before;
}

}  // namespace rematch
