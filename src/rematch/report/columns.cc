// SPDX-License-Identifier: Apache-2.0
#include "rematch/report/columns.h"

#include <algorithm>

#include "rematch/base/check.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

// What the keep-all plan needs while it computes each op.
IdVector<OpId, Bytes> keep_all_footprints(const Graph& graph) {
  const Plan plan = keep_all_plan(graph);
  const auto measured = replay(graph, plan, OrderRule::kFixed);
  REMATCH_CHECK(measured.ok(), "the keep-all plan is valid");
  IdVector<OpId, Bytes> result(graph.num_ops());
  for (std::size_t at = 0; at < plan.steps.size(); ++at) {
    const Step& step = plan.steps[at];
    if (step.is_compute()) result[step.op()] = measured->footprint[at];
  }
  return result;
}

}  // namespace

Columns columns_of(const Graph& graph, const MeasuredPlan& plan) {
  const IdVector<OpId, Bytes> without = keep_all_footprints(graph);
  IdVector<OpId, bool> seen(graph.num_ops());
  Columns columns;
  for (std::size_t at = 0; at < plan.plan.steps.size(); ++at) {
    const Step& step = plan.plan.steps[at];
    if (!step.is_compute()) continue;
    columns.footprint.push_back(plan.measured.footprint[at]);
    if (seen[step.op()]) continue;
    seen[step.op()] = true;
    columns.keep_all.resize(columns.footprint.size(), without[step.op()]);
  }
  if (!columns.keep_all.empty()) {
    columns.keep_all.resize(columns.footprint.size(), columns.keep_all.back());
  }
  return columns;
}

std::vector<Bytes> largest_of_parts(const std::vector<Bytes>& values,
                                    std::size_t count) {
  if (values.size() <= count) return values;
  std::vector<Bytes> result;
  for (std::size_t i = 0; i < count; ++i) {
    const auto first =
        values.begin() + static_cast<std::ptrdiff_t>(i * values.size() / count);
    const auto last = values.begin() + static_cast<std::ptrdiff_t>(
                                           (i + 1) * values.size() / count);
    result.push_back(*std::max_element(first, last));
  }
  return result;
}

}  // namespace rematch
