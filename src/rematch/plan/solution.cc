// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/solution.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rematch {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 4> kOutcomes = {{
    {Outcome::kOptimal, "optimal"},
    {Outcome::kFeasible, "feasible"},
    {Outcome::kInfeasible, "infeasible"},
    {Outcome::kUnknown, "unknown"},
}};

constexpr std::array<std::pair<StopReason, std::string_view>, 8> kReasons = {{
    {StopReason::kProved, "proved"},
    {StopReason::kFinished, "finished"},
    {StopReason::kOverBudget, "over_budget"},
    {StopReason::kNotApplicable, "not_applicable"},
    {StopReason::kTimeLimit, "time_limit"},
    {StopReason::kWorkLimit, "work_limit"},
    {StopReason::kGapReached, "gap_reached"},
    {StopReason::kInterrupted, "interrupted"},
}};

template <class Table, class Key>
std::string_view name_in(const Table& table, Key key) {
  for (const auto& [value, name] : table) {
    if (value == key) return name;
  }
  return {};
}

}  // namespace

double Solution::overhead() const {
  return base_cost > 0 ? cost / base_cost - 1 : 0;
}

std::optional<double> Solution::gap() const {
  if (!has_plan()) return std::nullopt;
  if (cost == lower_bound) return 0.0;
  if (lower_bound <= 0) return std::nullopt;
  return cost / lower_bound - 1;
}

Solution as_answer_to(const Solution& asked, Solution found) {
  if (!found.has_plan()) return asked;
  found.budget = asked.budget;
  found.peak_floor = asked.peak_floor;
  found.lower_bound = std::min(asked.lower_bound, found.cost);
  const bool is_proved = found.cost == found.lower_bound;
  found.outcome = is_proved ? Outcome::kOptimal : Outcome::kFeasible;
  if (is_proved) {
    found.stop_reason = StopReason::kProved;
  } else if (found.stop_reason == StopReason::kProved) {
    found.stop_reason = asked.stop_reason == StopReason::kProved
                            ? StopReason::kFinished
                            : asked.stop_reason;
  }
  return found;
}

std::string_view outcome_name(Outcome outcome) {
  return name_in(kOutcomes, outcome);
}

std::optional<Outcome> outcome_from_name(std::string_view name) {
  for (const auto& [value, text] : kOutcomes) {
    if (text == name) return value;
  }
  return std::nullopt;
}

std::string_view stop_reason_name(StopReason reason) {
  return name_in(kReasons, reason);
}

std::optional<StopReason> stop_reason_from_name(std::string_view name) {
  for (const auto& [value, text] : kReasons) {
    if (text == name) return value;
  }
  return std::nullopt;
}

}  // namespace rematch
