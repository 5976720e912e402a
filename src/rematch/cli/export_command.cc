// SPDX-License-Identifier: Apache-2.0
// rematch export: the programs as text, for other solvers.
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "rematch/cli/commands.h"
#include "rematch/cli/output_files.h"
#include "rematch/cli/program_options.h"
#include "rematch/cli/summary.h"
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

Costs and sizes are scaled; comments at the top of the file say how. Exit codes:
0 written, 2 bad input, 3 no plan exists (proved), 4 too large for memory.)";

struct Options {
  std::string graph;
  ProgramOptions program;
  std::string format;
  std::string output = "-";
};

// What the file's name ends with; empty if that is no format.
std::string format_of_name(std::string_view name) {
  for (const char* format : {"mps", "lp"}) {
    if (has_ending(name, fmt::format(".{}", format))) return format;
  }
  return "";
}

// As given, else what the file's name ends with; these must not contradict each
// other.
Result<std::string> format_of(const Options& options) {
  const std::string named = format_of_name(options.output);
  if (!named.empty() && !options.format.empty() && named != options.format) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--format {} contradicts the name of the file, "
                             "'{}', which ends with .{}",
                             options.format, options.output, named)};
  }
  if (!options.format.empty()) return options.format;
  if (!named.empty()) return named;
  if (options.output == "-") return std::string("mps");
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("'{}' ends with neither .mps nor .lp; --format says "
                           "what to write",
                           options.output)};
}

ExitCode refuse(const Console& console, ExitCode code,
                std::string_view sentence) {
  console.err << "rematch: " << sentence << '\n';
  return code;
}

// Writes the program of a graph that was read.
Result<ExitCode> write_program(const Graph& graph, const Options& options,
                               const std::string& format,
                               const Console& console) {
  const auto budget = program_budget(graph, options.program);
  if (!budget) return budget.error();
  if (budget->is_below_floor()) {
    return refuse(console, ExitCode::kInfeasible,
                  fmt::format("there is no program for {}: every plan needs at "
                              "least {}",
                              format_size(budget->budget),
                              format_size(budget->floor.bytes)));
  }
  const Problem problem{graph, budget->budget, OrderRule::kFixed};
  const auto text = program_text(problem, options.program.choice, format);
  if (!text && text.error().code == ErrorCode::kTooLarge) {
    return refuse(console, ExitCode::kNothingFound, text.error().message);
  }
  if (!text) return text.error();
  const auto written = write_text(options.output, *text);
  if (!written) return written.error();
  return ExitCode::kAnswered;
}

Result<ExitCode> run(const Options& options, const Console& console) {
  const auto format = format_of(options);
  if (!format) return format.error();
  // A wrong budget is found before a large file is read.
  if (const auto spec = parse_budget(options.program.budget); !spec) {
    return spec.error();
  }
  const auto writable =
      check_outputs({options.graph}, {{"-o", options.output}});
  if (!writable) return writable.error();
  const auto graph = load_graph(options.graph);
  if (!graph) return graph.error();
  return write_program(*graph, options, *format, console);
}

}  // namespace

void add_export_command(Command app, Session& session) {
  auto options = std::make_shared<Options>();
  Command command =
      app.add_command("export", "Write an integer program for other solvers");
  command.footer(kExamples);
  add_graph_argument(command, options->graph);
  add_program_options(command, {"gap", "paper", "telescoped"},
                      options->program);
  command
      .add_option("--format", options->format,
                  "mps or lp (default: from the file's name, else mps)")
      .check(one_of({"mps", "lp"}))
      .type_name("FORMAT");
  command.add_option("-o,--output", options->output, "file, - for stdout")
      .type_name("FILE")
      .show_default();
  command.callback([options, &session] {
    session.action = [options, &session] {
      return run(*options, session.console);
    };
  });
}

}  // namespace rematch
