// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/anneal.h"

#include "rematch/solve/anneal/anneal.h"

namespace rematch {

Proposal propose_anneal(const Problem& problem, const Request& request) {
  AnnealResult found = anneal(problem, request);
  Proposal proposal;
  proposal.plan = std::move(found.plan);
  if (found.stop) proposal.stop_reason = stopped(*found.stop).stop_reason;
  return proposal;
}

}  // namespace rematch
