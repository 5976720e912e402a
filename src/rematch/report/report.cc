// SPDX-License-Identifier: Apache-2.0
#include "rematch/report/report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rematch/base/check.h"
#include "rematch/plan/confirm.h"

namespace rematch {
namespace {

std::string quality_words(const Solution& solution) {
  if (solution.outcome == Outcome::kOptimal) {
    return "the best possible within the budget, proved";
  }
  const auto gap = solution.gap();
  if (!gap) return "within the budget";
  if (*gap < 1e-9) return "within rounding of the best possible";
  return fmt::format("within {} of the best possible", format_gap(*gap));
}

std::string least_words(const Solution& solution) {
  const std::string floor = format_bytes(solution.peak_floor);
  if (solution.has_plan() && solution.peak == solution.peak_floor) {
    return fmt::format("no plan needs less than its {}", floor);
  }
  return fmt::format("no plan needs less than {}", floor);
}

}  // namespace

Result<MeasuredPlan> measure(const Graph& graph, std::string label, Plan plan,
                             OrderRule order) {
  auto measured = replay(graph, plan, order);
  if (!measured) return measured.error();
  return MeasuredPlan{.label = std::move(label),
                      .plan = std::move(plan),
                      .order = order,
                      .measured = *std::move(measured),
                      .certificate = std::nullopt,
                      .claimed_by = ""};
}

Result<MeasuredPlan> measure(const Graph& graph, std::string label,
                             const Solution& solution) {
  REMATCH_CHECK(solution.has_plan(), "a plan is measured if there is one");
  auto measured = confirm(graph, solution);
  if (!measured) return measured.error();
  return MeasuredPlan{.label = std::move(label),
                      .plan = *solution.plan,
                      .order = solution.order,
                      .measured = *std::move(measured),
                      .certificate = solution,
                      .claimed_by = ""};
}

std::string certificate_words(const Solution& solution) {
  switch (solution.outcome) {
    case Outcome::kInfeasible:
      return fmt::format("no plan fits in {}, proved; {}",
                         format_bytes(solution.budget), least_words(solution));
    case Outcome::kUnknown:
      return fmt::format("no plan was found, which proves nothing; {}",
                         least_words(solution));
    case Outcome::kOptimal:
    case Outcome::kFeasible:
      break;
  }
  return quality_words(solution) + "; " + least_words(solution);
}

}  // namespace rematch
