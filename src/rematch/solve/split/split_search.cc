// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/split_search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <tuple>

#include "rematch/solve/anneal/anneal.h"
#include "rematch/solve/decimal_costs.h"
#include "rematch/solve/gap/gap_bound.h"
#include "rematch/solve/program/exact_tree.h"
#include "rematch/solve/program/incumbent.h"
#include "rematch/solve/split/refine.h"
#include "rematch/solve/split/reruns.h"
#include "rematch/solve/split/stage_fit.h"

namespace rematch {
namespace {

// Larger programs are not begun.
constexpr std::size_t kMostPoints = 400'000;
// What a search over integers may be wrong by, as a share of its value and of
// the largest cost in it. Less than kSolverMargin: docs/decisions/0012 says
// why.
constexpr double kMargin = kSolverMargin / 10;
constexpr std::size_t kFirstProofNodes = 200;
constexpr std::size_t kMostProofNodes = 20'000;
// Where the margin hides the last digits.
constexpr double kLeastMagnification = 16;
constexpr double kMostMagnification = 1024;
// A search near the last point.
constexpr int kMostNearRounds = 30;
constexpr std::size_t kMostTrouble = 5;  // Stages.
constexpr double kNearSeconds = 2;
constexpr std::int64_t kNearNodes = 30;
constexpr double kNearShare = 0.25;  // Of all effort,
constexpr double kBestShare = 0.5;   // if the point may be the best plan.
constexpr std::int64_t kRepairMoves = 60'000;
// Where little is left of the gap, the program is as quick.
constexpr std::int64_t kFewRepairMoves = 5'000;
constexpr double kSmallGap = 1e-4;
constexpr double kSearchShare = 1.0 / 3;  // Of all time,
constexpr double kFirstSearch = 0.25;     // less so many seconds.
constexpr double kShareAhead = 1.0 / 6;   // Of all that there is.
constexpr double kStaleShare = 1.0 / 12;  // If that has helped little of late.
constexpr double kLeastPatience = 5;      // Seconds.
constexpr std::int64_t kLeastBriefWork = 20'000;
constexpr double kRiseInSearch = 0.1;  // Of the gap.

Stop stop_of(StopReason reason) {
  switch (reason) {
    case StopReason::kTimeLimit:
      return Stop::kTime;
    case StopReason::kInterrupted:
      return Stop::kInterrupt;
    default:
      return Stop::kWork;
  }
}

}  // namespace

SplitSearch::SplitSearch(const Problem& problem, const Request& request,
                         BestPlan& incumbent, SplitStart start)
    : problem_(problem),
      request_(request),
      incumbent_(incumbent),
      meter_(request.limits),
      is_by_clock_(std::isfinite(request.limits.seconds) &&
                   request.limits.work == Limits().work),
      step_(cost_step(problem.graph)),
      bound_(start.lower_bound),
      plain_bound_(start.plain_bound),
      many_columns_(start.many_columns) {
  const auto& moments = detail_.points.moments = std::move(start.moments);
  detail_.memory_rows.insert(moments.begin(), moments.end());
}

void SplitSearch::run() {
  search();
  if (bound_ < incumbent_.cost() && incumbent_.fits() && step_ > 0 &&
      is_cheapest_by_digits(problem_.graph, incumbent_.plan(), bound_)) {
    bound_ = incumbent_.cost();
  }
}

void SplitSearch::search() {
  lives_ = find_lives(problem_.graph, spare());
  too_large_ = !is_within_size(detail_.points);
  while (!is_done() && is_within_size(detail_.points)) {
    import();
    search_more();
    if (is_done()) return;
    SplitRound round(problem_, lives_, detail_, most());
    if (!relax(round)) return;
    if (round.split_at_tight_stages()) continue;
    const std::size_t left =
        incumbent_.fits() ? round.fix_by_reduced_cost(most()) : many_columns_;
    is_large_ = left >= many_columns_;
    if (is_large_ &&
        splitting_.goes_on(round, incumbent_.cost() - bound_, effort())) {
      continue;
    }
    if (is_large_ && search_ahead()) round.fix_by_reduced_cost(most());
    if (is_done()) return;
    const bool is_brief = is_large_ && !splitting_.is_split_up();
    LpSolution answer = solve_integers(round, lp_limits_now(), is_brief);
    raise_bound(proved_by(answer, round));
    if (is_done()) return;
    const double magnification = detail_.points.magnification;
    if (auto point = prove_exactly(round, answer)) answer = *std::move(point);
    if (!goes_on_after(answer.status)) return;
    const bool is_magnified = detail_.points.magnification > magnification;
    if (is_magnified && !is_cheaper(answer, round)) continue;
    const bool took_long = answer.status == LpStatus::kInterrupted;
    if (!answer.has_point && !(took_long && is_brief)) return;
    if (answer.has_point && !refine_at(round, answer) && !took_long &&
        !look_everywhere()) {
      return;
    }
    lives_ = find_lives(problem_.graph, spare());
  }
}

// Makes a plan of a point, or refines where it is none; false if there is
// nothing to refine.
bool SplitSearch::refine_at(const SplitRound& round, const LpSolution& answer) {
  repair(round, answer.columns);
  remember(round, answer);
  const bool refined = refine(round, answer.columns);
  if (refined) look_near(detail_);
  return refined;
}

void SplitSearch::remember(const SplitRound& round, const LpSolution& answer) {
  point_.live = lives_at(round.program(), answer.columns);
  point_.cost = problem_.graph.base_cost() +
                answer.objective * round.program().cost_scale();
}

bool SplitSearch::is_good_enough() const {
  return incumbent_.cost() <= bound_ || worth_finding() <= bound_ ||
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
  return step_ > 0 ? incumbent_.cost() - step_ / 2
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
                  },
                  !is_large_);
  meter_.stop(round.iterations() - before);
  if (status == LpStatus::kInfeasible) {
    // There is no plan, or none that is cheaper.
    infeasible_ = !incumbent_.fits();
    if (!infeasible_) raise_to_incumbent();
  }
  return goes_on_after(status) && status == LpStatus::kOptimal;
}

