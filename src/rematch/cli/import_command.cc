// SPDX-License-Identifier: Apache-2.0
// rematch import: other formats to ours.
#include <memory>

#include "rematch/cli/commands.h"
#include "rematch/io/file.h"
#include "rematch/io/graph_file.h"
#include "rematch/io/graph_json.h"

namespace rematch {
namespace {

constexpr const char* kExamples = R"(Examples:
  rematch import network.json -o graph.json
      node-link JSON, as networkx writes it, to a rematch graph
  rematch import network.json --sort
      the same for a file whose nodes are in no order in which they can run)";

struct Options {
  std::string file;
  std::string output = "-";
  bool sort = false;
};

Result<ExitCode> run(const Options& options) {
  const auto graph =
      load_graph(options.file, options.sort ? DeclaredOrder::kSorted
                                            : DeclaredOrder::kAsGiven);
  if (!graph) return graph.error();
  const auto written = write_text(options.output, graph_to_json(*graph));
  if (!written) return written.error();
  return ExitCode::kAnswered;
}

}  // namespace

void add_import_command(Command app, Session& session) {
  auto options = std::make_shared<Options>();
  Command command =
      app.add_command("import", "Convert a graph in another format to ours");
  command.footer(kExamples);
  command.add_option("FILE", options->file, "graph file, - for stdin")
      .required()
      .type_name("");
  command.add_option("-o,--output", options->output, "file, - for stdout")
      .type_name("FILE")
      .show_default();
  command.add_flag("--sort", options->sort,
                   "order the ops so that they can run, keeping the given "
                   "order where possible");
  command.callback([options, &session] {
    session.action = [options] { return run(*options); };
  });
}

}  // namespace rematch
