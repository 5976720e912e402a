// SPDX-License-Identifier: Apache-2.0
// rematch plan: the cheapest plan found within a budget.
#include <array>
#include <memory>
#include <optional>
#include <ostream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "rematch/cli/commands.h"
#include "rematch/cli/memory_curve.h"
#include "rematch/cli/output_files.h"
#include "rematch/cli/progress_line.h"
#include "rematch/cli/search_options.h"
#include "rematch/cli/strategy_option.h"
#include "rematch/cli/summary.h"
#include "rematch/cli/table.h"
#include "rematch/io/file.h"
#include "rematch/io/graph_file.h"
#include "rematch/io/graph_origin.h"
#include "rematch/io/solution_json.h"
#include "rematch/plan/budget.h"
#include "rematch/report/page.h"
#include "rematch/solve/within_budget.h"

namespace rematch {
namespace {

constexpr const char* kExamples = R"(Examples:
  rematch plan graph.json --budget 8GiB
      the best plan whose peak is at most 8 GiB
  rematch plan graph.json --budget 50% -o plan.json
      half of what keeping everything takes; the plan goes to a file
  rematch plan graph.json --budget 50% --report page.html
      a page that shows where the memory goes and what is computed again
  rematch plan graph.json --budget min --json
      the least memory that works, as one JSON object
  rematch generate transformer --ops 1000 --training | rematch plan - --budget 60%

Exit codes: 0 a plan was found, 2 bad input, 3 no plan exists (proved), 4 none
was found within the limits.)";

struct Options {
  std::string graph;
  std::string budget;
  std::string strategy = "auto";
  std::string output;
  std::string report;
  bool json = false;
  SearchOptions search;
};

// Options that do not go together.
std::optional<Error> conflict(const Options& options) {
  std::vector<std::string_view> wanting;
  if (options.json) wanting.emplace_back("--json");
  if (options.output == "-") wanting.emplace_back("-o -");
  if (options.report == "-") wanting.emplace_back("--report -");
  if (wanting.size() < 2) return std::nullopt;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{} and {} both want standard output", wanting[0],
                           wanting[1])};
}

Status write_files(const Graph& graph, const Solution& solution,
                   const Options& options) {
  if (!options.output.empty()) {
    const auto origin = origin_of(graph, options.graph, options.output);
    auto written =
        write_text(options.output, solution_to_json(graph, solution, origin));
    if (!written) return written;
  }
  if (options.report.empty()) return ok_status();
  auto plan = measure(graph, solution.strategy, solution);
  REMATCH_CHECK(plan.ok(), "what solve() answers is true");
  return write_text(options.report, plans_page(graph, {*std::move(plan)}));
}

Result<Solution> search(const Graph& graph, const Options& options,
                        const Console& console) {
  const auto strategy = strategy_named(options.strategy);
  if (!strategy) return strategy.error();
  auto request = to_request(options.search, std::array{*strategy});
  if (!request) return request.error();
  ProgressLine line(console, graph);
  request->on_progress = [&](const SearchProgress& progress) {
    line.update(progress);
  };
  const auto spec = parse_budget(options.budget);
  if (!spec) return spec.error();
  return solve_within(graph, *spec, to_order(options.search), **strategy,
                      *request);
}

// What a person at a terminal gets besides the numbers.
void print_picture(const Graph& graph, const Solution& solution,
                   const Console& console) {
  if (!solution.has_plan()) return;
  console.out << '\n';
  print_memory_curve(graph, solution, console);
  console.out << '\n'
              << console.styled(Style::kGood, certificate_words(solution))
              << '\n';
}

Result<ExitCode> run(const Options& options, const Console& console) {
  if (const auto error = conflict(options)) return *error;
  // A wrong option is found before a large file is read.
  if (const auto ok = check_page_name(options.report); !ok) return ok.error();
  if (const auto spec = parse_budget(options.budget); !spec) {
    return spec.error();
  }
  const auto strategy = strategy_named(options.strategy);
  if (!strategy) return strategy.error();
  const auto request = to_request(options.search, std::array{*strategy});
  if (!request) return request.error();
  const auto writable = check_outputs(
      {options.graph}, {{"-o", options.output}, {"--report", options.report}});
  if (!writable) return writable.error();
  const auto graph = load_graph(options.graph);
  if (!graph) return graph.error();
  const auto solution = search(*graph, options, console);
  if (!solution) return solution.error();
  if (solution->has_plan()) {
    const auto written = write_files(*graph, *solution, options);
    if (!written) return written.error();
  }
  if (options.json) {
    console.out << summary_to_json(*solution) << '\n';
  } else if (options.output != "-" && options.report != "-") {
    print_solution(*graph, *solution, console);
    if (console.person) print_picture(*graph, *solution, console);
  } else if (!solution->has_plan()) {
    console.err << "rematch: " << display_name(solution->message, 500) << '\n';
  }
  if (!solution->has_plan()) say_no_page(options.report, console);
  return exit_code(solution->outcome);
}

}  // namespace

void add_plan_command(Command app, Session& session) {
  auto options = std::make_shared<Options>();
  Command command =
      app.add_command("plan", "Find the cheapest plan within a budget");
  command.footer(kExamples);
  add_graph_argument(command, options->graph);
  command
      .add_option("--budget,-b", options->budget,
                  "largest peak: bytes with an optional unit (8GiB), a "
                  "percentage of the keep-all peak (50%), or min")
      .required()
      .type_name("BUDGET");
  add_strategy_option(command, options->strategy);
  add_search_options(command, options->search);
  command
      .add_option("-o,--output", options->output,
                  "write the solution with its plan to this file")
      .type_name("FILE");
  command
      .add_option("--report", options->report,
                  "write a page that shows the plan to this file")
      .type_name("FILE");
  command.add_flag("--json", options->json,
                   "print the summary as one JSON object");
  command.callback([options, &session] {
    session.action = [options, &session] {
      return run(*options, session.console);
    };
  });
}

}  // namespace rematch
