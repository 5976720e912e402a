// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/confirm.h"

#include <fmt/format.h>

#include "rematch/base/check.h"
#include "rematch/plan/floor.h"

namespace rematch {
namespace {

template <class... Args>
Error untrue(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorCode::kInvalidPlan,
          fmt::format(text, std::forward<Args>(args)...)};
}

Status check_measures(const Graph& graph, const Solution& claim,
                      const Replay& measured) {
  if (claim.peak != measured.peak) {
    return untrue("it claims a peak of {} bytes, but replay gives {}",
                  claim.peak, measured.peak);
  }
  if (claim.cost != measured.cost) {
    return untrue("it claims a cost of {}, but replay gives {}",
                  format_cost(claim.cost), format_cost(measured.cost));
  }
  if (claim.base_cost != graph.base_cost()) {
    return untrue(
        "it claims a base cost of {}, but the ops of the graph cost "
        "{}",
        format_cost(claim.base_cost), format_cost(graph.base_cost()));
  }
  if (claim.fixed_bytes != graph.fixed_bytes()) {
    return untrue("it claims {} fixed bytes, but the graph has {}",
                  claim.fixed_bytes, graph.fixed_bytes());
  }
  return ok_status();
}

Status check_certificate(const Graph& graph, const Solution& claim) {
  if (claim.peak > claim.budget) {
    return untrue("its peak of {} bytes is above its budget of {}", claim.peak,
                  claim.budget);
  }
  if (claim.peak_floor > claim.peak) {
    return untrue(
        "it claims that no plan has a peak below {} bytes, but its "
        "own has {}",
        claim.peak_floor, claim.peak);
  }
  const Bytes floor = peak_floor(graph, claim.order).bytes;
  if (claim.peak_floor > floor) {
    return untrue(
        "it claims that no plan has a peak below {} bytes, but what must be "
        "live at once takes {}",
        claim.peak_floor, floor);
  }
  if (claim.lower_bound > claim.cost) {
    return untrue(
        "it claims that no plan costs less than {}, but its own "
        "costs {}",
        format_cost(claim.lower_bound), format_cost(claim.cost));
  }
  if (claim.outcome == Outcome::kOptimal && claim.lower_bound != claim.cost) {
    return untrue(
        "it claims to be optimal, but its bound is {} and its cost "
        "{}",
        format_cost(claim.lower_bound), format_cost(claim.cost));
  }
  return ok_status();
}

}  // namespace

Result<Replay> confirm(const Graph& graph, const Solution& solution) {
  REMATCH_CHECK(solution.has_plan(),
                "only a solution with a plan is confirmed");
  auto measured = replay(graph, *solution.plan, solution.order);
  if (!measured) return measured.error();
  if (auto ok = check_measures(graph, solution, *measured); !ok) {
    return ok.error();
  }
  if (auto ok = check_certificate(graph, solution); !ok) return ok.error();
  return measured;
}

}  // namespace rematch
