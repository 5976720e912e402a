// SPDX-License-Identifier: Apache-2.0
// The commands of the program. Each adds itself to the parser, with its help,
// and leaves behind what to do once the arguments are read.
#pragma once

#include <functional>
#include <string>

#include "rematch/base/result.h"
#include "rematch/cli/console.h"
#include "rematch/cli/exit_code.h"
#include "rematch/cli/parser.h"

namespace rematch {

// One run of the program.
struct Session {
  Console console;
  // Set by the command that was named. An Error is printed and means bad input.
  std::function<Result<ExitCode>()> action;
};

void add_plan_command(Command app, Session& session);
void add_max_batch_command(Command app, Session& session);
void add_bound_command(Command app, Session& session);
void add_compare_command(Command app, Session& session);
void add_frontier_command(Command app, Session& session);
void add_replay_command(Command app, Session& session);
void add_report_command(Command app, Session& session);
void add_inspect_command(Command app, Session& session);
void add_generate_command(Command app, Session& session);
void add_export_command(Command app, Session& session);
void add_import_command(Command app, Session& session);
void add_strategies_command(Command app, Session& session);
void add_completion_command(Command app, Session& session);

// Adds the argument GRAPH; `path` must outlive the parser.
void add_graph_argument(Command command, std::string& path);

}  // namespace rematch
