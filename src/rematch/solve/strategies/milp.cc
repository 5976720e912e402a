// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/milp.h"

#include "rematch/base/check.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/program/milp_paper.h"
#include "rematch/solve/program/milp_telescoped.h"
#include "rematch/solve/split/split.h"

namespace rematch {

Proposal propose_milp(const Problem& problem, const Request& request) {
  if (problem.order == OrderRule::kFree) {
    // Nothing is cheaper than everything once.
    if (keep_all_peak(problem.graph) <= problem.budget) {
      Proposal proposal;
      proposal.plan = keep_all_plan(problem.graph);
      return proposal;
    }
    return not_applicable(
        "milp takes the graph's fixed order only: its stages are the first "
        "computations in that order");
  }
  switch (request.formulation) {
    case Formulation::kSplit:
      return solve_split(problem, request);
    case Formulation::kPaper:
      return solve_paper(problem, request);
    case Formulation::kTelescoped:
      return solve_telescoped(problem, request);
  }
  REMATCH_CHECK(false, "every formulation is listed");
  return {};
}

}  // namespace rematch
