// SPDX-License-Identifier: Apache-2.0
// The curve of cost against budget: as a table for people, as JSON, as CSV.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rematch/cli/console.h"
#include "rematch/solve/frontier.h"

namespace rematch {

// A row per budget, without the plan.
struct FrontierRow {
  Outcome outcome = Outcome::kUnknown;
  Bytes budget = 0;
  std::optional<Bytes> peak;  // This and the next two only with a plan.
  std::optional<Cost> cost;
  std::optional<double> overhead;
  Cost lower_bound = 0;
  std::optional<double> gap;
  std::string strategy;  // That found the plan; empty without one.
};

std::vector<FrontierRow> frontier_rows(std::span<const Solution> points);

// "14 of 20 points proved".
std::string proved_words(std::span<const FrontierRow> rows);

// A line of headings and a line per row, the last column a bar as long as the
// overhead.
void print_rows(const Graph& graph, Bytes keep_all_peak,
                std::span<const FrontierRow> rows, const Console& console);

// The table between what was asked and what came of it.
void print_frontier(const Graph& graph, std::string_view strategy,
                    const Frontier& frontier, const Console& console);

// One object on one line, without a line end.
std::string frontier_to_json(const Graph& graph, std::string_view strategy,
                             const Frontier& frontier);

// A line of names and a line per point.
std::string frontier_to_csv(const Frontier& frontier);

}  // namespace rematch
