// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/least_peak.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "rematch/plan/floor.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

constexpr double kProbeShare = 0.2;   // Of the time left, for one budget.
constexpr double kSearchShare = 0.6;  // Of all time, for all budgets.

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
    if (solution.has_plan() &&
        (!best_.has_plan() || solution.peak < best_.peak)) {
      best_ = solution;
    }
    return solution;
  }

  // The cheapest plan within the least peak, in the time that is left.
  void finish() {
    if (!best_.has_plan()) return;
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
  bool out_of_time() const {
    return seconds() >= kSearchShare * request_.limits.seconds || interrupted();
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

  const Graph& graph_;
  OrderRule order_;
  const Strategy& strategy_;
  Request request_;
  Solution best_;
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

}  // namespace

Solution solve_least_peak(const Graph& graph, OrderRule order,
                          const Strategy& strategy, const Request& request) {
  Probe probe(graph, order, strategy, request);
  Bytes below = peak_floor(graph, order).bytes;  // No plan found here.
  const Bytes enough =
      strategy.can.uses_budget ? keep_all_peak(graph) : kMaxBytes;
  Solution last = probe.at(enough);
  // A plan may recompute and still need more than keeping everything.
  if (!last.has_plan() && strategy.can.uses_budget) last = probe.at(kMaxBytes);
  bool exact = true;
  if (probe.best().has_plan() && strategy.can.uses_budget &&
      !probe.at(below).has_plan()) {
    while (probe.best().peak - below > 1) {
      if (probe.out_of_time()) {
        exact = false;
        break;
      }
      const Bytes middle = below + (probe.best().peak - below) / 2;
      if (!probe.at(middle).has_plan()) below = middle;
    }
  }
  if (!probe.interrupted()) probe.finish();
  Solution solution = probe.best().has_plan() ? probe.best() : last;
  if (solution.has_plan()) {
    solution.budget = solution.peak;
    if (!exact) {
      solution.stop_reason = probe.interrupted() ? StopReason::kInterrupted
                                                 : StopReason::kTimeLimit;
      solution.message =
          "the search for the least budget was stopped; a smaller one may do";
    }
    // What was proved within a larger budget holds within this one too: less
    // memory never makes a plan cheaper, and this plan fits.
  }
  solution.seconds = probe.seconds();
  return solution;
}

}  // namespace rematch
