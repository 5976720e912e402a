// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/split_search.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "rematch/solve/anneal/anneal.h"
#include "rematch/solve/gap/gap_bound.h"
#include "rematch/solve/program/exact_tree.h"
#include "rematch/solve/split/reruns.h"
#include "rematch/solve/split/stage_fit.h"

namespace rematch {
namespace {

// Larger programs are not begun.
constexpr std::size_t kMostPoints = 400'000;
constexpr double kRowTolerance = 1e-7;
constexpr std::size_t kMostNewMoments = 3;
// What a search over integers may be wrong by, as a share of its value and of
// the largest cost in it: the solver's tolerances are far below.
constexpr double kTrust = 1e-6;
constexpr std::size_t kMostProofNodes = 20'000;
// A search near the last point.
constexpr int kMostNearRounds = 30;
constexpr std::size_t kMostTrouble = 5;  // Stages.
constexpr double kNearSeconds = 2;
constexpr std::int64_t kNearNodes = 30;
constexpr double kNearShare = 0.4;  // Of all effort.
constexpr std::int32_t kNearStages = 6;
constexpr std::int32_t kCloseStages = 1;
constexpr std::int64_t kRepairMoves = 60'000;
constexpr double kSearchShare = 0.25;  // Of all time.
constexpr std::int64_t kSearchMoves = 300'000;
constexpr double kLeastPatience = 5;  // Seconds.
constexpr std::size_t kMostOpsEverywhere = 40;

}  // namespace

SplitSearch::SplitSearch(const Problem& problem, const Request& request,
                         BestPlan& incumbent, SplitStart start)
    : problem_(problem),
      request_(request),
      incumbent_(incumbent),
      meter_(request.limits),
      is_by_clock_(std::isfinite(request.limits.seconds) &&
                   request.limits.work == Limits().work),
      bound_(start.lower_bound),
      plain_bound_(start.plain_bound) {
  const auto& moments = detail_.points.moments = std::move(start.moments);
  detail_.memory_rows.insert(moments.begin(), moments.end());
}

void SplitSearch::run() {
  lives_ = find_lives(problem_.graph, spare());
  too_large_ = !is_within_size(detail_.points);
  while (!is_done() && is_within_size(detail_.points)) {
    import();
    search_more();
    if (is_done()) return;
    SplitRound round(problem_, lives_, detail_, most());
    if (!relax(round)) return;
    if (round.split_at_tight_stages()) continue;
    if (incumbent_.fits()) {
      round.fix_by_reduced_cost(most());
    }
    const LpSolution answer = solve_integers(round, lp_limits_now());
    raise_bound(proved_by(answer, round));
    if (is_done()) return;
    prove_exactly(round, answer);
    if (!goes_on_after(answer.status) || !answer.has_point) return;
    repair(round, answer.columns);
    remember(round, answer.columns);
    const bool refined = refine(round, answer.columns);
    const Cost cost = problem_.graph.base_cost() +
                      answer.objective * round.program().cost_scale();
    if (refined) look_near(detail_, cost <= bound_ * (1 + 1e-9));
    if (!refined && !refine_everywhere()) return;
    lives_ = find_lives(problem_.graph, spare());
  }
}

bool SplitSearch::is_good_enough() const {
  return incumbent_.cost() <= bound_ ||
         incumbent_.cost() <= bound_ * (1 + request_.limits.gap) ||
         request_.is_decided(incumbent_.cost(), bound_);
}

bool SplitSearch::is_done() {
  if (infeasible_ || is_good_enough() || stop_) return true;
  if (meter_.stop()) stop_ = meter_.reason();
  if (seconds() >= request_.limits.seconds) stop_ = Stop::kTime;
  const auto* interrupt = request_.limits.interrupt;
  if (interrupt != nullptr && interrupt->load()) stop_ = Stop::kInterrupt;
  return stop_.has_value();
}

bool SplitSearch::goes_on_after(LpStatus status) {
  if (is_done()) return false;
  if (status == LpStatus::kTimeLimit) stop_ = Stop::kTime;
  if (status == LpStatus::kIterationLimit || status == LpStatus::kNodeLimit) {
    stop_ = Stop::kWork;
  }
  return !stop_;
}

// Halfway between the incumbent's cost and the next one below it, or just below
// it: a plan that costs more than this is not cheaper.
Cost SplitSearch::worth_finding() const {
  const Cost unit = common_cost_unit(problem_.graph);
  return unit > 0 ? incumbent_.cost() - unit / 2
                  : incumbent_.cost() * (1 - 1e-12);
}

// What plans that are cheaper than the incumbent spend on reruns at most.
Cost SplitSearch::most() const {
  return incumbent_.cost() - problem_.graph.base_cost();
}

// What plans that are cheaper than the incumbent may spend after last touches.
Cost SplitSearch::spare() const {
  // Costs that are not whole numbers may add up to a little more or less.
  return incumbent_.cost() - plain_bound_ + 1e-12 * incumbent_.cost();
}

// Seconds or units of work: how much was done so far.
double SplitSearch::effort() const {
  return is_by_clock_ ? seconds() : static_cast<double>(meter_.work());
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
  request_.on_progress({incumbent_.cost(), bound_,
                        incumbent_.fits() ? &incumbent_.plan() : nullptr});
}

void SplitSearch::raise_bound(Cost bound) {
  bound = std::min(least_cost_from(problem_.graph, bound), incumbent_.cost());
  if (bound <= bound_) return;
  bound_ = bound;
  report();
}

bool SplitSearch::is_within_size(const SplitPoints& split) const {
  std::size_t points = 0;
  for (const Life& life : lives_.all) {
    const auto first = std::upper_bound(split.moments.begin(),
                                        split.moments.end(), life.birth());
    const auto last =
        std::upper_bound(first, split.moments.end(), life.horizon);
    points += life.touches.size() + static_cast<std::size_t>(last - first);
  }
  return points <= kMostPoints;
}

// False if the search is over.
bool SplitSearch::relax(SplitRound& round) {
  const std::int64_t before = round.iterations();
  const LpStatus status =
      round.relax([&] { return lp_limits_now(); },
                  [&](Cost value) {
                    const Cost base = problem_.graph.base_cost();
                    raise_bound(std::nextafter(base + value, 0.0));
                    return !is_done();
                  });
  meter_.stop(round.iterations() - before);
  if (status == LpStatus::kInfeasible) {
    // There is no plan, or none that is cheaper.
    infeasible_ = !incumbent_.fits();
    if (!infeasible_) raise_to_incumbent();
  }
  return goes_on_after(status) && status == LpStatus::kOptimal;
}

// Looks for a point that is cheaper than the incumbent; offers what it finds.
LpSolution SplitSearch::solve_integers(SplitRound& round, LpLimits limits) {
  const Cost base = problem_.graph.base_cost();
  limits.effort_on_points = 0;
  if (incumbent_.fits()) limits.cutoff = cutoff(round);
  limits.target = (bound_ - base) / round.program().cost_scale();
  std::atomic<bool> stop = false;
  limits.interrupt = &stop;
  double stop_at = kInfinity;
  LpHooks hooks;
  hooks.progress = [&](const LpProgress& progress) {
    if (!progress.point.empty()) {
      // A point that is no plan shows where to refine; the proof can wait.
      const bool is_plan = offer(round, progress.point);
      stop_at = is_plan || !is_by_clock_
                    ? kInfinity
                    : std::max(kLeastPatience, 2 * progress.seconds);
    }
    import();
    if (progress.seconds > stop_at || is_done()) stop = true;
  };
  LpSolution answer = round.session().solve_integers(limits, hooks);
  meter_.stop(answer.iterations + 100 * answer.nodes);
  if (answer.has_point) offer(round, answer.columns);
  return answer;
}

double SplitSearch::cutoff(const SplitRound& round) const {
  const Cost base = problem_.graph.base_cost();
  const double scale = round.program().cost_scale();
  return std::min((worth_finding() - base) / scale,
                  (incumbent_.cost() - base) / scale * (1 - 1e-9));
}

// What a search over integers proved, less what its tolerances could be worth.
Cost SplitSearch::proved_by(const LpSolution& answer, const SplitRound& round) {
  double bound = answer.bound;
  if (answer.status == LpStatus::kInfeasible && !incumbent_.fits()) {
    infeasible_ = true;
    return 0;
  }
  if (answer.status == LpStatus::kCutoff ||
      answer.status == LpStatus::kInfeasible) {
    bound = cutoff(round);
  }
  if (!std::isfinite(bound) || bound <= 0) return 0;
  const Cost value = bound * round.program().cost_scale();
  return problem_.graph.base_cost() + value -
         kTrust * (value + round.program().largest_cost());
}

// Where the search over integers found nothing better but its tolerances hide
// the last digits, a tree of relaxations may show them.
void SplitSearch::prove_exactly(SplitRound& round, const LpSolution& answer) {
  if (!incumbent_.fits()) return;
  const double scale = round.program().cost_scale();
  const Cost base = problem_.graph.base_cost();
  const Cost close = incumbent_.cost() -
                     3 * kTrust * (most() + round.program().largest_cost());
  const bool is_close =
      bound_ >= close || (answer.status == LpStatus::kOptimal &&
                          base + answer.objective * scale >= close);
  if (!is_close || worth_finding() >= incumbent_.cost()) return;
  Limits left = request_.limits;
  left.seconds = std::max(0.0, left.seconds - seconds());
  left.work -= std::min(left.work, meter_.work());
  SolveClock clock(left);
  const ExactTreeHooks hooks{
      .target = most() / scale,
      .is_enough =
          [&](double bound) {
            return least_cost_from(problem_.graph,
                                   std::nextafter(base + bound * scale, 0.0)) >=
                   worth_finding();
          },
      .cut_off = [](std::span<const double>) { return false; }};
  if (!prove_by_branching(round.session(), clock, hooks, kMostProofNodes)) {
    return;
  }
  raise_to_incumbent();
}

// Proved: nothing is cheaper, as far as sums of costs can tell.
void SplitSearch::raise_to_incumbent() {
  raise_bound(common_cost_unit(problem_.graph) > 0 ? incumbent_.cost()
                                                   : worth_finding());
}

void SplitSearch::import() {
  if (!request_.other_plan) return;
  auto plan = request_.other_plan();
  if (plan && incumbent_.offer(*std::move(plan), "anneal")) report();
}

bool SplitSearch::offer(const SplitRound& round,
                        std::span<const double> columns) {
  const auto reruns = reruns_at(problem_.graph, round.program(), columns);
  Plan plan = plan_with_reruns(problem_.graph, reruns);
  if (!overflow_of(problem_, plan).reruns.empty()) {
    plan = with_fitting_stages(problem_, lives_, plan);
  }
  bool better = incumbent_.offer(std::move(plan), "milp");
  if (is_everywhere_) {
    auto exact = plan_by_stages(problem_, round.program(), columns);
    better = (exact && incumbent_.offer(*std::move(exact), "milp")) || better;
  }
  if (better) report();
  return better;
}

// What is almost a plan may become one.
void SplitSearch::repair(const SplitRound& round,
                         std::span<const double> columns) {
  const auto reruns = reruns_at(problem_.graph, round.program(), columns);
  const Plan plan = plan_with_reruns(problem_.graph, reruns);
  Request request = request_;
  request.start = &plan;
  request.on_progress = nullptr;
  request.limits.threads = 1;
  request.limits.seconds = std::max(0.0, request_.limits.seconds - seconds());
  request.limits.work =
      std::min(kRepairMoves, request_.limits.work - meter_.work());
  if (request.limits.work <= 0) return;
  AnnealResult found = anneal(problem_, request);
  meter_.stop(found.moves);
  if (found.plan && incumbent_.offer(*std::move(found.plan), "anneal"))
    report();
}

// Where the proof takes long, a better plan may take its share of the time.
void SplitSearch::search_more() {
  while (is_by_clock_ && !is_done() && incumbent_.has_plan() &&
         search_seconds_ < kSearchShare * seconds()) {
    const double begin = seconds();
    const Plan start = incumbent_.plan();
    Request request = request_;
    request.start = &start;
    request.on_progress = nullptr;
    request.limits.threads = 1;
    request.limits.seed += ++searches_;
    request.limits.seconds = std::max(0.0, request_.limits.seconds - begin);
    request.limits.work = kSearchMoves;
    AnnealResult found = anneal(problem_, request);
    if (found.plan && incumbent_.offer(*std::move(found.plan), "anneal"))
      report();
    search_seconds_ += seconds() - begin;
  }
}

void SplitSearch::remember(const SplitRound& round,
                           std::span<const double> columns) {
  last_live_.clear();
  for (LifeId id : lives_.all.ids()) {
    const auto points = round.program().points(id);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Binary live = round.program().live(id, i);
      if (live.is_constant()) continue;
      last_live_[{id, points[i]}] = live.at(columns) > 0.5;
    }
  }
}