// Looks for a point that is cheaper than the incumbent; offers what it finds.
LpSolution SplitSearch::solve_integers(SplitRound& round, LpLimits limits,
                                       bool is_brief) {
  const Cost base = problem_.graph.base_cost();
  limits.effort_on_points = 0;
  limits.looks_at_root = is_large_;
  if (incumbent_.fits()) limits.cutoff = cutoff(round);
  limits.target = (bound_ - base) / round.program().cost_scale();
  std::atomic<bool> stop = false;
  limits.interrupt = &stop;
  // As long as everything before.
  const double begin = seconds();
  double stop_at =
      is_brief && is_by_clock_ ? std::max(kLeastPatience, begin) : kInfinity;
  if (is_brief && !is_by_clock_) {
    limits.iterations =
        std::min(limits.iterations, std::max(kLeastBriefWork, meter_.work()));
  }
  double rise_at =
      limits.target + kRiseInSearch * (limits.cutoff - limits.target);
  LpHooks hooks;
  hooks.progress = [&](const LpProgress& progress) {
    if (!progress.point.empty()) {
      // A point that is no plan shows where to refine; the proof can wait.
      const bool is_plan = offer(round, progress.point);
      if (!is_plan && is_by_clock_) {
        stop_at = std::min(stop_at,
                           std::max(kLeastPatience, 2 * (seconds() - begin)));
      }
    }
    // One whose bound rises is worth waiting for.
    if (progress.bound >= rise_at) {
      stop_at = std::max(stop_at, 2 * (seconds() - begin));
      rise_at =
          progress.bound + kRiseInSearch * (limits.cutoff - progress.bound);
    }
    import();
    if (seconds() - begin > stop_at || is_done()) stop = true;
  };
  LpSolution answer = round.session().solve_integers(limits, hooks);
  meter_.stop(answer.iterations + 100 * answer.nodes);
  if (answer.has_point) offer(round, answer.columns);
  if (is_brief && answer.status == LpStatus::kIterationLimit) {
    answer.status = LpStatus::kInterrupted;
  }
  return answer;
}

double SplitSearch::cutoff(const SplitRound& round) const {
  const Cost base = problem_.graph.base_cost();
  const double scale = round.program().cost_scale();
  // Closer than what is worth finding, to leave some room for the margin.
  return std::min((incumbent_.cost() - step_ / 4 - base) / scale,
                  (incumbent_.cost() - base) / scale * (1 - 1e-9));
}

