// SPDX-License-Identifier: Apache-2.0
// rematch export: the programs as text, for other solvers.
#include <array>
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "rematch/cli/commands.h"
#include "rematch/cli/file_format.h"
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

constexpr std::array<FileFormat, 2> kFormats = {
    {{"mps", ".mps"}, {"lp", ".lp"}}};

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
  const auto format = choose_format(kFormats, options.format, options.output);
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
