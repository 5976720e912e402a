// SPDX-License-Identifier: Apache-2.0
// rematch completion: scripts that complete commands and options in a shell,
// made from the parser itself so that they never fall behind it.
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "rematch/cli/commands.h"
#include "rematch/cli/validators.h"
#include "rematch/solve/strategy.h"

namespace rematch {
namespace {

constexpr const char* kExamples = R"(Examples:
  source <(rematch completion bash)
  rematch completion zsh > "${fpath[1]}/_rematch"
  rematch completion fish > ~/.config/fish/completions/rematch.fish)";

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string strategy_names() {
  std::vector<std::string> names;
  for (const Strategy& strategy : strategies())
    names.emplace_back(strategy.name);
  return joined(names);
}

std::string bash_script(const std::vector<CommandWords>& commands) {
  std::string cases;
  std::vector<std::string> names;
  for (const CommandWords& command : commands) {
    names.push_back(command.name);
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command.name,
                         joined(command.options));
  }
  return fmt::format(R"(# bash completion for rematch
_rematch() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
  local words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$current"))
    return
  fi
  case "$before" in
    --strategy|-s|--strategies)
      COMPREPLY=($(compgen -W "{}" -- "$current")); return ;;
    --order)
      COMPREPLY=($(compgen -W "fixed free" -- "$current")); return ;;
    --overhead)
      COMPREPLY=($(compgen -W "forward" -- "$current")); return ;;
    generate)
      COMPREPLY=($(compgen -W "chain residual unet transformer random" -- "$current")); return ;;
    completion)
      COMPREPLY=($(compgen -W "bash zsh fish" -- "$current")); return ;;
  esac
  case "${{COMP_WORDS[1]}}" in
{}    *) words="" ;;
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _rematch rematch
)",
                     joined(names), strategy_names(), cases);
}

std::string zsh_script(const std::vector<CommandWords>& commands) {
  std::string list;
  std::string cases;
  for (const CommandWords& command : commands) {
    list += fmt::format("    '{}:{}'\n", command.name, command.help);
    cases += fmt::format("    {}) compadd -- {} ;;\n", command.name,
                         joined(command.options));
  }
  return fmt::format(R"(#compdef rematch
_rematch() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "${{words[CURRENT-1]}}" in
    --strategy|-s|--strategies) compadd -- {}; return ;;
    --order) compadd -- fixed free; return ;;
    --overhead) compadd -- forward; return ;;
    generate) compadd -- chain residual unet transformer random; return ;;
    completion) compadd -- bash zsh fish; return ;;
  esac
  if [[ "${{words[CURRENT]}}" != -* ]]; then
    _files
    return
  fi
  case "${{words[2]}}" in
{}  esac
}}
_rematch "$@"
)",
                     list, strategy_names(), cases);
}

std::string fish_script(const std::vector<CommandWords>& commands) {
  std::string script = "# fish completion for rematch\n";
  for (const CommandWords& command : commands) {
    script += fmt::format(
        "complete -c rematch -n __fish_use_subcommand -f -a {} -d '{}'\n",
        command.name, command.help);
    for (const std::string& option : command.options) {
      const bool is_long = option.starts_with("--");
      script += fmt::format(
          "complete -c rematch -n '__fish_seen_subcommand_from {}' {} {}\n",
          command.name, is_long ? "-l" : "-s", option.substr(is_long ? 2 : 1));
    }
  }
  script += fmt::format(
      "complete -c rematch -n '__fish_seen_subcommand_from plan' -l strategy "
      "-x "
      "-a '{}'\n",
      strategy_names());
  return script;
}

}  // namespace

void add_completion_command(Command app, Session& session) {
  auto shell = std::make_shared<std::string>();
  Command command = app.add_command(
      "completion", "Print a script that completes commands in a shell");
  command.footer(kExamples);
  command.add_option("SHELL", *shell, "bash, zsh or fish")
      .required()
      .check(one_of({"bash", "zsh", "fish"}))
      .type_name("");
  command.callback([shell, app, &session] {
    session.action = [shell, app, &session]() -> Result<ExitCode> {
      const auto commands = app.commands();
      session.console.out << (*shell == "bash"  ? bash_script(commands)
                              : *shell == "zsh" ? zsh_script(commands)
                                                : fish_script(commands));
      return ExitCode::kAnswered;
    };
  });
}

}  // namespace rematch
