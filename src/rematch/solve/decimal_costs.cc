// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/decimal_costs.h"

#include <cmath>
#include <optional>

#include "rematch/plan/sequence.h"
#include "rematch/solve/gap/gap_bound.h"

namespace rematch {
namespace {

constexpr double kMostUnits = 1e12;  // To one.
constexpr double kRounding = 0x1p-52;
constexpr double kMostSteps = 1e11;  // In a plan.

// 10^d with the least d for which every cost is the double next to a whole
// number divided by it; none if there is no such d.
std::optional<double> units_to_one(const Graph& graph) {
  for (double units = 1; units <= kMostUnits; units *= 10) {
    bool whole = true;
    for (OpId op : graph.ops()) {
      const Cost cost = graph.op(op).cost;
      // A division of whole numbers is rounded once, as a decimal is when it is
      // read.
      whole = whole && std::round(cost * units) / units == cost;
    }
    if (whole) return units;
  }
  return std::nullopt;
}

}  // namespace

bool is_cheapest_by_digits(const Graph& graph, const Plan& plan, Cost bound) {
  const auto units = units_to_one(graph);
  if (!units) return false;
  double sum = 0;  // Of whole numbers: exact as far as it is used.
  const auto ops = computed_ops(plan);
  for (OpId op : ops) sum += std::round(graph.op(op).cost * *units);
  const double off = kRounding * (static_cast<double>(ops.size()) + 4) * sum;
  return off < 0.1 && bound * *units > sum - 1 + 0.2;
}

Cost cost_step(const Graph& graph) {
  const Cost whole = common_cost_unit(graph);
  if (whole > 0) return whole;
  const auto units = units_to_one(graph);
  return units && graph.base_cost() * *units < kMostSteps ? 1 / *units : 0;
}

}  // namespace rematch
