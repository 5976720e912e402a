// SPDX-License-Identifier: Apache-2.0
// What a report shows: plans of one graph, measured, and what is known about
// cost against budget.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rematch/base/result.h"
#include "rematch/graph/graph.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/solution.h"
#include "rematch/report/curve.h"

namespace rematch {

// A plan that replay accepted.
struct MeasuredPlan {
  std::string label;  // For people: the name of its file, or its strategy.
  Plan plan;
  OrderRule order = OrderRule::kFixed;
  Replay measured;
  // The solution that the plan came in, whose claims hold; none for a plan that
  // came alone.
  std::optional<Solution> certificate;
  // The file whose word the certificate's bound is; empty if it was proved
  // here.
  std::string claimed_by;

  Bytes peak() const { return measured.peak; }
  Cost cost() const { return measured.cost; }
};

// Replays the plan. Fails with kInvalidPlan, naming the step.
Result<MeasuredPlan> measure(const Graph& graph, std::string label, Plan plan,
                             OrderRule order);

// Replays the plan of a solution, which must have one, and checks what the
// solution claims about it; fails as confirm() does.
Result<MeasuredPlan> measure(const Graph& graph, std::string label,
                             const Solution& solution);

// Refers to the graph.
struct Report {
  const Graph& graph;
  std::vector<MeasuredPlan> plans;  // At least one; the first is shown first.
  Curve curve;
};

// The certificate in words: "within 0.30% of the best possible; no plan needs
// less than 2.800 GiB".
std::string certificate_words(const Solution& solution);

}  // namespace rematch
