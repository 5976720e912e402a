// SPDX-License-Identifier: Apache-2.0
// rematch replay: checks and measures a plan made anywhere.
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "rematch/cli/commands.h"
#include "rematch/cli/live_table.h"
#include "rematch/cli/summary.h"
#include "rematch/cli/table.h"
#include "rematch/cli/validators.h"
#include "rematch/io/file.h"
#include "rematch/io/graph_file.h"
#include "rematch/io/json_parse.h"
#include "rematch/io/json_reader.h"
#include "rematch/io/json_writer.h"
#include "rematch/io/plan_json.h"
#include "rematch/io/solution_json.h"
#include "rematch/plan/confirm.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

constexpr const char* kExamples = R"(Examples:
  rematch replay graph.json plan.json
      is the plan valid, what is its peak, what does it cost
  rematch replay graph.json plan.json --json
      the same with the footprint of every step

A plan that reads a dropped tensor, or claims numbers that are not true, is
refused with exit code 2 and a sentence that names the step.)";

struct Options {
  std::string graph;
  std::string plan;
  std::string order;
  bool json = false;
};

// A plan to check, and what its file claims about it.
struct Claim {
  Plan plan;
  std::optional<Solution> solution;
};

Result<Claim> read_claim(const std::string& path, const Graph& graph) {
  const auto text = read_text(path);
  if (!text) return text.error();
  const auto document = parse_json(*text);
  if (!document) return in_file(path, document.error());
  if (document_kind(*document) == DocumentKind::kSolution) {
    auto solution = solution_from_json(*text, graph);
    if (!solution) return in_file(path, solution.error());
    if (solution->has_plan()) {
      Plan plan = *solution->plan;
      return Claim{std::move(plan), *std::move(solution)};
    }
  }
  auto plan = plan_from_json(*text, graph);
  if (!plan) return in_file(path, plan.error());
  return Claim{*std::move(plan), std::nullopt};
}

// A solution must be true in every number; a plan only valid.
Result<Replay> check(const Graph& graph, const Claim& claim, OrderRule order) {
  if (!claim.solution) return replay(graph, claim.plan, order);
  Solution solution = *claim.solution;
  // What holds for plans in a fixed order says nothing about others.
  if (order == OrderRule::kFree && solution.order == OrderRule::kFixed) {
    solution.peak_floor = 0;
  }
  solution.order = order;
  return confirm(graph, solution);
}

double overhead(const Graph& graph, Cost cost) {
  return graph.base_cost() > 0 ? cost / graph.base_cost() - 1 : 0;
}

void print_json(const Graph& graph, const Plan& plan, const Replay& measured,
                OrderRule order, const Console& console) {
  std::vector<std::string> footprint;
  for (Bytes bytes : measured.footprint) {
    footprint.push_back(std::to_string(bytes));
  }
  const auto live = live_tensors(graph, plan, measured.peak_step);
  JsonObjectWriter object(JsonLayout::kOneLine);
  object.flag("valid", true)
      .integer("peak_bytes", measured.peak)
      .integer("fixed_bytes", graph.fixed_bytes())
      .number("cost", measured.cost)
      .number("base_cost", graph.base_cost())
      .number("overhead", overhead(graph, measured.cost))
      .text("order", order_name(order))
      .integer("steps", plan.steps.size())
      .integer("peak_step", measured.peak_step.value)
      .json("live_at_peak", live_to_json(graph, live))
      .json("footprint_bytes", json_list(footprint, JsonLayout::kOneLine));
  console.out << object.finish() << '\n';
}

void print_text(const Graph& graph, const Plan& plan, const Replay& measured,
                OrderRule order, const Console& console) {
  Table table(Table::Align::kLeft);
  table.add_row({"plan",
                 {fmt::format("valid: {} steps, {} order", plan.steps.size(),
                              order_name(order)),
                  Style::kGood}});
  table.add_row({"peak", format_size(measured.peak)});
  table.add_row({"keep-all", format_size(keep_all_peak(graph))});
  table.add_row(
      {"cost", fmt::format("{}, {} of keep-all ({})",
                           cost_with_unit(graph, measured.cost),
                           format_ratio(1 + overhead(graph, measured.cost)),
                           format_percent(overhead(graph, measured.cost)))});
  table.print(console);
  if (plan.steps.empty()) return;
  const Step& step = plan.steps[measured.peak_step.index()];
  const std::string& what = step.is_compute()
                                ? graph.op(step.op()).name
                                : graph.tensor(step.tensor()).name;
  console.out << fmt::format(
      "at the peak, step {} ({} {}):\n", measured.peak_step.value,
      step.is_compute() ? "compute" : "drop", display_name(what));
  print_live(graph, live_tensors(graph, plan, measured.peak_step), 10, console);
}

Result<ExitCode> run(const Options& options, const Console& console) {
  if (options.graph == "-" && options.plan == "-") {
    return Error{ErrorCode::kInvalidArgument,
                 "graph and plan cannot both come from standard input"};
  }
  const auto graph = load_graph(options.graph);
  if (!graph) return graph.error();
  const auto claim = read_claim(options.plan, *graph);
  if (!claim) return claim.error();
  OrderRule order =
      claim->solution ? claim->solution->order : OrderRule::kFixed;
  if (!options.order.empty()) order = *order_from_name(options.order);
  const auto measured = check(*graph, *claim, order);
  if (!measured) return in_file(options.plan, measured.error());
  if (options.json) {
    print_json(*graph, claim->plan, *measured, order, console);
  } else {
    print_text(*graph, claim->plan, *measured, order, console);
  }
  return ExitCode::kAnswered;
}

}  // namespace

void add_replay_command(Command app, Session& session) {
  auto options = std::make_shared<Options>();
  Command command =
      app.add_command("replay", "Check and measure a plan made anywhere");
  command.footer(kExamples);
  add_graph_argument(command, options->graph);
  command
      .add_option("PLAN", options->plan, "plan or solution file, - for stdin")
      .required()
      .type_name("");
  command
      .add_option("--order", options->order,
                  "order rule to check (default: the solution's own, else "
                  "fixed)")
      .check(one_of({"fixed", "free"}))
      .type_name("RULE");
  command.add_flag("--json", options->json, "print one JSON object");
  command.callback([options, &session] {
    session.action = [options, &session] {
      return run(*options, session.console);
    };
  });
}

}  // namespace rematch
