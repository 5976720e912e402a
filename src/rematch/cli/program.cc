// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/program.h"

#include <exception>
#include <new>
#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "rematch/base/version.h"
#include "rematch/cli/commands.h"
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

// The parser's words for what is wrong, in our form: one sentence in lower case
// that names the thing.
std::string parse_sentence(const CLI::App& app, const CLI::ParseError& error,
                           const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    return "no command given; 'rematch --help' lists them";
  }
  if (app.get_subcommands().empty() && !arguments[0].starts_with("-")) {
    return fmt::format("there is no command '{}'; 'rematch --help' lists them",
                       arguments[0]);
  }
  const std::vector<std::string> extra = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) && !extra.empty()) {
    return fmt::format("'{}' was not expected", extra.front());
  }
  std::string words = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    const std::string name = words.substr(0, words.find(':'));
    const bool repeated = words.find("At Most") != std::string::npos;
    return name + (repeated ? " is given more than once" : " needs a value");
  }
  while (!words.empty() && (words.back() == '\n' || words.back() == '.')) {
    words.pop_back();
  }
  if (words.size() > 1 && std::isupper(words[0]) && std::islower(words[1])) {
    words[0] = static_cast<char>(std::tolower(words[0]));
  }
  return words;
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

int parse_and_run(CLI::App& app, Session& session, int argc,
                  const char* const* argv) {
  const std::vector<std::string> arguments(argv + std::min(1, argc),
                                           argv + argc);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version.
    app.exit(asked, session.console.out, session.console.err);
    return finish(session.console, ExitCode::kAnswered);
  } catch (const CLI::ParseError& error) {
    return fail(session.console, ExitCode::kBadInput,
                parse_sentence(app, error, arguments));
  }
  return run_action(session);
}

}  // namespace

int run_program(int argc, const char* const* argv, const Console& console) {
  Session session{.console = console, .action = {}};
  try {
    CLI::App app(
        "Trains neural networks in less memory: plans what to keep, drop and "
        "recompute\nwithin a budget in bytes, and proves how good the plan is.",
        "rematch");
    app.set_version_flag("--version", fmt::format("rematch {}", kVersion));
    app.require_subcommand(1);
    app.footer(kExamples);
    app.get_formatter()->column_width(28);
    add_plan_command(app, session);
    add_compare_command(app, session);
    add_frontier_command(app, session);
    add_bound_command(app, session);
    add_max_batch_command(app, session);
    add_inspect_command(app, session);
    add_replay_command(app, session);
    add_generate_command(app, session);
    add_import_command(app, session);
    add_export_command(app, session);
    add_strategies_command(app, session);
    add_completion_command(app, session);
    return parse_and_run(app, session, argc, argv);
  } catch (const std::bad_alloc&) {
    return fail(console, ExitCode::kInternalError, "out of memory");
  } catch (const std::exception& bug) {
    return fail(console, ExitCode::kInternalError,
                fmt::format("internal error: {}", bug.what()));
  }
}

}  // namespace rematch