// What a search over integers says that it proved; nothing: 0.
Cost SplitSearch::claimed_by(const LpSolution& answer,
                             const SplitRound& round) const {
  const bool found_nothing = answer.status == LpStatus::kCutoff ||
                             answer.status == LpStatus::kInfeasible;
  const double bound = found_nothing ? cutoff(round) : answer.bound;
  if (!std::isfinite(bound) || bound <= 0) return 0;
  return problem_.graph.base_cost() + bound * round.program().cost_scale();
}

// The same, less what its tolerances could be worth.
Cost SplitSearch::proved_by(const LpSolution& answer, const SplitRound& round) {
  if (answer.status == LpStatus::kInfeasible && !incumbent_.fits()) {
    infeasible_ = true;
    return 0;
  }
  const Cost claimed = claimed_by(answer, round);
  return claimed - margin(claimed - problem_.graph.base_cost(), round);
}

// What the solver's tolerances could be worth where reruns cost so much.
Cost SplitSearch::margin(Cost value, const SplitRound& round) {
  const SplitProgram& program = round.program();
  return kMargin * (value + program.largest_cost()) / program.magnification();
}

// Than any plan that is known.
bool SplitSearch::is_cheaper(const LpSolution& answer,
                             const SplitRound& round) const {
  return answer.status == LpStatus::kOptimal && answer.has_point &&
         problem_.graph.base_cost() +
                 answer.objective * round.program().cost_scale() <
             worth_finding();
}

// Where the search over integers found nothing better but its tolerances hide
// the last digits, a tree of relaxations may show them: a proof, or a point
// that is cheaper than the incumbent.
std::optional<LpSolution> SplitSearch::prove_exactly(SplitRound& round,
                                                     const LpSolution& answer) {
  if (!incumbent_.fits()) return std::nullopt;
  const double scale = round.program().cost_scale();
  const Cost base = problem_.graph.base_cost();
  const Cost close = incumbent_.cost() - 3 * margin(most(), round);
  const bool is_close =
      bound_ >= close || (answer.status == LpStatus::kOptimal &&
                          base + answer.objective * scale >= close);
  if (!is_close || worth_finding() >= incumbent_.cost()) return std::nullopt;
  Limits left = request_.limits;
  left.seconds = std::max(0.0, left.seconds - seconds());
  left.work -= std::min(left.work, meter_.work());
  SolveClock clock(left);
  std::optional<LpSolution> cheaper;
  const ExactTreeHooks hooks{
      .target = most() / scale,
      .is_enough =
          [&](double bound) {
            return least_cost_from(problem_.graph,
                                   std::nextafter(base + bound * scale, 0.0)) >=
                   worth_finding();
          },
      .cut_off =
          [&](std::span<const double> point) {
            if (offer(round, point)) return false;
            cheaper.emplace();
            cheaper->status = LpStatus::kOptimal;
            cheaper->has_point = true;
            cheaper->columns.assign(point.begin(), point.end());
            cheaper->objective = objective_at(round.session().model(), point);
            return false;
          },
      .tighten =
          [&](std::span<const double> point) {
            return round.add_broken_covers(point);
          }};
  // Before a long search the solver is asked once more.
  double& magnification = detail_.points.magnification;
  const bool is_first = magnification == 1;
  if (is_first) magnification = magnification_for(margin(most(), round));
  const auto tree =
      prove_by_branching(round.session(), clock, hooks,
                         is_first ? kFirstProofNodes : kMostProofNodes);
  meter_.stop(clock.work());
  if (tree.is_proved) raise_to_incumbent();
  if (tree.stop && !is_done()) stop_ = stop_of(*tree.stop);
  return cheaper;
}

// With which such a margin is less than a quarter of a step.
double SplitSearch::magnification_for(Cost margin) const {
  double result = kLeastMagnification;
  while (result < kMostMagnification && 4 * margin > result * step_) {
    result *= 2;
  }
  return result;
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
  const bool fits_in_stages = overflow_of(problem_, plan).reruns.empty();
  if (!fits_in_stages) plan = with_fitting_stages(problem_, lives_, plan);
  bool better = incumbent_.offer(std::move(plan), "milp");
  if (!better && !fits_in_stages) {
    auto together =
        with_reruns_together(problem_, lives_, reruns, incumbent_.cost());
    better = together && incumbent_.offer(*std::move(together), "milp");
  }
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
  const bool is_close = incumbent_.cost() <= bound_ * (1 + kSmallGap);
  Request request = request_;
  request.start = &plan;
  request.on_progress = nullptr;
  request.limits.threads = 1;
  request.limits.seconds = std::max(0.0, request_.limits.seconds - seconds());
  request.limits.work = std::min(is_close ? kFewRepairMoves : kRepairMoves,
                                 request_.limits.work - meter_.work());
  if (request.limits.work <= 0) return;
  AnnealResult found = anneal(problem_, request);
  meter_.stop(found.moves);
  if (found.plan && incumbent_.offer(*std::move(found.plan), "anneal"))
    report();
}

