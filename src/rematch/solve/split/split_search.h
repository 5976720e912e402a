// SPDX-License-Identifier: Apache-2.0
// The loop of the exact search: solve, look where the answer does not hold in
// truth, refine there, solve again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "rematch/solve/best_plan.h"
#include "rematch/solve/request.h"
#include "rematch/solve/split/life_splitting.h"
#include "rematch/solve/split/near_point.h"
#include "rematch/solve/split/plan_search.h"
#include "rematch/solve/split/split_round.h"

namespace rematch {

// What a search begins with.
struct SplitStart {
  Cost lower_bound = 0;               // Proved.
  Cost plain_bound = 0;               // See GapBound.
  std::vector<std::int32_t> moments;  // To split at first.
  // With so many columns to decide, a search over integers takes long, and
  // single lives are split first.
  std::size_t many_columns = 2'500;
};

// Refers to its arguments, and improves the incumbent.
class SplitSearch {
 public:
  SplitSearch(const Problem& problem, const Request& request,
              BestPlan& incumbent, SplitStart start);

  // Until the incumbent is proved, a limit is hit, or nothing is left to
  // refine.
  void run();

  // Proved, whatever stopped the search.
  Cost lower_bound() const { return bound_; }
  // Proved: there is no plan.
  bool is_infeasible() const { return infeasible_; }
  // None if it came to its end.
  std::optional<Stop> stopped() const { return stop_; }
  // The first program would be too large; nothing was done.
  bool is_too_large() const { return too_large_; }

 private:
  void search();
  bool is_done();
  bool is_good_enough() const;
  // Says whether to go on after a solve, and notes why not.
  bool goes_on_after(LpStatus status);
  Cost worth_finding() const;
  Cost most() const;
  Cost spare() const;
  double effort() const;
  double seconds() const;
  LpLimits lp_limits_now() const;
  void report();
  void raise_bound(Cost bound);
  void raise_to_incumbent();

  bool is_within_size(const SplitPoints& split) const;
  bool relax(SplitRound& round);
  // A brief one gives up if it takes long.
  LpSolution solve_integers(SplitRound& round, LpLimits limits, bool is_brief);
  double cutoff(const SplitRound& round) const;
  Cost claimed_by(const LpSolution& answer, const SplitRound& round) const;
  Cost proved_by(const LpSolution& answer, const SplitRound& round);
  bool is_cheaper(const LpSolution& answer, const SplitRound& round) const;
  double magnification_for(Cost margin) const;
  static Cost margin(Cost value, const SplitRound& round);
  std::optional<LpSolution> prove_exactly(SplitRound& round,
                                          const LpSolution& answer);

  // Takes over what was found elsewhere.
  void import();
  // True if it is a better plan than the incumbent.
  bool offer(const SplitRound& round, std::span<const double> columns);
  void repair(const SplitRound& round, std::span<const double> columns);
  void search_more();
  bool search_ahead();
  bool is_search_stale() const;
  void search_while(const std::function<bool()>& is_time);
  void remember(const SplitRound& round, const LpSolution& answer);
  void look_near(SplitDetail detail);
  void share_cuts(const SplitDetail& detail);
  LpSolution solve_near(SplitRound& round);

  // True if something changed.
  bool refine_at(const SplitRound& round, const LpSolution& answer);
  bool refine(const SplitRound& round, std::span<const double> columns);
  bool look_everywhere();

  const Problem& problem_;
  const Request& request_;
  BestPlan& incumbent_;
  Meter meter_;
  // Time alone limits the search, so it may decide. Else the same work has to
  // lead to the same answer.
  bool is_by_clock_;
  std::chrono::steady_clock::time_point begin_ =
      std::chrono::steady_clock::now();
  std::optional<Stop> stop_;
  Cost step_;  // By which costs differ.
  Cost bound_;
  Cost plain_bound_;
  std::size_t many_columns_;
  bool too_large_ = false;
  bool infeasible_ = false;
  bool is_everywhere_ = false;  // Every stage is looked at one by one.
  Lives lives_;
  SplitDetail detail_;
  NearPoint point_;  // The last one.
  // A search near a point, to be continued.
  std::optional<std::pair<SplitDetail, NearPoint>> near_;
  double search_seconds_ = 0;        // Spent on searching for better plans.
  std::optional<PlanSearch> plans_;  // None before that.
  double near_effort_ = 0;           // Spent on looking near.
  LifeSplitting splitting_;
  bool is_large_ = false;  // The last program.
};

}  // namespace rematch
