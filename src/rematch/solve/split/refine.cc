// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/refine.h"

#include <algorithm>

#include "rematch/solve/split/reruns.h"
#include "rematch/solve/split/stage_fit.h"

namespace rematch {
namespace {

constexpr double kRowTolerance = 1e-7;
constexpr std::size_t kMostNewMoments = 3;
constexpr std::size_t kMostOpsEverywhere = 40;

template <class Row>
bool add_new(std::optional<Row> row, std::vector<Row>& known) {
  if (!row || std::ranges::find(known, *row) != known.end()) return false;
  known.push_back(*std::move(row));
  return true;
}

// A point that pays for repeats in a stage obeys its cut and shows it again.
bool add_stage_cuts(const Problem& problem, const SplitRound& round,
                    std::span<const double> columns, Cost most) {
  bool added = false;
  SplitDetail& detail = round.detail();
  for (std::int32_t stage : detail.points.detailed) {
    auto cut = stage_cut(problem, round.program(), columns, stage, most);
    added = add_new(std::move(cut), detail.stage_cuts) || added;
  }
  return added;
}

bool add_memory_rows(const Graph& graph, const SplitRound& round,
                     std::span<const double> columns) {
  bool added = false;
  for (OpId op : graph.ops()) {
    if (round.program().memory(op.value).at(columns) <= kRowTolerance) continue;
    added = round.detail().memory_rows.insert(op.value).second || added;
  }
  return added;
}

// Where sizes are so large that a solver does not see the last bytes.
bool add_covers(const Problem& problem, const SplitRound& round,
                std::span<const double> columns) {
  bool added = false;
  SplitDetail& detail = round.detail();
  for (std::int32_t stage : detail.memory_rows) {
    auto cover = memory_cover(problem, round.program(), columns, stage);
    added = add_new(std::move(cover), detail.covers) || added;
  }
  return added;
}

// Splits at the stages that are most over the budget; where it is only reruns
// that are, these are looked at one by one.
bool split_at_overflow(const Overflow& overflow, SplitDetail& detail) {
  SplitPoints& points = detail.points;
  std::set<std::int32_t> moments(points.moments.begin(), points.moments.end());
  const std::size_t before = moments.size();
  for (std::int32_t stage : overflow.first_runs) {
    moments.insert(stage);
    detail.memory_rows.insert(stage);
    if (moments.size() == before + kMostNewMoments) break;
  }
  bool detailed = false;
  if (overflow.first_runs.empty()) {
    for (std::int32_t stage : overflow.reruns) {
      if (stage == 0) continue;
      moments.insert(stage);
      moments.insert(stage - 1);
      detailed = points.detailed.insert(stage).second || detailed;
    }
  }
  points.moments.assign(moments.begin(), moments.end());
  return detailed || moments.size() > before;
}

}  // namespace

bool refine_at_point(const Problem& problem, const SplitRound& round,
                     std::span<const double> columns, Cost most,
                     std::set<std::int32_t>& trouble) {
  bool refined = add_stage_cuts(problem, round, columns, most);
  refined = add_memory_rows(problem.graph, round, columns) || refined;
  refined = add_covers(problem, round, columns) || refined;
  const auto reruns = reruns_at(problem.graph, round.program(), columns);
  const Plan plan = plan_with_reruns(problem.graph, reruns);
  const Overflow overflow = overflow_of(problem, plan);
  trouble.clear();
  trouble.insert(overflow.first_runs.begin(), overflow.first_runs.end());
  trouble.insert(overflow.reruns.begin(), overflow.reruns.end());
  return split_at_overflow(overflow, round.detail()) || refined;
}

bool refine_everywhere(const Graph& graph, SplitPoints& points) {
  if (graph.num_ops() > kMostOpsEverywhere) return false;
  points.moments.clear();
  for (OpId op : graph.ops()) {
    points.moments.push_back(op.value);
    if (op.value > 0) points.detailed.insert(op.value);
  }
  return true;
}

}  // namespace rematch