// Refines further around the last point, as a copy: many small steps that the
// proof does not need may lead to a plan.
void SplitSearch::look_near(SplitDetail detail, bool may_be_best) {
  const double begin = effort();
  for (int i = 0; i < kMostNearRounds && !is_done(); ++i) {
    // A point that is wrong in many places is not near to any plan.
    if (trouble_.size() > kMostTrouble) break;
    const double near = near_effort_ + effort() - begin;
    if (!may_be_best && near > kNearShare * effort()) break;
    if (!is_within_size(detail.points)) break;
    SplitRound round(problem_, lives_, detail, most());
    if (!relax(round)) break;
    const LpSolution answer = solve_near(round);
    if (!answer.has_point || is_done()) break;
    remember(round, answer.columns);
    if (!refine(round, answer.columns)) break;
    look_closely_at_trouble(detail);
  }
  near_effort_ += effort() - begin;
}

// Every stage around those at which the last point does not hold.
void SplitSearch::look_closely_at_trouble(SplitDetail& detail) const {
  auto& list = detail.points.moments;
  std::set<std::int32_t> moments(list.begin(), list.end());
  const auto stages = static_cast<std::int32_t>(problem_.graph.num_ops());
  for (std::int32_t stage : trouble_) {
    for (std::int32_t t = stage - kCloseStages; t <= stage + kCloseStages;
         ++t) {
      if (t < 1 || t >= stages) continue;
      moments.insert(t);
      moments.insert(t - 1);
      detail.points.detailed.insert(t);
    }
  }
  list.assign(moments.begin(), moments.end());
}

