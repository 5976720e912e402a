// SPDX-License-Identifier: Apache-2.0
// rematch compare: strategies against budgets, as a table.
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "rematch/cli/commands.h"
#include "rematch/cli/search_options.h"
#include "rematch/cli/strategy_option.h"
#include "rematch/cli/summary.h"
#include "rematch/cli/table.h"
#include "rematch/io/graph_file.h"
#include "rematch/io/json_writer.h"
#include "rematch/io/solution_json.h"
#include "rematch/plan/budget.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/least_peak.h"
#include "rematch/solve/solve.h"

namespace rematch {
namespace {

constexpr const char* kExamples = R"(Examples:
  rematch compare graph.json
      every strategy at 90%, 80%, ... of the keep-all peak
  rematch compare graph.json --budgets 8GiB,6GiB,min --strategies auto,dtr
  rematch compare graph.json --json

A cell is the cost as a multiple of keep-all; * marks a proved optimum.)";

struct Options {
  std::string graph;
  std::string budgets = "90%,80%,70%,60%,50%,40%,30%,20%";
  std::string strategies;
  bool json = false;
  SearchOptions search;
};

struct Comparison {
  std::vector<const Strategy*> strategies;
  std::vector<std::string> budget_names;
  std::vector<std::optional<Bytes>> budgets;
  std::vector<std::vector<Solution>> solutions;  // By strategy, then budget.
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    parts.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

// What is asked, checked before a large file is read.
struct Question {
  std::vector<const Strategy*> strategies;
  std::vector<BudgetSpec> budgets;
  Request request;
  OrderRule order = OrderRule::kFixed;
};

Result<Question> understand(const Options& options) {
  Question question;
  for (const Strategy& strategy : strategies()) {
    question.strategies.push_back(&strategy);
  }
  if (!options.strategies.empty()) {
    auto named = strategies_named(options.strategies);
    if (!named) return named.error();
    question.strategies = *std::move(named);
  }
  auto budgets = parse_budgets(options.budgets);
  if (!budgets) return budgets.error();
  question.budgets = *std::move(budgets);
  const auto request = to_request(options.search, question.strategies);
  if (!request) return request.error();
  question.request = *request;
  question.order = to_order(options.search);
  return question;
}

Result<Comparison> compare(const Graph& graph, const Question& question) {
  Comparison result;
  result.strategies = question.strategies;
  const Bytes keep_all = keep_all_peak(graph);
  for (const BudgetSpec& spec : question.budgets) {
    const auto budget = resolve_budget(spec, keep_all);
    if (!budget) return budget.error();
    result.budgets.push_back(*budget);
  }
  for (const Strategy* strategy : result.strategies) {
    auto& row = result.solutions.emplace_back();
    for (const auto& budget : result.budgets) {
      row.push_back(budget ? solve({graph, *budget, question.order}, *strategy,
                                   question.request)
                           : solve_least_peak(graph, question.order, *strategy,
                                              question.request));
    }
  }
  return result;
}

Cell cell(const Solution& solution, bool show_peak) {
  if (!solution.has_plan()) {
    if (solution.outcome == Outcome::kInfeasible) {
      return {"infeasible", Style::kBad};
    }
    switch (solution.stop_reason) {
      case StopReason::kOverBudget:
        return {"over", Style::kWarning};
      case StopReason::kNotApplicable:
        return {"n/a", Style::kDim};
      default:
        return {"limit", Style::kWarning};
    }
  }
  const bool optimal = solution.outcome == Outcome::kOptimal;
  std::string text = fmt::format("{:.5f}", solution.overhead() + 1);
  if (solution.overhead() >= 99) {
    text = fmt::format("{:.1f}", solution.overhead() + 1);
  }
  text += optimal ? "*" : " ";
  if (show_peak) text = format_bytes(solution.peak) + " at " + text;
  return {text, optimal ? Style::kGood : Style::kPlain};
}

void print_table(const Graph& graph, const Comparison& comparison,
                 const Console& console) {
  console.out << fmt::format(
      "{}, keep-all peak {}, floor {}, {} order\n\n", size_of(graph),
      format_bytes(keep_all_peak(graph)),
      format_bytes(comparison.solutions[0][0].peak_floor),
      order_name(comparison.solutions[0][0].order));
  Table table(Table::Align::kRight);
  std::vector<Cell> names = {{"strategy", Style::kBold}};
  std::vector<Cell> sizes = {{""}};
  for (std::size_t i = 0; i < comparison.budgets.size(); ++i) {
    names.emplace_back(comparison.budget_names[i] + " ", Style::kBold);
    const auto& budget = comparison.budgets[i];
    sizes.emplace_back(budget ? format_bytes(*budget) + " " : "", Style::kDim);
  }
  table.add_row(std::move(names));
  table.add_row(std::move(sizes));
  for (std::size_t i = 0; i < comparison.strategies.size(); ++i) {
    std::vector<Cell> row = {{std::string(comparison.strategies[i]->name)}};
    for (std::size_t k = 0; k < comparison.budgets.size(); ++k) {
      row.push_back(
          cell(comparison.solutions[i][k], !comparison.budgets[k].has_value()));
    }
    table.add_row(std::move(row));
  }
  table.print(console);
  console.out
      << "\ncost as a multiple of keep-all; * proved optimal; over: its "
         "plan needs more than\nthe budget; n/a: does not take this "
         "graph; limit: stopped by a limit\n";
}

void print_json(const Graph& graph, const Comparison& comparison,
                const Console& console) {
  std::vector<std::string> results;
  for (const auto& row : comparison.solutions) {
    for (const Solution& solution : row) {
      results.push_back(summary_to_json(solution));
    }
  }
  console.out << JsonObjectWriter(JsonLayout::kOneLine)
                     .text("graph", graph.name())
                     .integer("keep_all_peak_bytes", keep_all_peak(graph))
                     .json("results", json_list(results, JsonLayout::kOneLine))
                     .finish()
              << '\n';
}

Result<ExitCode> run(const Options& options, const Console& console) {
  const auto question = understand(options);
  if (!question) return question.error();
  const auto graph = load_graph(options.graph);
  if (!graph) return graph.error();
  auto comparison = compare(*graph, *question);
  if (!comparison) return comparison.error();
  comparison->budget_names = split(options.budgets);
  if (options.json) {
    print_json(*graph, *comparison, console);
  } else {
    print_table(*graph, *comparison, console);
  }
  return ExitCode::kAnswered;
}

}  // namespace

void add_compare_command(Command app, Session& session) {
  auto options = std::make_shared<Options>();
  Command command =
      app.add_command("compare", "Compare strategies at several budgets");
  command.footer(kExamples);
  add_graph_argument(command, options->graph);
  command
      .add_option("--budgets", options->budgets,
                  "comma-separated budgets, as for plan")
      .type_name("LIST")
      .show_default();
  command
      .add_option("--strategies", options->strategies,
                  "comma-separated names (default: all)")
      .type_name("LIST");
  add_search_options(command, options->search);
  command.add_flag("--json", options->json, "print one JSON object");
  command.callback([options, &session] {
    session.action = [options, &session] {
      return run(*options, session.console);
    };
  });
}

}  // namespace rematch
