// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/frontier_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rematch/cli/summary.h"
#include "rematch/cli/table.h"
#include "rematch/io/json_writer.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

constexpr int kBarWidth = 16;

// The fields of a point, as text for a file; "null" where there is none.
struct Field {
  std::string_view name;
  std::string value;
};

std::string number_or_null(const std::optional<double>& value) {
  return value ? json_number(*value) : "null";
}

std::array<Field, 8> fields_of(const FrontierRow& row) {
  return {{{"budget_bytes", std::to_string(row.budget)},
           {"peak_bytes", row.peak ? std::to_string(*row.peak) : "null"},
           {"cost", number_or_null(row.cost)},
           {"overhead", number_or_null(row.overhead)},
           {"lower_bound", json_number(row.lower_bound)},
           {"gap", number_or_null(row.gap)},
           {"strategy", row.strategy.empty() ? "null" : row.strategy},
           {"outcome", std::string(outcome_name(row.outcome))}}};
}

std::string row_to_json(const FrontierRow& row) {
  JsonObjectWriter object(JsonLayout::kOneLine);
  for (const Field& field : fields_of(row)) {
    const bool is_text = field.name == "outcome" || field.name == "strategy";
    if (is_text && field.value != "null") {
      object.text(field.name, field.value);
    } else {
      object.json(field.name, field.value);
    }
  }
  return object.finish();
}

// As wide as `width`, in eighths of a character.
std::string bar(double share) {
  constexpr std::array<std::string_view, 8> kParts = {"",  "▏", "▎", "▍",
                                                      "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<std::size_t>(std::lround(share * kBarWidth * 8));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  text += kParts[eighths % 8];
  // Bars begin where bars begin, though other columns are aligned right.
  text.append(kBarWidth - display_width(text), ' ');
  return text;
}

Cell gap_cell(const FrontierRow& row) {
  if (row.outcome == Outcome::kOptimal) return {"optimal", Style::kGood};
  if (!row.gap) return "";
  if (*row.gap < 5e-7) return "<0.0001%";
  return format_gap(*row.gap);
}

// A budget without a plan.
Cell no_plan_cell(const FrontierRow& row) {
  if (row.outcome == Outcome::kInfeasible) return {"infeasible", Style::kBad};
  return {"none found", Style::kWarning};
}

std::vector<Cell> cells_of(const FrontierRow& row, Cost base, Bytes keep_all,
                           double most_overhead) {
  const double percent = 100.0 * static_cast<double>(row.budget) /
                         static_cast<double>(std::max<Bytes>(1, keep_all));
  std::vector<Cell> cells = {format_bytes(row.budget),
                             fmt::format("{:.1f}%", percent)};
  if (!row.peak) {
    cells.insert(cells.end(), {"", no_plan_cell(row)});
    return cells;
  }
  const double bound = base > 0 ? row.lower_bound / base : 1;
  const double share = most_overhead > 0 ? *row.overhead / most_overhead : 0;
  cells.insert(cells.end(),
               {format_bytes(*row.peak), format_ratio(1 + *row.overhead),
                format_percent(*row.overhead), format_ratio(bound),
                gap_cell(row), row.strategy, bar(share)});
  return cells;
}

// What a budget would have to be, where one of the points is too small.
std::string hint(const Frontier& frontier) {
  const auto& points = frontier.points;
  const bool any_without =
      std::any_of(points.begin(), points.end(),
                  [](const Solution& point) { return !point.has_plan(); });
  if (!any_without || points.empty()) return "";
  std::string text = fmt::format("no plan needs less than {}",
                                 format_size(points.front().peak_floor));
  if (frontier.least_peak) {
    text += fmt::format("; the least that was found is {}",
                        format_size(*frontier.least_peak));
  }
  return text + "\n";
}

// Why it is not better; empty if there is nothing to say.
std::string_view why_not_better(StopReason reason) {
  if (reason == StopReason::kGapReached) return ", the others within the gap";
  return stop_words(reason);
}

}  // namespace

