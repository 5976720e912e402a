// SPDX-License-Identifier: Apache-2.0
// One split program, as fine as asked, with the rows that its solutions break.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "rematch/lp/lp_session.h"
#include "rematch/solve/split/memory_covers.h"
#include "rematch/solve/split/path_cuts.h"
#include "rematch/solve/split/split_program.h"
#include "rematch/solve/split/stage_cuts.h"

namespace rematch {

// How fine a program is. What was needed once is needed again.
struct SplitDetail {
  SplitPoints points;
  std::set<std::int32_t> memory_rows;                  // Stages.
  std::set<std::pair<std::int32_t, OpId>> rerun_rows;  // In a stage.
  std::vector<StageCut> stage_cuts;
  std::vector<MemoryCover> covers;
  std::vector<Path> paths;
};

// Refers to its arguments. Rows that it finds to be needed are added to the
// detail, too.
class SplitRound {
 public:
  // No plan of interest spends more than `most` on reruns.
  SplitRound(const Problem& problem, const Lives& lives, SplitDetail& detail,
             Cost most = std::numeric_limits<Cost>::infinity());

  // A share of the base cost is called with: what is proved about the cost of
  // reruns, in the graph's unit; it returns false to stop.
  using OnBound = std::function<bool(Cost)>;

  // Solves the relaxation and adds rows that its solution breaks, again and
  // again; unless it is thorough, only as long as they raise the bound. Rows
  // that do not still help a search over integers. The status is kOptimal if
  // that came to its end, or too many rounds were made; else it is the last
  // solve's, or kInterrupted if on_bound said stop. `limits` gives the limits
  // of each solve.
  LpStatus relax(const std::function<LpLimits()>& limits,
                 const OnBound& on_bound, bool is_thorough = true);

  // A column that would cost more than `most` if it left its bound stays there.
  // Returns how many columns are left to decide.
  std::size_t fix_by_reduced_cost(Cost most);

  // Stages that are full in the relaxation and no points yet; they become
  // points of the detail. False if there are none.
  bool split_at_tight_stages();
  // The same for points of single lives that make more path rows.
  bool split_along_paths();

  // Adds cover rows that a point breaks, at the stages that it fills. False if
  // there are none.
  bool add_broken_covers(std::span<const double> columns);

  const SplitProgram& program() const { return program_; }
  LpSession& session() { return session_; }
  SplitDetail& detail() const { return detail_; }
  std::int64_t iterations() const { return iterations_; }
  // The last bound that on_bound was called with.
  Cost value() const { return value_; }

 private:
  Cost room() const;
  void add_known_rows();
  bool add_broken_rows();
  bool add_broken_limits();
  bool add_broken_memory_rows();
  bool add_broken_rerun_rows();
  bool add_broken_path_rows();
  void add_path_row(const LinearSum& sum, Path path);
  void keep_binding_paths();

  const Problem& problem_;
  SplitDetail& detail_;
  Cost most_;
  SplitProgram program_;
  LpSession session_;
  std::set<std::int32_t> memory_rows_;
  std::set<std::pair<std::int32_t, OpId>> rerun_rows_;
  std::map<std::int32_t, ColumnId> extra_;
  std::vector<std::pair<RowId, Path>> path_rows_;
  LpSolution relaxed_;
  std::int64_t iterations_ = 0;
  Cost value_ = 0;
};

}  // namespace rematch
