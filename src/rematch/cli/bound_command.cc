// SPDX-License-Identifier: Apache-2.0
// rematch bound: a proved lower bound on the cost of any plan.
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "rematch/cli/commands.h"
#include "rematch/cli/interrupt.h"
#include "rematch/cli/program_options.h"
#include "rematch/cli/progress_line.h"
#include "rematch/cli/summary.h"
#include "rematch/cli/table.h"
#include "rematch/cli/validators.h"
#include "rematch/io/graph_file.h"
#include "rematch/io/json_writer.h"
#include "rematch/plan/budget.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/program/program_choice.h"

namespace rematch {
namespace {

constexpr const char* kExamples = R"(Examples:
  rematch bound graph.json --budget 50%
      no plan within half of the keep-all peak costs less than this
  rematch bound graph.json --budget 8GiB --json

The bound holds for the graph's fixed order. Below the floor there is no plan at
all: exit code 3. A program that is too large for memory has no bound: exit code
4.)";

constexpr std::string_view kAscending =
    "whose reruns come in the graph's order within each stage ";

struct Options {
  std::string graph;
  ProgramOptions program;
  double time_limit = 10;
  bool json = false;
};

struct Answer {
  ProgramBudget within;
  std::optional<Cost> bound;  // None: infeasible, or too large.
  StopReason stop_reason = StopReason::kProved;
  std::string too_large;  // Why there is no bound; empty: there is.
  bool holds_for_all = true;
};

Result<Answer> compute(const Graph& graph, const Options& options,
                       const Console& console) {
  const auto within = program_budget(graph, options.program);
  if (!within) return within.error();
  Answer answer;
  answer.within = *within;
  if (answer.within.is_below_floor()) return answer;
  const Problem problem{graph, answer.within.budget, OrderRule::kFixed};
  Request request;
  request.limits.seconds = options.time_limit;
  request.limits.interrupt = &watch_for_interrupt();
  ProgressLine line(console, graph);
  request.on_progress = [&](const SearchProgress& progress) {
    line.update(progress);
  };
  const auto bound = program_bound(problem, options.program.choice, request);
  if (!bound && bound.error().code == ErrorCode::kTooLarge) {
    answer.stop_reason = StopReason::kNotApplicable;
    answer.too_large = bound.error().message;
    return answer;
  }
  if (!bound) return bound.error();
  answer.bound = bound->lower_bound;
  answer.stop_reason = bound->stop_reason;
  answer.holds_for_all = bound->holds_for_all;
  return answer;
}

std::string_view outcome_of(const Answer& answer) {
  if (answer.bound) return "bound";
  const bool is_proved = answer.too_large.empty() && answer.holds_for_all;
  return is_proved ? "infeasible" : "unknown";
}

std::string why_none(const Answer& answer) {
  if (!answer.too_large.empty()) {
    return fmt::format("unknown: {}", answer.too_large);
  }
  if (answer.within.is_below_floor()) {
    return "infeasible (proved): below the floor";
  }
  if (!answer.holds_for_all) return fmt::format("no plan {}fits", kAscending);
  return "infeasible (proved): the relaxation has no solution";
}

void print_json(const Graph& graph, const Options& options,
                const Answer& answer, const Console& console) {
  JsonObjectWriter object(JsonLayout::kOneLine);
  object.text("outcome", outcome_of(answer))
      .text("formulation", options.program.choice.formulation)
      .integer("budget_bytes", answer.within.budget)
      .number("base_cost", graph.base_cost());
  if (answer.bound) {
    object.number("lower_bound", *answer.bound);
  } else {
    object.json("lower_bound", "null");
  }
  object.text("stop_reason", stop_reason_name(answer.stop_reason))
      .text("order", "fixed")
      .text("plans", answer.holds_for_all ? "all" : "ascending")
      .integer("peak_floor_bytes", answer.within.floor.bytes);
  if (!answer.too_large.empty()) {
    object.text("message", answer.too_large);
  } else if (outcome_of(answer) == "unknown") {
    object.text("message", why_none(answer));
  }
  console.out << object.finish() << '\n';
}

// Why it is perhaps not all that can be proved; empty if nothing cut it short.
std::string cut_short(StopReason reason) {
  constexpr std::string_view kMore = "with more time it may prove more";
  if (reason == StopReason::kTimeLimit) {
    return fmt::format("stopped by the time limit: {}", kMore);
  }
  if (reason == StopReason::kInterrupted) {
    return fmt::format("interrupted: {}", kMore);
  }
  return "";
}

void print_text(const Graph& graph, const Answer& answer,
                const Console& console) {
  Table table(Table::Align::kLeft);
  table.add_row({"graph", size_of(graph)});
  table.add_row({"budget", format_size(answer.within.budget)});
  if (answer.bound) {
    const double share =
        graph.base_cost() > 0 ? *answer.bound / graph.base_cost() - 1 : 0;
    table.add_row(
        {"bound", fmt::format("{}, {} of keep-all ({}): no plan in "
                              "the fixed order {}costs less",
                              cost_with_unit(graph, *answer.bound),
                              format_ratio(1 + share), format_percent(share),
                              answer.holds_for_all ? "" : kAscending)});
  } else {
    table.add_row({"bound", {why_none(answer), Style::kBad}});
  }
  if (const auto why = cut_short(answer.stop_reason); !why.empty()) {
    table.add_row({"", {why, Style::kWarning}});
  }
  table.add_row({"floor", format_size(answer.within.floor.bytes) +
                              ": no plan needs less"});
  table.print(console);
}

Result<ExitCode> run(const Options& options, const Console& console) {
  if (const auto spec = parse_budget(options.program.budget); !spec) {
    return spec.error();
  }
  const auto graph = load_graph(options.graph);
  if (!graph) return graph.error();
  const auto answer = compute(*graph, options, console);
  if (!answer) return answer.error();
  if (options.json) {
    print_json(*graph, options, *answer, console);
  } else {
    print_text(*graph, *answer, console);
  }
  if (answer->bound) return ExitCode::kAnswered;
  return outcome_of(*answer) == "infeasible" ? ExitCode::kInfeasible
                                             : ExitCode::kNothingFound;
}

}  // namespace

void add_bound_command(Command app, Session& session) {
  auto options = std::make_shared<Options>();
  Command command =
      app.add_command("bound", "Prove a lower bound on the cost of any plan");
  command.footer(kExamples);
  add_graph_argument(command, options->graph);
  add_program_options(command, {"gap", "paper", "telescoped", "split"},
                      options->program);
  command
      .add_option("--time-limit", options->time_limit,
                  "seconds; the best bound so far is given")
      .check(non_negative_number())
      .type_name("SECONDS")
      .show_default();
  command.add_flag("--json", options->json, "print one JSON object");
  command.callback([options, &session] {
    session.action = [options, &session] {
      return run(*options, session.console);
    };
  });
}

}  // namespace rematch
