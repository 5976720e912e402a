// SPDX-License-Identifier: Apache-2.0
// Replays a plan and measures it. Every peak and cost a user sees comes from
// here.
#pragma once

#include <cstdint>
#include <vector>

#include "rematch/base/result.h"
#include "rematch/plan/plan.h"
#include "rematch/plan/problem.h"

namespace rematch {

struct Replay {
  Bytes peak = 0;  // Largest footprint; the fixed bytes if there is no step.
  Cost cost = 0;   // Every compute step, repeats included.
  // Per step. A compute step: everything live, its outputs not yet live and
  // its workspace. A drop: what is live afterwards. Fixed bytes included.
  std::vector<Bytes> footprint;
  StepId peak_step;  // The first step whose footprint is the peak.
  IdVector<OpId, std::int64_t> runs;  // How often each op was computed.

  friend bool operator==(const Replay&, const Replay&) = default;
};

// Replays `plan` on `graph` in O(steps + edges of the computed ops).
//
// A storage is counted once while any of its tensors is live. An op's outputs
// are counted before its inputs may be dropped, as on a real device. Fails with
// kInvalidPlan, naming the step, if
// - a step computes an op one of whose inputs is not live,
// - a step drops a tensor that is not live, a graph input or a graph output,
// - an op that must not be recomputed runs twice,
// - with a fixed order, first computations are not in the graph's order,
// - some op is never computed.
Result<Replay> replay(const Graph& graph, const Plan& plan, OrderRule order);

// The tensors that occupy memory during step `at` of a valid plan, its outputs
// included, ascending; graph inputs are not listed.
std::vector<TensorId> live_tensors(const Graph& graph, const Plan& plan,
                                   StepId at);

}  // namespace rematch