std::vector<FrontierRow> frontier_rows(std::span<const Solution> points) {
  std::vector<FrontierRow> rows;
  for (const Solution& point : points) {
    FrontierRow row{.outcome = point.outcome,
                    .budget = point.budget,
                    .peak = {},
                    .cost = {},
                    .overhead = {},
                    .lower_bound = point.lower_bound,
                    .gap = point.gap(),
                    .strategy = point.strategy};
    if (point.has_plan()) {
      row.peak = point.peak;
      row.cost = point.cost;
      row.overhead = point.overhead();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string proved_words(std::span<const FrontierRow> rows) {
  const auto proved =
      std::count_if(rows.begin(), rows.end(), [](const FrontierRow& row) {
        return row.outcome == Outcome::kOptimal ||
               row.outcome == Outcome::kInfeasible;
      });
  return fmt::format("{} of {} proved", proved, count_of(rows.size(), "point"));
}

void print_rows(const Graph& graph, Bytes keep_all_peak,
                std::span<const FrontierRow> rows, const Console& console) {
  double most = 0;
  for (const FrontierRow& row : rows) {
    most = std::max(most, row.overhead.value_or(0));
  }
  Table table(Table::Align::kRight);
  std::vector<Cell> headings;
  for (const char* heading : {"budget", "of keep-all", "peak", "cost",
                              "overhead", "bound", "gap", "found by"}) {
    headings.emplace_back(heading, Style::kBold);
  }
  table.add_row(std::move(headings));
  for (const FrontierRow& row : rows) {
    table.add_row(cells_of(row, graph.base_cost(), keep_all_peak, most));
  }
  table.print(console);
}

void print_frontier(const Graph& graph, std::string_view strategy,
                    const Frontier& frontier, const Console& console) {
  const Bytes keep_all = keep_all_peak(graph);
  const auto& points = frontier.points;
  console.out << fmt::format("{}, keep-all peak {}, floor {}, {} order\n\n",
                             size_of(graph), format_bytes(keep_all),
                             format_bytes(points.front().peak_floor),
                             order_name(points.front().order));
  const auto rows = frontier_rows(points);
  print_rows(graph, keep_all, rows, console);
  console.out << "\ncost and bound as a multiple of keep-all; "
              << "optimal: proved\n"
              << hint(frontier)
              << fmt::format(
                     "{}: {}{}, {:.3f} s\n", strategy, proved_words(rows),
                     why_not_better(frontier.stop_reason), frontier.seconds);
}

std::string frontier_to_json(const Graph& graph, std::string_view strategy,
                             const Frontier& frontier) {
  const Solution& first = frontier.points.front();
  const auto& least = frontier.least_peak;
  std::vector<std::string> points;
  for (const FrontierRow& row : frontier_rows(frontier.points)) {
    points.push_back(row_to_json(row));
  }
  return JsonObjectWriter(JsonLayout::kOneLine)
      .text("graph", graph.name())
      .text("strategy", strategy)
      .text("outcome", outcome_name(frontier.outcome()))
      .number("base_cost", graph.base_cost())
      .integer("fixed_bytes", graph.fixed_bytes())
      .integer("keep_all_peak_bytes", keep_all_peak(graph))
      .integer("peak_floor_bytes", first.peak_floor)
      .json("least_peak_bytes", least ? std::to_string(*least) : "null")
      .integer("proved", frontier.num_proved())
      .number("seconds", std::round(frontier.seconds * 1e6) / 1e6)
      .text("stop_reason", stop_reason_name(frontier.stop_reason))
      .text("order", order_name(first.order))
      .integer("seed", first.seed)
      .json("points", json_list(points, JsonLayout::kOneLine))
      .finish();
}

std::string frontier_to_csv(const Frontier& frontier) {
  std::vector<std::string_view> names;
  for (const Field& field : fields_of({})) names.push_back(field.name);
  std::string text = fmt::format("{}\n", fmt::join(names, ","));
  for (const FrontierRow& row : frontier_rows(frontier.points)) {
    std::vector<std::string> values;
    for (const Field& field : fields_of(row)) {
      values.push_back(field.value == "null" ? "" : field.value);
    }
    text += fmt::format("{}\n", fmt::join(values, ","));
  }
  return text;
}

}  // namespace rematch
