// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/commands.h"

#include <CLI/CLI.hpp>

#include "rematch/io/file.h"
#include "rematch/io/graph_file.h"

namespace rematch {

Error in_file(const std::string& path, const Error& error) {
  const std::string where = path == "-" ? "standard input" : path;
  return {error.code, where + ": " + error.message};
}

void add_graph_argument(CLI::App& command, std::string& path) {
  command.add_option("GRAPH", path, "graph file, - for stdin")
      ->required()
      ->type_name("");
}

Result<Graph> load_graph(const std::string& path, DeclaredOrder order) {
  const auto text = read_text(path);
  if (!text) return text.error();
  auto graph = graph_from_text(*text, order);
  if (!graph) return in_file(path, graph.error());
  return graph;
}

}  // namespace rematch
