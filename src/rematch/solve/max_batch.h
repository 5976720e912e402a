// SPDX-License-Identifier: Apache-2.0
// The largest batch that fits in memory at a bounded cost, with a proved bound
// on the largest batch of any plan.
#pragma once

#include <cstdint>
#include <functional>

#include "rematch/solve/solve.h"

namespace rematch {

// Everything but the fixed bytes grows in proportion to the batch.
struct BatchQuestion {
  Bytes memory = 0;              // At least zero; holds everything.
  Bytes extra_fixed = 0;         // Resident besides graph.fixed_bytes().
  std::int64_t graph_batch = 1;  // What the sizes in the graph are for.
  Cost cost_cap = 0;             // Of a plan for the graph as it is.
  OrderRule order = OrderRule::kFixed;

  friend bool operator==(const BatchQuestion&, const BatchQuestion&) = default;
};

struct BatchAnswer {
  std::int64_t batch = 0;        // What the plan allows; 0: none was found.
  std::int64_t batch_bound = 0;  // Proved: no plan within the cap allows more.
  std::int64_t keep_all_batch = 0;  // Without recomputation.
  // About the batch: kOptimal if the two numbers meet, kInfeasible if not even
  // one sample fits.
  Outcome outcome = Outcome::kUnknown;
  StopReason stop_reason = StopReason::kFinished;
  // The plan with the least peak that was found within the cap, for the graph
  // as it is; its budget is the one within which it was found. No plan if
  // `batch` is 0.
  Solution solution;
  double seconds = 0;
};

// The memory that the activations of the graph may take so that `batch` fits,
// and the largest batch of at most kMaxBytes that fits if they take
// `activations` > 0.
Bytes activations_for(const Graph& graph, const BatchQuestion& question,
                      std::int64_t batch);
std::int64_t batch_for(const Graph& graph, const BatchQuestion& question,
                       Bytes activations);

// Told a batch that fits and one that no plan exceeds, whenever one of them
// changes; `batch` is 0 while no plan was found.
using OnBatch =
    std::function<void(std::int64_t batch, std::int64_t batch_bound)>;

// Asks the strategy whether a plan within the cap exists at one budget after
// another: first the largest batch that the floor and the gap program leave
// open, then by halving, again while there is time that might help. A plan
// counts with its own peak, and keeping everything counts whatever the strategy
// finds. The time limit is for all of it, the work limit for
// each budget; request.limits.gap is the share by which the bound on the batch
// may exceed the batch. Fails with kInvalidArgument if the activations take no
// memory or if the batch of the graph is less than one, and with kOutOfRange if
// a batch of kMaxBytes might fit.
Result<BatchAnswer> max_batch(const Graph& graph, const BatchQuestion& question,
                              const Strategy& strategy, const Request& request,
                              const OnBatch& on_batch = nullptr);

}  // namespace rematch