// Searches where the last point was, but for the stages around those at which
// it did not hold.
LpSolution SplitSearch::solve_near(SplitRound& round) {
  LinearModel& model = round.session().model();
  for (LifeId id : lives_.all.ids()) {
    const auto points = round.program().points(id);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Binary live = round.program().live(id, i);
      if (live.is_constant() || is_near_trouble(points[i])) continue;
      const auto last = last_live_.find({id, points[i]});
      if (last == last_live_.end()) continue;
      const double value = last->second ? 1 : 0;
      model.set_bounds(live.column(), value, value);
    }
  }
  LpLimits limits = lp_limits_now();
  if (is_by_clock_) {
    limits.seconds = std::min(limits.seconds, kNearSeconds);
  } else {
    limits.nodes = std::min(limits.nodes, kNearNodes);
  }
  return solve_integers(round, limits);
}

bool SplitSearch::is_near_trouble(std::int32_t stage) const {
  const auto next = trouble_.lower_bound(stage - kNearStages);
  return next != trouble_.end() && *next <= stage + kNearStages;
}

bool SplitSearch::refine(const SplitRound& round,
                         std::span<const double> columns) {
  bool refined = false;
  SplitDetail& detail = round.detail();
  for (std::int32_t stage : detail.points.detailed) {
    auto cut = stage_cut(problem_, round.program(), columns, stage, most());
    auto& known = detail.stage_cuts;
    // A point that pays for repeats in a stage obeys its cut and shows it
    // again.
    if (!cut || std::find(known.begin(), known.end(), *cut) != known.end()) {
      continue;
    }
    known.push_back(*std::move(cut));
    refined = true;
  }
  const auto stages = static_cast<std::int32_t>(problem_.graph.num_ops());
  for (std::int32_t t = 0; t < stages; ++t) {
    if (round.program().memory(t).at(columns) <= kRowTolerance) continue;
    refined = detail.memory_rows.insert(t).second || refined;
  }
  refined = refine_by_bytes(round, columns) || refined;
  const auto reruns = reruns_at(problem_.graph, round.program(), columns);
  const Plan plan = plan_with_reruns(problem_.graph, reruns);
  return refine_at_overflow(plan, detail) || refined;
}

