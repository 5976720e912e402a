// SPDX-License-Identifier: Apache-2.0
// rematch plan: the cheapest plan found within a budget.
#include <array>
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "rematch/cli/commands.h"
#include "rematch/cli/progress_line.h"
#include "rematch/cli/search_options.h"
#include "rematch/cli/strategy_option.h"
#include "rematch/cli/summary.h"
#include "rematch/cli/table.h"
#include "rematch/io/file.h"
#include "rematch/io/graph_file.h"
#include "rematch/io/solution_json.h"
#include "rematch/plan/budget.h"
#include "rematch/solve/within_budget.h"

namespace rematch {
namespace {

constexpr const char* kExamples = R"(Examples:
  rematch plan graph.json --budget 8GiB
      the best plan whose peak is at most 8 GiB
  rematch plan graph.json --budget 50% -o plan.json
      half of what keeping everything takes; the plan goes to a file
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
  bool json = false;
  SearchOptions search;
};

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

Result<ExitCode> run(const Options& options, const Console& console) {
  if (options.json && options.output == "-") {
    return Error{ErrorCode::kInvalidArgument,
                 "--json and -o - both want standard output"};
  }
  // A wrong option is found before a large file is read.
  if (const auto spec = parse_budget(options.budget); !spec) {
    return spec.error();
  }
  const auto strategy = strategy_named(options.strategy);
  if (!strategy) return strategy.error();
  const auto request = to_request(options.search, std::array{*strategy});
  if (!request) return request.error();
  const auto graph = load_graph(options.graph);
  if (!graph) return graph.error();
  const auto solution = search(*graph, options, console);
  if (!solution) return solution.error();
  if (!options.output.empty() && solution->has_plan()) {
    const auto written =
        write_text(options.output, solution_to_json(*graph, *solution));
    if (!written) return written.error();
  }
  if (options.json) {
    console.out << summary_to_json(*solution) << '\n';
  } else if (options.output != "-") {
    print_solution(*graph, *solution, console);
  } else if (!solution->has_plan()) {
    console.err << "rematch: " << display_name(solution->message, 500) << '\n';
  }
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
  command.add_flag("--json", options->json,
                   "print the summary as one JSON object");
  command.callback([options, &session] {
    session.action = [options, &session] {
      return run(*options, session.console);
    };
  });
}

}  // namespace rematch
