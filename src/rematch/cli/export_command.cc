// SPDX-License-Identifier: Apache-2.0
// rematch export: the programs as text, for other solvers.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "rematch/cli/commands.h"
#include "rematch/cli/program_options.h"
#include "rematch/cli/validators.h"
#include "rematch/io/file.h"
#include "rematch/io/graph_file.h"
#include "rematch/plan/budget.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/program/program_choice.h"

namespace rematch {
namespace {

constexpr const char* kExamples = R"(Examples:
  rematch export graph.json --budget 50% -o gap.mps
      the integer gap program as MPS
  rematch export graph.json --budget 8GiB --formulation paper -o checkmate.lp
      Checkmate's program in the LP format of CPLEX
  rematch export graph.json --budget 50% --formulation telescoped --format mps

Costs and sizes are scaled; comments at the top of the file say how.)";

struct Options {
  std::string graph;
  ProgramOptions program;
  std::string format;
  std::string output = "-";
};

// As given, else what the file's name ends with.
Result<std::string> format_of(const Options& options) {
  if (!options.format.empty()) return options.format;
  for (const char* format : {"mps", "lp"}) {
    if (options.output.ends_with(fmt::format(".{}", format))) {
      return std::string(format);
    }
  }
  if (options.output == "-") return std::string("mps");
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("'{}' ends with neither .mps nor .lp; --format says "
                           "what to write",
                           options.output)};
}

Result<ExitCode> run(const Options& options) {
  const auto format = format_of(options);
  if (!format) return format.error();
  // A wrong budget is found before a large file is read.
  if (const auto spec = parse_budget(options.program.budget); !spec) {
    return spec.error();
  }
  const auto graph = load_graph(options.graph);
  if (!graph) return graph.error();
  const auto budget = program_budget(*graph, options.program);
  if (!budget) return budget.error();
  const Problem problem{*graph, budget->budget, OrderRule::kFixed};
  if (budget->is_below_floor()) {
    const Bytes floor = budget->floor.bytes;
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("there is no program for {}: every plan needs at "
                    "least {} ({} bytes)",
                    format_bytes(problem.budget), format_bytes(floor), floor)};
  }
  const auto text = program_text(problem, options.program.choice, *format);
  if (!text) return text.error();
  const auto written = write_text(options.output, *text);
  if (!written) return written.error();
  return ExitCode::kAnswered;
}

}  // namespace

void add_export_command(CLI::App& app, Session& session) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "export", "Write an integer program for other solvers");
  command->footer(kExamples);
  add_graph_argument(*command, options->graph);
  add_program_options(*command, {"gap", "paper", "telescoped"},
                      options->program);
  command
      ->add_option("--format", options->format,
                   "mps or lp (default: from the file's name, else mps)")
      ->check(one_of({"mps", "lp"}))
      ->type_name("FORMAT");
  command->add_option("-o,--output", options->output, "file, - for stdout")
      ->type_name("FILE")
      ->capture_default_str();
  command->callback([options, &session] {
    session.action = [options] { return run(*options); };
  });
}

}  // namespace rematch
