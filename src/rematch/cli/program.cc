// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/program.h"

#include <exception>
#include <new>
#include <ostream>

#include <fmt/format.h>

#include "rematch/base/version.h"
#include "rematch/cli/commands.h"
#include "rematch/cli/parser.h"
#include "rematch/cli/table.h"

namespace rematch {
namespace {

constexpr const char* kExamples = R"(Examples:
  rematch inspect graph.json                    what the graph needs
  rematch plan graph.json --budget 8GiB         the best plan within 8 GiB
  rematch compare graph.json --budgets 80%,50%  every strategy, two budgets
  rematch COMMAND --help                        more examples)";

int fail(const Console& console, ExitCode code, std::string_view sentence) {
  console.err << "rematch: " << display_name(sentence, 2000) << '\n';
  return static_cast<int>(code);
}

int finish(const Console& console, ExitCode code) {
  console.out.flush();
  if (console.out) return static_cast<int>(code);
  return fail(console, ExitCode::kBadInput,
              "standard output: cannot be written");
}

int run_action(const Session& session) {
  const auto result = session.action();
  if (result) return finish(session.console, *result);
  return fail(session.console, ExitCode::kBadInput, result.error().message);
}

int parse_and_run(Parser& parser, const Session& session, int argc,
                  const char* const* argv) {
  const auto asked = parser.parse(argc, argv);
  if (!asked) {
    return fail(session.console, ExitCode::kBadInput, asked.error().message);
  }
  if (asked->empty()) return run_action(session);
  session.console.out << *asked;
  return finish(session.console, ExitCode::kAnswered);
}

}  // namespace

int run_program(int argc, const char* const* argv, const Console& console) {
  Session session{.console = console, .action = {}};
  try {
    Parser parser(
        "Trains neural networks in less memory: plans what to keep, drop and "
        "recompute\nwithin a budget in bytes, and proves how good the plan is.",
        fmt::format("rematch {}", kVersion), kExamples);
    const Command app = parser.program();
    add_plan_command(app, session);
    add_compare_command(app, session);
    add_frontier_command(app, session);
    add_bound_command(app, session);
    add_max_batch_command(app, session);
    add_inspect_command(app, session);
    add_replay_command(app, session);
    add_report_command(app, session);
    add_generate_command(app, session);
    add_import_command(app, session);
    add_export_command(app, session);
    add_strategies_command(app, session);
    add_completion_command(app, session);
    return parse_and_run(parser, session, argc, argv);
  } catch (const std::bad_alloc&) {
    return fail(console, ExitCode::kInternalError, "out of memory");
  } catch (const std::exception& bug) {
    return fail(console, ExitCode::kInternalError,
                fmt::format("internal error: {}", bug.what()));
  }
}

}  // namespace rematch
