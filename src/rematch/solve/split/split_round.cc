// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/split_round.h"

#include <algorithm>
#include <cmath>

#include "rematch/lp/dual_bound.h"

namespace rematch {
namespace {

constexpr int kMostRelaxations = 40;
constexpr std::size_t kMostCutsAtOnce = 500;
constexpr double kLeastViolation = 0.02;
constexpr double kRowTolerance = 1e-7;
// Path rows that raise the bound by less than this share of what is left of the
// gap, that often in a row, are not worth another relaxation.
constexpr double kLeastRise = 1e-3;
constexpr int kMostIdle = 3;
constexpr double kLeastSplitViolation = 0.1;
constexpr std::size_t kMostSplitsAtOnce = 300;

}  // namespace

SplitRound::SplitRound(const Problem& problem, const Lives& lives,
                       SplitDetail& detail, Cost most)
    : problem_(problem),
      detail_(detail),
      most_(most),
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
  for (const Path& path : detail_.paths) {
    if (const auto sum = path_sum(program_, path)) add_path_row(*sum, path);
  }
}

void SplitRound::add_path_row(const LinearSum& sum, Path path) {
  LinearModel& model = session_.model();
  const RowId row = model.add_row(model.family("path"), 1 - sum.constant,
                                  kInfinity, sum.terms);
  path_rows_.emplace_back(row, std::move(path));
}

// The others would only slow down the next program.
void SplitRound::keep_binding_paths() {
  detail_.paths.clear();
  for (const auto& [row, path] : path_rows_) {
    if (row.index() >= relaxed_.row_duals.size()) break;
    if (relaxed_.row_duals[row.index()] > kRowTolerance) {
      detail_.paths.push_back(path);
    }
  }
}

LpStatus SplitRound::relax(const std::function<LpLimits()>& limits,
                           const OnBound& on_bound, bool is_thorough) {
  int idle = 0;
  for (int i = 0; i < kMostRelaxations; ++i) {
    relaxed_ = session_.solve_relaxation(limits());
    iterations_ += relaxed_.iterations;
    if (relaxed_.status != LpStatus::kOptimal) return relaxed_.status;
    const Cost last = value_;
    value_ = dual_bound(session_.model(), relaxed_.row_duals) *
             program_.cost_scale();
    if (std::isfinite(value_) && !on_bound(value_)) {
      return LpStatus::kInterrupted;
    }
    idle = value_ - last < kLeastRise * room() ? idle + 1 : 0;
    if (i + 1 == kMostRelaxations) break;
    const bool goes_on = is_thorough || idle < kMostIdle;
    if (!(goes_on ? add_broken_rows() : add_broken_limits())) break;
  }
  keep_binding_paths();
  return LpStatus::kOptimal;
}

// Between the bound and what is not of interest any more.
Cost SplitRound::room() const {
  return std::isfinite(most_) ? most_ - value_ : value_;
}

bool SplitRound::add_broken_rows() {
  const bool limits = add_broken_limits();
  const bool paths = add_broken_path_rows();
  return limits || paths;
}

bool SplitRound::add_broken_limits() {
  const bool memory = add_broken_memory_rows();
  const bool reruns = add_broken_rerun_rows();
  return memory || reruns;
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
  const bool added = !cuts.empty();
  for (PathCut& cut : cuts) add_path_row(cut.sum, std::move(cut.path));
  return added;
}

bool SplitRound::add_broken_covers(std::span<const double> columns) {
  bool added = false;
  for (std::int32_t stage : memory_rows_) {
    if (program_.memory(stage).at(columns) < -kRowTolerance) continue;
    const auto cover =
        broken_cover(problem_, program_, columns, stage, kLeastViolation);
    if (!cover) continue;
    add_cover_row(program_, *cover, session_.model());
    added = true;
  }
  return added;
}

bool SplitRound::split_along_paths() {
  auto splits = path_splits(program_, detail_.points.moments, relaxed_.columns,
                            kLeastSplitViolation);
  std::ranges::stable_sort(splits, std::greater<>(), &PathSplit::violation);
  auto& local = detail_.points.local;
  const std::size_t before = local.size();
  for (const PathSplit& split : splits) {
    if (local.size() == before + kMostSplitsAtOnce) break;
    local.emplace(split.life, split.stage);
  }
  return local.size() > before;
}

std::size_t SplitRound::fix_by_reduced_cost(Cost most) {
  LinearModel& model = session_.model();
  const double value = dual_bound(model, relaxed_.row_duals);
  const double room = most / program_.cost_scale() - value;
  // What rounding in the reduced costs could be worth, and far more.
  const double margin = 1e-6 * (1 + std::abs(room) + std::abs(value));
  std::size_t left = 0;
  for (ColumnId column : model.columns()) {
    const double reduced = relaxed_.reduced_costs[column.index()];
    const LinearColumn old = model.column(column);
    if (!old.integer) continue;
    if (!(std::abs(reduced) > room + margin)) {
      ++left;
      continue;
    }
    const double at = reduced > 0 ? old.lower : old.upper;
    model.set_bounds(column, at, at);
  }
  return left;
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
