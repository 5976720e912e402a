// SPDX-License-Identifier: Apache-2.0
// Chen et al. 2016, "Training deep nets with sublinear memory cost": segments
// of the forward part between checkpoints are recomputed one at a time.
#pragma once

#include "rematch/solve/strategy.h"

namespace rematch {

// Every k-th candidate is a checkpoint, k = floor(sqrt(#candidates)).
// Candidates are the articulation points of the forward part, as Checkmate
// generalised it; in the _linear variant every forward op.
Proposal propose_chen_sqrt(const Problem& problem, const Request& request);
Proposal propose_chen_sqrt_linear(const Problem& problem,
                                  const Request& request);

// A candidate becomes a checkpoint as soon as the sizes since the last one add
// up to more than b. Of 300 values of b, the one with the cheapest plan within
// the budget is taken.
Proposal propose_chen_greedy(const Problem& problem, const Request& request);
Proposal propose_chen_greedy_linear(const Problem& problem,
                                    const Request& request);

}  // namespace rematch