bool SplitSearch::refine_by_bytes(const SplitRound& round,
                                  std::span<const double> columns) {
  bool refined = false;
  auto& known = round.detail().covers;
  for (std::int32_t stage : round.detail().memory_rows) {
    auto cover = memory_cover(problem_, round.program(), columns, stage);
    if (!cover ||
        std::find(known.begin(), known.end(), *cover) != known.end()) {
      continue;
    }
    known.push_back(*std::move(cover));
    refined = true;
  }
  return refined;
}

// Splits at the stages that are most over the budget; where it is only reruns
// that are, these are looked at one by one.
bool SplitSearch::refine_at_overflow(const Plan& plan, SplitDetail& detail) {
  const Overflow overflow = overflow_of(problem_, plan);
  trouble_.clear();
  trouble_.insert(overflow.first_runs.begin(), overflow.first_runs.end());
  trouble_.insert(overflow.reruns.begin(), overflow.reruns.end());
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

// Looks at every stage, where the graph is small enough; false if it did.
bool SplitSearch::refine_everywhere() {
  if (is_everywhere_ || problem_.graph.num_ops() > kMostOpsEverywhere) {
    return false;
  }
  is_everywhere_ = true;
  SplitPoints& points = detail_.points;
  points.moments.clear();
  for (OpId op : problem_.graph.ops()) {
    points.moments.push_back(op.value);
    if (op.value > 0) points.detailed.insert(op.value);
  }
  return true;
}

}  // namespace rematch
