// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/least_peak.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "rematch/plan/floor.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

constexpr double kProbeShare = 0.2;   // Of the time left, for one budget.
constexpr double kSearchShare = 0.6;  // Of all time, for all budgets.
constexpr int kEasySteps = 6;         // Halvings before the floor is tried.
// Not to find a plan takes so much longer than to find one.
constexpr double kFailureFactor = 6;
// Of all time, for a search that does nothing but go down.
constexpr double kQuickShare = 0.25;

// Solves at one budget after another within one time limit.
class Probe {
 public:
  Probe(const Graph& graph, OrderRule order, const Strategy& strategy,
        const Request& request)
      : graph_(graph), order_(order), strategy_(strategy), request_(request) {
    // What is known within one budget is not news within another.
    request_.on_progress = nullptr;
  }

  // Any plan will do, and no budget gets all the time.
  Solution at(Bytes budget) {
    Request part = request_;
    part.limits.seconds = kProbeShare * seconds_left();
    part.target = std::numeric_limits<Cost>::max();
    Solution solution = solve({graph_, budget, order_}, strategy_, part);
    if (solution.has_plan()) longest_ = std::max(longest_, solution.seconds);
    if (solution.stop_reason == StopReason::kNotApplicable) {
      refusal_ = solution.message;
    }
    take(solution);
    return solution;
  }

  // A plan with a peak that nothing so far has.
  void take(const Solution& solution) {
    if (!solution.has_plan()) return;
    if (!best_.has_plan() || solution.peak < best_.peak) best_ = solution;
  }

  // Why the strategy does not look for plans within some budget; else empty.
  const std::string& refusal() const { return refusal_; }

  // The cheapest plan within the least peak, in the time that is left.
  void finish() {
    if (!best_.has_plan() || request_.is_decided(best_.cost, 0)) return;
    Request rest = request_;
    rest.limits.seconds = seconds_left();
    rest.start = &*best_.plan;
    Solution solution = solve({graph_, best_.peak, order_}, strategy_, rest);
    if (solution.has_plan() && solution.cost <= best_.cost) {
      best_ = std::move(solution);
    }
  }

  bool interrupted() const {
    const auto* interrupt = request_.limits.interrupt;
    return interrupt != nullptr && interrupt->load();
  }
  // Some time is kept for finish().
  bool out_of_time() const { return search_seconds_left() <= 0; }
  // To look where there may be no plan. With a work limit, time must not
  // decide before it has to.
  bool has_time_to_fail() const {
    const bool by_clock = request_.limits.work == Limits().work;
    return search_seconds_left() > (by_clock ? kFailureFactor * longest_ : 0);
  }
  const Solution& best() const { return best_; }
  double seconds() const {
    const std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start_;
    return spent.count();
  }

 private:
  double seconds_left() const {
    return std::max(0.0, request_.limits.seconds - seconds());
  }
  double search_seconds_left() const {
    if (interrupted()) return 0;
    const double share = request_.target ? 1 : kSearchShare;
    return share * request_.limits.seconds - seconds();
  }

  const Graph& graph_;
  OrderRule order_;
  const Strategy& strategy_;
  Request request_;
  Solution best_;
  std::string refusal_;
  double longest_ = 0;  // Seconds, of the probes that found a plan.
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

// Tries halfway between the best peak so far and `below`; the largest budget
// without a plan afterwards.
Bytes halve(Bytes below, Probe& probe) {
  const Bytes middle = below + (probe.best().peak - below) / 2;
  return probe.at(middle).has_plan() ? below : middle;
}

// Looks for plans between the floor and the best so far. False if time ran out
// before the answer was exact.
bool descend(Bytes floor, Probe& probe) {
  // The floor is often reached, but nothing takes longer than to look where
  // there is no plan: what is easy comes first.
  Bytes below = floor;
  for (int i = 0; i < kEasySteps && below == floor; ++i) {
    if (probe.best().peak - below <= 1) break;
    if (probe.out_of_time()) return false;
    below = halve(below, probe);
  }
  if (probe.best().peak > floor) {
    if (!probe.has_time_to_fail()) return false;
    if (probe.at(floor).has_plan()) return true;
  }
  while (probe.best().peak - below > 1) {
    if (!probe.has_time_to_fail()) return false;
    below = halve(below, probe);
  }
  return true;
}

// One of auto's own parts is quicker than auto at finding any plan at all.
void go_down_quickly(const Graph& graph, OrderRule order,
                     const Request& request, Probe& probe) {
  Request part = request;
  part.limits.seconds *= kQuickShare;
  part.target = std::numeric_limits<Cost>::max();
  part.on_progress = nullptr;
  Solution found =
      solve_least_peak(graph, order, *find_strategy("anneal"), part);
  found.strategy = "auto";
  found.message = "found by anneal";
  probe.take(found);
}

}  // namespace

Solution solve_least_peak(const Graph& graph, OrderRule order,
                          const Strategy& strategy, const Request& request) {
  Probe probe(graph, order, strategy, request);
  const Bytes enough =
      strategy.can.uses_budget ? keep_all_peak(graph) : kMaxBytes;
  Solution last = probe.at(enough);
  // A plan may recompute and still need more than keeping everything.
  if (!last.has_plan() && strategy.can.uses_budget) last = probe.at(kMaxBytes);
  const bool by_clock = std::isfinite(request.limits.seconds) &&
                        request.limits.work == Limits().work;
  if (strategy.name == "auto" && by_clock) {
    go_down_quickly(graph, order, request, probe);
  }
  bool exact = true;
  if (probe.best().has_plan() && strategy.can.uses_budget) {
    exact = descend(peak_floor(graph, order).bytes, probe);
  }
  if (!probe.interrupted()) probe.finish();
  Solution solution = probe.best().has_plan() ? probe.best() : last;
  if (solution.has_plan()) {
    solution.budget = solution.peak;
    if (!exact) {
      solution.stop_reason = probe.interrupted() ? StopReason::kInterrupted
                                                 : StopReason::kTimeLimit;
      if (!solution.message.empty()) solution.message += "; ";
      solution.message +=
          "the search for the least budget was stopped; a smaller one may do";
    }
    if (!probe.refusal().empty()) {
      solution.message =
          "smaller budgets were not looked at: " + probe.refusal();
    }
    // What was proved within a larger budget holds within this one too: less
    // memory never makes a plan cheaper, and this plan fits.
  } else {
    solution.budget = keep_all_peak(graph);
  }
  solution.seconds = probe.seconds();
  return solution;
}

}  // namespace rematch
