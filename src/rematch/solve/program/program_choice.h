// SPDX-License-Identifier: Apache-2.0
// The programs by name: their relaxations as bounds, and as text for other
// solvers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rematch/base/limits.h"
#include "rematch/base/result.h"
#include "rematch/plan/problem.h"
#include "rematch/plan/solution.h"
#include "rematch/solve/request.h"

namespace rematch {

// What to build. Names are those of the command line: "gap", "paper",
// "telescoped", "split"; "advancing", "cover_all", "cover_last".
struct ProgramChoice {
  std::string formulation = "gap";
  std::string stages = "advancing";  // Of "paper".
};

struct ProgramBound {
  std::optional<Cost> lower_bound;  // None: proved infeasible.
  // kFinished, kProved if it is infeasible, or the limit that was hit.
  StopReason stop_reason = StopReason::kFinished;
  // Whether it holds for every plan in the fixed order. Checkmate's program
  // knows only plans whose reruns come in the graph's order within each stage.
  bool holds_for_all = true;
};

// The bound of the program's relaxation, from its prices: proved whatever the
// solver did. `problem` has a fixed order and a budget of at least the floor.
// The bound of "gap" is that of gap_bound(), rounded up to what a plan can
// cost; "split" gives what solve_split() proves within the limits, which is the
// optimum if it comes to its end; the others are the value of the relaxation as
// it is. Stopped by a limit it is the best so far, with the base cost as the
// least. Fails with kTooLarge, saying how large it is, if the program is too
// large, and with kInvalidArgument if the choice makes no sense. Of the request
// the limits count, and for "split" who wants to know of progress.
Result<ProgramBound> program_bound(const Problem& problem,
                                   const ProgramChoice& choice,
                                   const Request& request);

// The integer program as text, "mps" or "lp", with comments that say what it is
// and how it is scaled. Not for "split". Fails like program_bound().
Result<std::string> program_text(const Problem& problem,
                                 const ProgramChoice& choice,
                                 std::string_view format);

}  // namespace rematch
