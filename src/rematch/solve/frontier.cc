// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/frontier.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <future>
#include <limits>
#include <mutex>
#include <string>

#include "rematch/base/check.h"
#include "rematch/plan/budget.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/curve.h"
#include "rematch/solve/least_peak.h"
#include "rematch/solve/program/solve_clock.h"

namespace rematch {
namespace {

constexpr double kLeastPeakShare = 0.2;  // For the least peak, of all time.
constexpr double kFirstShare = 0.12;  // To ask every budget once, of the rest.
// For better plans where the gap is large, of the rest.
constexpr double kBetterPlansShare = 0.15;
constexpr double kPoorGap = 0.01;
// A proof takes what it takes: those that are likely to end get more than their
// part of the time, since most leave some of it to the others.
constexpr double kEagerness = 3;
// Of the work of each solve, when every budget is asked for the first time.
constexpr std::int64_t kFirstWorkPart = 16;

// What goes on from the first answers, one after the other.
std::vector<const Strategy*> searches_after(const Strategy& strategy,
                                            OrderRule order) {
  if (strategy.name != "auto") return {&strategy};
  if (order == OrderRule::kFree) return {find_strategy("anneal")};
  return {find_strategy("milp"), find_strategy("anneal")};
}

// Time alone limits the search, so it may decide. Else the same work has to
// lead to the same answer.
bool is_by_clock(const Limits& limits) {
  return std::isfinite(limits.seconds) && limits.work == Limits().work;
}

bool needs_least_peak(const FrontierQuestion& question) {
  const auto& budgets = question.budgets;
  return budgets.empty() || std::find(budgets.begin(), budgets.end(),
                                      std::nullopt) != budgets.end();
}

Solution find_least_peak(const Graph& graph, OrderRule order,
                         const Strategy& strategy, Request request) {
  if (is_by_clock(request.limits)) {
    request.limits.seconds *= kLeastPeakShare;
  } else {
    request.limits.threads = 1;
  }
  // The budget is asked again with the others; any plan will do for now.
  request.target = std::numeric_limits<Cost>::max();
  return solve_least_peak(graph, order, strategy, request);
}

// Without time to look for plans, that of keeping everything says nothing.
bool is_worth_a_point(const Solution& least, const Graph& graph) {
  const bool was_stopped = least.stop_reason == StopReason::kTimeLimit ||
                           least.stop_reason == StopReason::kInterrupted;
  return least.has_plan() &&
         (!was_stopped || least.peak < keep_all_peak(graph));
}

// What the question means, distinct and ascending.
std::vector<Bytes> budgets_of(const Graph& graph,
                              const FrontierQuestion& question,
                              Bytes least_peak) {
  std::vector<Bytes> result;
  if (question.budgets.empty()) {
    const Bytes most = keep_all_peak(graph);
    result = evenly_spaced(std::min(least_peak, most),
                           std::max(least_peak, most), question.num_points);
  }
  for (const auto& budget : question.budgets) {
    result.push_back(budget.value_or(least_peak));
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// One solve within the budget of a point.
struct Task {
  std::size_t point = 0;
  Bytes budget = 0;
  const Strategy* strategy = nullptr;
  Request request;
  std::optional<Plan> start;
};

// Solves at many budgets, each once.
struct Pass {
  bool is_first = false;
  double leave = 0;          // Seconds for what comes after it.
  double eagerness = 1;      // How many parts of the time a task may take.
  std::deque<Task> waiting;  // This and what follows are guarded.
  std::size_t running = 0;
};

class FrontierSearch {
 public:
  // Within the time that is left of the request's.
  FrontierSearch(const Graph& graph, const FrontierQuestion& question,
                 const Strategy& strategy, const Request& request,
                 const std::vector<Bytes>& budgets, double seconds_left)
      : graph_(graph),
        question_(question),
        strategy_(strategy),
        request_(request),
        is_by_clock_(is_by_clock(request.limits)),
        searches_(searches_after(strategy, question.order)),
        curve_(graph, question.order, budgets, request.limits.seed),
        levels_(curve_.points().size()) {
    request_.limits.seconds = seconds_left;
    clock_.emplace(request_.limits);
  }

  Frontier run(const std::optional<Solution>& known) {
    if (known) curve_.learn(*known);
    if (strategy_.name == "auto") {
      const Bytes enough = keep_all_peak(graph_);
      curve_.learn(solve({graph_, enough, question_.order},
                         *find_strategy("keep_all"), request_));
    }
    report();
    run(first_pass());
    if (is_by_clock_ && strategy_.name == "auto") run(better_plans_pass());
    while (!is_over()) {
      Pass pass = next_pass();
      if (pass.waiting.empty()) break;
      run(std::move(pass));
    }
    return conclude();
  }

 private:
  bool is_interrupted() const {
    const auto* interrupt = request_.limits.interrupt;
    return interrupt != nullptr && interrupt->load();
  }
  bool is_over() const {
    return is_interrupted() || clock_->seconds_left() <= 0;
  }
  bool is_closed(std::size_t point) const {
    return curve_.is_closed(point, request_.limits.gap);
  }

  void report() {
    if (question_.on_change) question_.on_change(curve_.points());
  }

  double gap_at(std::size_t point) const {
    return curve_.points()[point].gap().value_or(
        std::numeric_limits<double>::infinity());
  }

  void add_task(std::size_t point, const Strategy& strategy, Pass& pass) const {
    Task task{point, curve_.points()[point].budget, &strategy, request_,
              std::nullopt};
    task.request.limits.seed += passes_;
    if (const Plan* start = curve_.start_for(point)) task.start = *start;
    pass.waiting.push_back(std::move(task));
  }

  // The largest first: they take the least time, which leaves more for others.
  // Nothing depends on the others' answers here.
  Pass first_pass() {
    Pass pass;
    pass.is_first = true;
    if (is_by_clock_) pass.leave = (1 - kFirstShare) * clock_->seconds_left();
    for (std::size_t i = curve_.points().size(); i-- > 0;) {
      if (!is_closed(i)) add_task(i, strategy_, pass);
    }
    for (Task& task : pass.waiting) {
      auto& work = task.request.limits.work;
      if (work == Limits().work) continue;
      work = std::max<std::int64_t>(1, work / kFirstWorkPart);
    }
    return pass;
  }

  // Where there is no plan or a poor one, the anytime search.
  Pass better_plans_pass() {
    Pass pass;
    pass.leave = (1 - kBetterPlansShare) * clock_->seconds_left();
    ++passes_;
    for (std::size_t i = levels_.size(); i-- > 0;) {
      if (is_closed(i) || gap_at(i) < kPoorGap) continue;
      add_task(i, *searches_.back(), pass);
    }
    return pass;
  }

  // The smallest gap first.
  Pass next_pass() {
    Pass pass;
    if (searches_.front()->can.exact) pass.eagerness = kEagerness;
    ++passes_;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      if (is_closed(i) || levels_[i] == searches_.size()) continue;
      add_task(i, *searches_[levels_[i]], pass);
    }
    std::stable_sort(pass.waiting.begin(), pass.waiting.end(),
                     [&](const Task& a, const Task& b) {
                       return gap_at(a.point) < gap_at(b.point);
                     });
    return pass;
  }

  std::size_t num_threads() const {
    return static_cast<std::size_t>(std::max(1, request_.limits.threads));
  }

  void run(Pass pass) {
    const std::size_t tasks = std::max<std::size_t>(1, pass.waiting.size());
    const auto spare = static_cast<int>(num_threads() / tasks);
    for (Task& task : pass.waiting) {
      task.request.limits.threads = is_by_clock_ ? std::max(1, spare) : 1;
    }
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < std::min(num_threads(), tasks); ++i) {
      others.push_back(std::async(std::launch::async, [&] { work_on(pass); }));
    }
    work_on(pass);
    for (auto& other : others) other.get();
  }

  void work_on(Pass& pass) {
    while (auto task = take(pass)) {
      Request& request = task->request;
      if (task->start) request.start = &*task->start;
      const std::size_t point = task->point;
      request.on_progress = [this, point](const SearchProgress& progress) {
        const std::lock_guard lock(mutex_);
        curve_.raise_bound(point, progress.lower_bound);
        report();
      };
      const Solution found = solve({graph_, task->budget, question_.order},
                                   *task->strategy, request);
      finish(*task, found, pass);
    }
  }

  // The next task with its part of the time; none if the pass is over. Every
  // budget is asked once, however late it is.
  std::optional<Task> take(Pass& pass) {
    const std::lock_guard lock(mutex_);
    while (!pass.waiting.empty()) {
      if (is_interrupted() || (!pass.is_first && is_over())) break;
      const double seconds = part_of(pass);
      Task task = std::move(pass.waiting.front());
      pass.waiting.pop_front();
      if (is_by_clock_ && !pass.is_first) {
        if (is_closed(task.point)) continue;
        bring_up_to_date(task);
      }
      task.request.limits.seconds = seconds;
      ++pass.running;
      return task;
    }
    return std::nullopt;
  }

  double part_of(const Pass& pass) const {
    const double left = clock_->seconds_left();
    if (!is_by_clock_) return left;
    const double here = std::max(0.0, left - pass.leave);
    const auto threads = static_cast<double>(num_threads());
    const auto tasks = static_cast<double>(pass.waiting.size() + pass.running);
    return std::min(here, here * threads * pass.eagerness / tasks);
  }

  // Where time decides, the latest plans may.
  void bring_up_to_date(Task& task) {
    if (const Plan* start = curve_.start_for(task.point)) task.start = *start;
    Cost known = std::numeric_limits<Cost>::infinity();
    task.request.other_plan = [this, point = task.point,
                               known]() mutable -> std::optional<Plan> {
      const std::lock_guard lock(mutex_);
      const Solution& best = curve_.points()[point];
      if (!best.has_plan() || best.cost >= known) return std::nullopt;
      known = best.cost;
      return best.plan;
    };
  }

  void finish(const Task& task, const Solution& found, Pass& pass) {
    const std::lock_guard lock(mutex_);
    --pass.running;
    curve_.learn(found);
    // Another try makes sense only with more time.
    const bool more_helps =
        is_by_clock_
            ? found.stop_reason == StopReason::kTimeLimit
            : pass.is_first && found.stop_reason == StopReason::kWorkLimit;
    std::size_t& level = levels_[task.point];
    if (!more_helps && level < searches_.size() &&
        searches_[level] == task.strategy) {
      ++level;
    }
    report();
  }

  Frontier conclude() {
    Frontier frontier;
    frontier.points = curve_.points();
    frontier.least_peak = curve_.least_peak();
    frontier.stop_reason = stop_reason(frontier);
    return frontier;
  }

  StopReason stop_reason(const Frontier& frontier) const {
    if (frontier.num_proved() == frontier.points.size()) {
      return StopReason::kProved;
    }
    bool all_closed = true;
    bool work_limit = false;
    for (std::size_t i = 0; i < frontier.points.size(); ++i) {
      all_closed = all_closed && is_closed(i);
      work_limit = work_limit ||
                   frontier.points[i].stop_reason == StopReason::kWorkLimit;
    }
    if (is_interrupted()) return StopReason::kInterrupted;
    if (all_closed && request_.limits.gap > 0) return StopReason::kGapReached;
    if (all_closed) return StopReason::kFinished;
    if (clock_->seconds_left() <= 0) return StopReason::kTimeLimit;
    return work_limit ? StopReason::kWorkLimit : StopReason::kFinished;
  }

  const Graph& graph_;
  const FrontierQuestion& question_;
  const Strategy& strategy_;
  Request request_;
  bool is_by_clock_;
  std::optional<SolveClock> clock_;
  std::vector<const Strategy*> searches_;
  std::mutex mutex_;
  Curve curve_;                      // Guarded, as is what follows.
  std::vector<std::size_t> levels_;  // By point: which of searches_ is next.
  std::uint64_t passes_ = 0;
};

}  // namespace

std::size_t Frontier::num_proved() const {
  return static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(), [](const Solution& point) {
        return point.outcome == Outcome::kOptimal ||
               point.outcome == Outcome::kInfeasible;
      }));
}

