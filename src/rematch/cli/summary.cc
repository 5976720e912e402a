// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/summary.h"

#include <cmath>
#include <ostream>

#include <fmt/format.h>

#include "rematch/cli/table.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

Style outcome_style(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOptimal:
      return Style::kGood;
    case Outcome::kFeasible:
      return Style::kPlain;
    case Outcome::kInfeasible:
      return Style::kBad;
    case Outcome::kUnknown:
      return Style::kWarning;
  }
  return Style::kPlain;
}

std::string outcome_words(const Solution& solution) {
  switch (solution.outcome) {
    case Outcome::kOptimal:
      return "optimal: no plan within the budget is cheaper (proved)";
    case Outcome::kFeasible: {
      const auto gap = solution.gap();
      if (!gap) return "feasible";
      if (gap && *gap < 1e-9) {
        return "feasible: within rounding of the best possible";
      }
      return fmt::format("feasible: at most {} above the best possible",
                         format_gap(*gap));
    }
    case Outcome::kInfeasible:
      return "infeasible (proved)";
    case Outcome::kUnknown:
      return "unknown: no plan found, which proves nothing";
  }
  return "";
}

std::string share_of(Bytes part, Bytes whole) {
  if (whole <= 0) return "";
  return fmt::format(
      ", {:.1f}% of keep-all",
      100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

// "35 ops again, 42 runs in all beyond the first".
std::string recomputations(const Plan& plan, const Graph& graph) {
  IdVector<OpId, int> runs(graph.num_ops());
  for (OpId op : computed_ops(plan)) ++runs[op];
  std::int64_t again = 0;
  std::int64_t extra = 0;
  for (int count : runs) {
    if (count > 1) ++again;
    extra += count - 1;
  }
  return fmt::format("{} of {} ops, {}", again, graph.num_ops(),
                     count_of(static_cast<std::size_t>(extra), "extra run"));
}

void add_plan_rows(const Graph& graph, const Solution& solution, Bytes keep_all,
                   Table& table) {
  table.add_row(
      {"peak", format_size(solution.peak) + share_of(solution.peak, keep_all)});
  const double ratio = solution.overhead() + 1;
  table.add_row({"cost", fmt::format("{}, {} of keep-all ({})",
                                     cost_with_unit(graph, solution.cost),
                                     format_ratio(ratio),
                                     format_percent(solution.overhead()))});
  table.add_row(
      {"bound",
       fmt::format("{}, proved", cost_with_unit(graph, solution.lower_bound))});
  table.add_row({"recomputed", recomputations(*solution.plan, graph)});
}

}  // namespace

std::string_view stop_words(StopReason reason) {
  switch (reason) {
    case StopReason::kTimeLimit:
      return ", stopped by the time limit";
    case StopReason::kWorkLimit:
      return ", stopped by the work limit";
    case StopReason::kInterrupted:
      return ", interrupted";
    default:
      return "";
  }
}

std::string cost_with_unit(const Graph& graph, Cost cost) {
  std::string text = format_cost(cost);
  if (cost != std::floor(cost)) {
    // Three decimals are enough to look at; files and --json have them all.
    text =
        cost >= 1 ? fmt::format("{:.3f}", cost) : fmt::format("{:.3g}", cost);
  }
  if (graph.cost_unit().empty()) return text;
  return text + " " + display_name(graph.cost_unit(), 12);
}

std::string count_of(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string size_of(const Graph& graph) {
  return fmt::format(
      "{}: {}, {}",
      graph.name().empty() ? "(unnamed)" : display_name(graph.name()),
      count_of(graph.num_ops(), "op"), count_of(graph.num_edges(), "edge"));
}

std::string format_size(Bytes bytes) {
  if (bytes < 1024) return format_bytes(bytes);
  return fmt::format("{} ({} bytes)", format_bytes(bytes), format_exact(bytes));
}

void print_solution(const Graph& graph, const Solution& solution,
                    const Console& console) {
  const Bytes keep_all = keep_all_peak(graph);
  Table table(Table::Align::kLeft);
  table.add_row({"graph", size_of(graph)});
  table.add_row({"budget", format_size(solution.budget) +
                               share_of(solution.budget, keep_all)});
  table.add_row(
      {"outcome", {outcome_words(solution), outcome_style(solution.outcome)}});
  if (!solution.message.empty()) {
    table.add_row({"", display_name(solution.message, 500)});
  }
  table.add_row(
      {"strategy", fmt::format("{}, {} order, {:.3f} s{}", solution.strategy,
                               order_name(solution.order), solution.seconds,
                               stop_words(solution.stop_reason))});
  if (solution.has_plan()) {
    add_plan_rows(graph, solution, keep_all, table);
  } else {
    table.add_row({"keep-all", format_size(keep_all)});
    if (solution.budget < keep_all) {
      table.add_row({"", "--budget min looks for the least budget that works"});
    }
  }
  table.add_row(
      {"floor", format_size(solution.peak_floor) + ": no plan needs less"});
  table.print(console);
}

}  // namespace rematch
