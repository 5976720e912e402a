// SPDX-License-Identifier: Apache-2.0
// In which stages an op can usefully run again, and into which a tensor can
// usefully be kept.
#pragma once

#include <cstdint>
#include <vector>

#include "rematch/plan/plan.h"
#include "rematch/plan/problem.h"

namespace rematch {

// Stage t ends with the first computation of op t. What is kept into stage t is
// live when it begins.
struct Staging {
  // The last stage in which running the op again can be of use to anyone; its
  // own stage if it cannot run again.
  IdVector<OpId, std::int32_t> last_run;
  // The last stage into which keeping the tensor can be of use, for tensors
  // that may be dropped; the stage of its producer if none is.
  IdVector<TensorId, std::int32_t> last_kept;
};

// O(size of the graph).
Staging staging(const Graph& graph);

// By stage, and one more for the end: the tensors that may be dropped and are
// live when it begins, ascending.
using KeptSets = std::vector<std::vector<TensorId>>;

// What a valid plan in the fixed order keeps.
KeptSets kept_sets(const Graph& graph, const Plan& plan);

}  // namespace rematch