// Where the proof takes long, a better plan may take its share of the time.
void SplitSearch::search_more() {
  search_while([&] {
    const double share = is_search_stale() ? kStaleShare : kSearchShare;
    return search_seconds_ + kFirstSearch < share * seconds();
  });
}

// Nobody searches during a search over integers, and the better the incumbent,
// the shorter that is. True if it got better.
bool SplitSearch::search_ahead() {
  const Cost before = incumbent_.cost();
  search_while([&] {
    return !is_search_stale() &&
           search_seconds_ < kShareAhead * request_.limits.seconds;
  });
  return incumbent_.cost() < before;
}

bool SplitSearch::is_search_stale() const {
  return plans_ && plans_->is_stale();
}

void SplitSearch::search_while(const std::function<bool()>& is_time) {
  if (request_.other_plan) return;  // Somebody else searches.
  if (!is_by_clock_ || !incumbent_.has_plan()) return;
  while (!is_done() && is_time() && !(plans_ && plans_->is_over())) {
    const double begin = seconds();
    if (!plans_) {
      Limits limits = request_.limits;
      limits.seconds = std::max(0.0, limits.seconds - begin);
      plans_.emplace(problem_, limits, incumbent_);
    }
    if (plans_->advance(incumbent_)) report();
    search_seconds_ += seconds() - begin;
  }
}

// Refines further around the last point, as a copy: many small steps that the
// proof does not need may lead to a plan. If that takes more than its share, it
// is continued the next time.
void SplitSearch::look_near(SplitDetail detail) {
  const double begin = effort();
  if (near_) {
    std::tie(detail, point_) = *std::move(near_);
    near_.reset();
  }
  const auto stages = static_cast<std::int32_t>(problem_.graph.num_ops());
  for (int i = 0; i < kMostNearRounds && !is_done(); ++i) {
    // A point that is wrong in many places is not near to any plan.
    if (point_.trouble.size() > kMostTrouble) break;
    const double near = near_effort_ + effort() - begin;
    // A plan as good as a point that costs what is proved would be the best.
    const bool is_best = point_.cost <= bound_ * (1 + 1e-9);
    if (near > (is_best ? kBestShare : kNearShare) * effort()) {
      near_.emplace(std::move(detail), point_);
      break;
    }
    if (!is_within_size(detail.points)) break;
    SplitRound round(problem_, lives_, detail, most());
    if (!relax(round)) break;
    const LpSolution answer = solve_near(round);
    if (!answer.has_point || is_done()) break;
    remember(round, answer);
    if (!refine(round, answer.columns)) break;
    share_cuts(detail);
    look_closely_at_trouble(point_, stages, detail.points);
  }
  near_effort_ += effort() - begin;
}

// What is true of a stage is so in any program that looks at it closely.
void SplitSearch::share_cuts(const SplitDetail& detail) {
  auto& known = detail_.stage_cuts;
  for (const StageCut& cut : detail.stage_cuts) {
    if (detail_.points.detailed.contains(cut.stage) &&
        std::ranges::find(known, cut) == known.end()) {
      known.push_back(cut);
    }
  }
}

// Searches where the last point was, but for the stages around those at which
// it did not hold.
LpSolution SplitSearch::solve_near(SplitRound& round) {
  fix_far_lives(round.program(), point_, round.session().model());
  LpLimits limits = lp_limits_now();
  if (is_by_clock_) {
    limits.seconds = std::min(limits.seconds, kNearSeconds);
  } else {
    limits.nodes = std::min(limits.nodes, kNearNodes);
  }
  return solve_integers(round, limits, false);
}

bool SplitSearch::refine(const SplitRound& round,
                         std::span<const double> columns) {
  return refine_at_point(problem_, round, columns, most(), point_.trouble);
}

// False if it did so before, or cannot.
bool SplitSearch::look_everywhere() {
  if (is_everywhere_) return false;
  is_everywhere_ = refine_everywhere(problem_.graph, detail_.points);
  return is_everywhere_;
}

}  // namespace rematch
