// SPDX-License-Identifier: Apache-2.0
// From a set of checkpoints to what each stage keeps, as Checkmate's artifact
// maps Chen's segments to stages.
#pragma once

#include <optional>
#include <vector>

#include "rematch/base/limits.h"
#include "rematch/graph/graph.h"
#include "rematch/plan/plan.h"

namespace rematch {

// The staged plan of a checkpoint set: a segment runs from one checkpoint up to
// the next. Refers to the graph, which must outlive it.
class ChenSegments {
 public:
  explicit ChenSegments(const Graph& graph);

  const std::vector<OpId>& forward() const { return forward_; }
  bool has_backward() const { return has_backward_; }

  // `checkpoints` are forward ops, ascending. None if the meter says stop.
  std::optional<Plan> plan(const std::vector<OpId>& checkpoints,
                           Meter& meter) const;

 private:
  struct Segment;

  std::vector<Segment> segments(const std::vector<OpId>& checkpoints) const;

  const Graph& graph_;
  std::vector<OpId> forward_;
  bool has_backward_ = false;
  // By forward position: the first op of another phase that reads an output;
  // the number of ops if there is none.
  std::vector<std::int32_t> backward_stage_;
};

}  // namespace rematch
