// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/split_search.h"

#include <algorithm>
#include <cmath>

#include "rematch/lp/dual_bound.h"
#include "rematch/lp/proof_tree.h"
#include "rematch/solve/gap/gap_bound.h"
#include "rematch/solve/gap/realise.h"
#include "rematch/solve/split/reruns.h"
#include "rematch/solve/split/stage_fit.h"

namespace rematch {
namespace {

// Larger programs are not begun.
constexpr std::size_t kMostPoints = 400'000;
constexpr int kMostLpRounds = 40;
constexpr std::size_t kMostCutsPerRound = 500;
constexpr double kLeastViolation = 0.02;
constexpr double kRowTolerance = 1e-7;
constexpr std::size_t kMostNewMoments = 3;
// What a search over integers may be wrong by, as a share of its value: the
// solver's tolerances are far below.
constexpr double kTrust = 1e-6;
constexpr std::size_t kMostOpsEverywhere = 40;
constexpr std::int64_t kMostProofNodes = 20'000;

}  // namespace

SplitSearch::SplitSearch(const Problem& problem, const Request& request,
                         Incumbent& incumbent, SplitStart start)
    : problem_(problem),
      request_(request),
      incumbent_(incumbent),
      meter_(request.limits),
      bound_(start.lower_bound),
      plain_bound_(start.plain_bound) {
  points_.moments = std::move(start.moments);
  memory_rows_.insert(points_.moments.begin(), points_.moments.end());
}

void SplitSearch::run() {
  lives_ = find_lives(problem_.graph, incumbent_.cost() - plain_bound_);
  points_.local = IdVector<LifeId, std::set<std::int32_t>>(lives_.all.size());
  too_large_ = !is_within_size();
  // The first programs are coarse: a good answer shows where, a perfect one no
  // better.
  patience_ = 0.25;
  while (!is_done() && is_within_size()) {
    Round round(problem_, lives_, points_);
    add_known_rows(round);
    if (!relax(round) || is_done()) return;
    if (split_at_tight_stages(round)) continue;
    fix_by_reduced_cost(round);
    const LpSolution answer = solve_integers(round);
    if (answer.has_point) offer(round, answer.columns);
    if (is_done()) return;
    prove_exactly(round, answer);
    if (is_done() || !answer.has_point) return;
    if (!refine(round, answer.columns)) {
      const bool solved = answer.status == LpStatus::kOptimal ||
                          answer.status == LpStatus::kTarget;
      if (patience_ == 0 && solved && !refine_everywhere()) return;
      patience_ = patience_ > 0.1 ? patience_ / 4 : 0;
    }
    lives_ = find_lives(problem_.graph, incumbent_.cost() - plain_bound_);
  }
}

bool SplitSearch::is_good_enough() const {
  return incumbent_.cost() <= bound_ ||
         incumbent_.cost() <= bound_ * (1 + request_.limits.gap);
}

// Halfway between the incumbent's cost and the next one below it: a plan that
// costs more than this is not cheaper.
Cost SplitSearch::worth_finding() const {
  return incumbent_.cost() - common_cost_unit(problem_.graph) / 2;
}

bool SplitSearch::is_done() {
  return infeasible_ || is_good_enough() || meter_.stop();
}

double SplitSearch::seconds() const {
  const std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - begin_;
  return spent.count();
}

LpLimits SplitSearch::lp_limits_now() const {
  LpLimits limits = lp_limits(request_.limits);
  limits.relative_gap = 0;
  limits.threads = 1;
  limits.seconds = std::max(0.0, request_.limits.seconds - seconds());
  const std::int64_t left = request_.limits.work - meter_.work();
  limits.iterations = std::max<std::int64_t>(0, left);
  limits.nodes = std::max<std::int64_t>(0, left / 100);
  return limits;
}

void SplitSearch::report() {
  if (!request_.on_progress) return;
  request_.on_progress({incumbent_.cost(), bound_});
}

void SplitSearch::raise_bound(Cost bound) {
  bound = std::min(least_cost_from(problem_.graph, bound), incumbent_.cost());
  if (bound <= bound_) return;
  bound_ = bound;
  report();
}

bool SplitSearch::is_within_size() const {
  std::size_t points = 0;
  for (const Life& life : lives_.all) {
    const auto first = std::upper_bound(points_.moments.begin(),
                                        points_.moments.end(), life.birth());
    const auto last =
        std::upper_bound(first, points_.moments.end(), life.horizon);
    points += life.touches.size() + static_cast<std::size_t>(last - first);
  }
  return points <= kMostPoints;
}

void SplitSearch::add_known_rows(Round& round) const {
  LinearModel& model = round.session.model();
  for (std::int32_t stage : memory_rows_) {
    round.program.memory(stage).add_row("memory", model);
  }
  round.memory_rows = memory_rows_;
  for (const auto& [stage, op] : rerun_rows_) {
    const auto use = round.program.rerun_memory(op, stage);
    if (!use) continue;
    use->add_row("rerun", model);
    round.rerun_rows.emplace(stage, op);
  }
  for (const StageCut& cut : stage_cuts_) {
    add_stage_row(problem_.graph, round.program, cut, round.extra, model);
  }
}

// Solves the relaxation, adding rows that its solution breaks; false if it has
// none or there is no time left.
bool SplitSearch::relax(Round& round) {
  for (int i = 0; i < kMostLpRounds; ++i) {
    round.relaxed = round.session.solve_relaxation(lp_limits_now());
    if (meter_.stop(round.relaxed.iterations)) return false;
    infeasible_ =
        !incumbent_.fits() && round.relaxed.status == LpStatus::kInfeasible;
    if (round.relaxed.status != LpStatus::kOptimal) return false;
    const Cost value =
        dual_bound(round.session.model(), round.relaxed.row_duals) *
        round.program.cost_scale();
    if (std::isfinite(value)) {
      raise_bound(std::nextafter(problem_.graph.base_cost() + value, 0.0));
    }
    if (is_good_enough()) return false;
    if (!add_broken_rows(round, round.relaxed.columns)) return true;
  }
  return true;
}

bool SplitSearch::add_broken_rows(Round& round,
                                  const std::vector<double>& columns) {
  const SplitProgram& program = round.program;
  LinearModel& model = round.session.model();
  bool added = false;
  const auto stages = static_cast<std::int32_t>(problem_.graph.num_ops());
  for (std::int32_t t = 0; t < stages; ++t) {
    if (round.memory_rows.contains(t)) continue;
    const MemoryUse use = program.memory(t);
    if (use.at(columns) <= kRowTolerance) continue;
    use.add_row("memory", model);
    round.memory_rows.insert(t);
    added = true;
  }
  memory_rows_.insert(round.memory_rows.begin(), round.memory_rows.end());
  for (std::int32_t t : points_.detailed) {
    for (OpId op : IdRange<OpId>(OpId(0), OpId(t))) {
      if (round.rerun_rows.contains({t, op})) continue;
      const auto use = program.rerun_memory(op, t);
      if (!use || use->at(columns) <= kRowTolerance) continue;
      use->add_row("rerun", model);
      round.rerun_rows.emplace(t, op);
      added = true;
    }
  }
  rerun_rows_.insert(round.rerun_rows.begin(), round.rerun_rows.end());
  auto cuts = path_cuts(program, points_.moments, columns, kLeastViolation);
  std::stable_sort(cuts.begin(), cuts.end(),
                   [](const PathCut& a, const PathCut& b) {
                     return a.violation > b.violation;
                   });
  if (cuts.size() > kMostCutsPerRound) cuts.resize(kMostCutsPerRound);
  for (const PathCut& cut : cuts) {
    model.add_row(model.family("path"), 1 - cut.sum.constant, kInfinity,
                  cut.sum.terms);
    added = true;
  }
  return added;
}

// A column that would cost more than the incumbent if it left its bound stays
// there.
void SplitSearch::fix_by_reduced_cost(Round& round) const {
  if (!incumbent_.fits()) return;
  LinearModel& model = round.session.model();
  const double value = dual_bound(model, round.relaxed.row_duals);
  const double room = (incumbent_.cost() - problem_.graph.base_cost()) /
                          round.program.cost_scale() -
                      value;
  const double margin = kTrust * (1 + std::abs(room) + std::abs(value));
  for (ColumnId column : model.columns()) {
    const double reduced = round.relaxed.reduced_costs[column.index()];
    const LinearColumn old = model.column(column);
    if (!old.integer || std::abs(reduced) <= room + margin) continue;
    if (reduced > 0) {
      model.set_bounds(column, old.lower, old.lower);
    } else {
      model.set_bounds(column, old.upper, old.upper);
    }
  }
}

// Stages that are full in the relaxation become points of every life.
bool SplitSearch::split_at_tight_stages(const Round& round) {
  std::set<std::int32_t> moments(points_.moments.begin(),
                                 points_.moments.end());
  const std::size_t before = moments.size();
  for (std::int32_t t : round.memory_rows) {
    if (round.program.memory(t).at(round.relaxed.columns) > -kRowTolerance) {
      moments.insert(t);
    }
  }
  if (moments.size() == before) return false;
  points_.moments.assign(moments.begin(), moments.end());
  return true;
}

LpSolution SplitSearch::solve_integers(Round& round) {
  const double scale = round.program.cost_scale();
  const Cost base = problem_.graph.base_cost();
  LpLimits limits = lp_limits_now();
  limits.effort_on_points = 0;
  if (incumbent_.fits()) {
    limits.cutoff = std::min((worth_finding() - base) / scale,
                             (incumbent_.cost() - base) / scale * (1 - 1e-9));
    limits.absolute_gap =
        patience_ * std::max(0.0, incumbent_.cost() - bound_) / scale;
  }
  limits.target = (bound_ - base) / scale;
  LpHooks hooks;
  hooks.progress = [&](const LpProgress& progress) {
    if (!progress.point.empty()) offer(round, progress.point);
    if (std::isfinite(progress.bound)) {
      raise_bound(base + progress.bound * scale * (1 - kTrust));
    }
  };
  LpSolution answer = round.session.solve_integers(limits, hooks);
  infeasible_ = !incumbent_.fits() && answer.status == LpStatus::kInfeasible;
  meter_.stop(answer.iterations + 100 * answer.nodes);
  raise_bound(proved_by(answer, limits.cutoff, round));
  return answer;
}

// Where the search over integers found nothing better but its tolerances hide
// the last digits, a tree of relaxations may show them.
void SplitSearch::prove_exactly(Round& round, const LpSolution& answer) {
  const double scale = round.program.cost_scale();
  const Cost base = problem_.graph.base_cost();
  const Cost close =
      incumbent_.cost() - 3 * kTrust * (incumbent_.cost() - base);
  const bool is_close =
      bound_ >= close || (answer.status == LpStatus::kOptimal &&
                          base + answer.objective * scale >= close);
  if (!is_close) return;
  if (least_cost_from(problem_.graph, close) >= incumbent_.cost()) return;
  if (worth_finding() >= incumbent_.cost()) return;
  LpLimits limits = lp_limits_now();
  limits.nodes = std::min<std::int64_t>(limits.nodes, kMostProofNodes);
  const double proved =
      proved_minimum(round.session, (worth_finding() - base) / scale, limits);
  if (proved > 0 && proved < kInfinity) {
    raise_bound(std::nextafter(base + proved * scale, 0.0));
  } else if (proved == kInfinity) {
    raise_bound(incumbent_.cost());
  }
}

// What a search over integers proved, less what its tolerances could be worth.
Cost SplitSearch::proved_by(const LpSolution& answer, double cutoff,
                            const Round& round) const {
  double bound = answer.bound;
  if (answer.status == LpStatus::kCutoff ||
      answer.status == LpStatus::kInfeasible) {
    bound = cutoff;
  }
  if (!std::isfinite(bound) || bound <= 0) return 0;
  return problem_.graph.base_cost() +
         bound * round.program.cost_scale() * (1 - kTrust);
}

void SplitSearch::offer(const Round& round, std::span<const double> columns) {
  const auto reruns = reruns_at(problem_.graph, round.program, columns);
  Plan plan = plan_with_reruns(problem_.graph, reruns);
  const Overflow overflow = overflow_of(problem_, plan);
  if (!overflow.reruns.empty()) {
    plan = with_fitting_stages(problem_, lives_, plan);
  }
  bool better = incumbent_.offer(std::move(plan));
  if (is_everywhere_) {
    auto exact = plan_by_stages(problem_, round.program, columns);
    better = (exact && incumbent_.offer(*std::move(exact))) || better;
  }
  if (better) report();
}

// Looks at every stage, where the graph is small enough; false if it did.
bool SplitSearch::refine_everywhere() {
  if (is_everywhere_ || problem_.graph.num_ops() > kMostOpsEverywhere) {
    return false;
  }
  is_everywhere_ = true;
  points_.moments.clear();
  for (OpId op : problem_.graph.ops()) {
    points_.moments.push_back(op.value);
    if (op.value > 0) points_.detailed.insert(op.value);
  }
  return true;
}

bool SplitSearch::refine(Round& round, std::span<const double> columns) {
  bool refined = false;
  for (std::int32_t stage : points_.detailed) {
    auto cut = stage_cut(problem_, round.program, columns, stage,
                         incumbent_.cost() - problem_.graph.base_cost());
    if (!cut) continue;
    stage_cuts_.push_back(*std::move(cut));
    refined = true;
  }
  const auto stages = static_cast<std::int32_t>(problem_.graph.num_ops());
  for (std::int32_t t = 0; t < stages; ++t) {
    if (round.program.memory(t).at(columns) <= kRowTolerance) continue;
    refined = memory_rows_.insert(t).second || refined;
  }
  const auto reruns = reruns_at(problem_.graph, round.program, columns);
  return refine_at_overflow(plan_with_reruns(problem_.graph, reruns)) ||
         refined;
}

// Splits at the stages that are most over the budget; where it is only reruns
// that are, these are looked at one by one.
bool SplitSearch::refine_at_overflow(const Plan& plan) {
  const Overflow overflow = overflow_of(problem_, plan);
  std::set<std::int32_t> moments(points_.moments.begin(),
                                 points_.moments.end());
  const std::size_t before = moments.size();
  for (std::int32_t stage : overflow.first_runs) {
    moments.insert(stage);
    memory_rows_.insert(stage);
    if (moments.size() == before + kMostNewMoments) break;
  }
  bool detailed = false;
  if (overflow.first_runs.empty()) {
    for (std::int32_t stage : overflow.reruns) {
      if (stage == 0) continue;
      moments.insert(stage);
      moments.insert(stage - 1);
      detailed = points_.detailed.insert(stage).second || detailed;
    }
  }
  const bool refined = detailed || moments.size() > before;
  points_.moments.assign(moments.begin(), moments.end());
  return refined;
}

}  // namespace rematch