Outcome Frontier::outcome() const {
  const bool any =
      std::any_of(points.begin(), points.end(),
                  [](const Solution& point) { return point.has_plan(); });
  if (num_proved() < points.size()) {
    return any ? Outcome::kFeasible : Outcome::kUnknown;
  }
  return any ? Outcome::kOptimal : Outcome::kInfeasible;
}

Frontier solve_frontier(const Graph& graph, const FrontierQuestion& question,
                        const Strategy& strategy, const Request& request) {
  REMATCH_CHECK(question.num_points > 0, "a curve has points");
  const auto begin = std::chrono::steady_clock::now();
  const SolveClock clock(request.limits);
  Request plain = request;
  // What is known within one budget is not news within another.
  plain.on_progress = nullptr;
  plain.target.reset();
  std::optional<Solution> least;
  Bytes least_peak = peak_floor(graph, question.order).bytes;
  if (needs_least_peak(question)) {
    least = find_least_peak(graph, question.order, strategy, plain);
    if (is_worth_a_point(*least, graph)) least_peak = least->peak;
  }
  FrontierSearch search(graph, question, strategy, plain,
                        budgets_of(graph, question, least_peak),
                        clock.seconds_left());
  Frontier frontier = search.run(least);
  const std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - begin;
  frontier.seconds = spent.count();
  return frontier;
}

}  // namespace rematch
