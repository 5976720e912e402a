// SPDX-License-Identifier: Apache-2.0
// The loop of the exact search: solve, look where the answer does not hold in
// truth, refine there, solve again.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "rematch/lp/lp_session.h"
#include "rematch/solve/incumbent.h"
#include "rematch/solve/request.h"
#include "rematch/solve/split/path_cuts.h"
#include "rematch/solve/split/stage_cuts.h"

namespace rematch {

// What a search begins with.
struct SplitStart {
  Cost lower_bound = 0;               // Proved.
  Cost plain_bound = 0;               // See GapBound.
  std::vector<std::int32_t> moments;  // To split at first.
};

// Refers to its arguments, and improves the incumbent.
class SplitSearch {
 public:
  SplitSearch(const Problem& problem, const Request& request,
              Incumbent& incumbent, SplitStart start);

  // Until the incumbent is proved, a limit is hit, or nothing is left to
  // refine.
  void run();

  // Proved, whatever stopped the search.
  Cost lower_bound() const { return bound_; }
  // None if it came to its end.
  std::optional<Stop> stopped() const { return meter_.reason(); }
  // Proved: there is no plan.
  bool is_infeasible() const { return infeasible_; }
  // The first program would be too large; nothing was done.
  bool is_too_large() const { return too_large_; }

 private:
  // One program, solved as a relaxation first.
  struct Round {
    Round(const Problem& problem, const Lives& lives, const SplitPoints& points)
        : program(problem, lives, points), session(program.take_model()) {}

    SplitProgram program;
    LpSession session;
    std::set<std::int32_t> memory_rows;
    std::set<std::pair<std::int32_t, OpId>> rerun_rows;
    std::map<std::int32_t, ColumnId> extra;
    LpSolution relaxed;
  };

  bool is_done();
  bool is_good_enough() const;
  Cost worth_finding() const;
  double seconds() const;
  LpLimits lp_limits_now() const;
  void report();
  void raise_bound(Cost bound);

  bool is_within_size() const;
  void add_known_rows(Round& round) const;
  bool relax(Round& round);
  bool add_broken_rows(Round& round, const std::vector<double>& columns);
  void fix_by_reduced_cost(Round& round) const;
  bool split_at_tight_stages(const Round& round);

  LpSolution solve_integers(Round& round);
  Cost proved_by(const LpSolution& answer, double cutoff,
                 const Round& round) const;
  void prove_exactly(Round& round, const LpSolution& answer);
  void offer(const Round& round, std::span<const double> columns);
  // True if something changed.
  bool refine(Round& round, std::span<const double> columns);
  bool refine_at_overflow(const Plan& plan);
  bool refine_everywhere();

  const Problem& problem_;
  const Request& request_;
  Incumbent& incumbent_;
  Meter meter_;
  std::chrono::steady_clock::time_point begin_ =
      std::chrono::steady_clock::now();
  Cost bound_;
  Cost plain_bound_;
  bool too_large_ = false;
  bool infeasible_ = false;
  bool is_everywhere_ = false;  // Every stage is looked at one by one.
  Lives lives_;
  SplitPoints points_;
  // What was needed before is needed again.
  std::set<std::int32_t> memory_rows_;
  std::set<std::pair<std::int32_t, OpId>> rerun_rows_;
  std::vector<StageCut> stage_cuts_;
  double patience_ = 0;  // How far from optimal a round may end; see run().
};

}  // namespace rematch
