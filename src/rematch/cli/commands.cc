// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/commands.h"

namespace rematch {

void add_graph_argument(Command command, std::string& path) {
  command.add_option("GRAPH", path, "graph file, - for stdin")
      .required()
      .type_name("");
}

}  // namespace rematch
