// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/parser.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace rematch {
namespace {

bool is_option(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-';
}

// "plan " if that was asked for; empty if nothing was.
std::string command_of(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? "" : commands.front()->get_name() + " ";
}

// CLI11's words for what is wrong, in our form: one sentence in lower case that
// names the thing.
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
  if (const auto at = std::ranges::find_if(extra, is_option);
      at != extra.end()) {
    return fmt::format("there is no option '{}'; 'rematch {}--help' lists them",
                       *at, command_of(app));
  }
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

}  // namespace

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option Option::check(const Validator& validator) {
  option_->check(validator);
  return *this;
}

Option Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Command Command::add_command(const std::string& name, const std::string& help) {
  return Command(app_->add_subcommand(name, help));
}

void Command::footer(const std::string& text) { app_->footer(text); }

Option Command::add_option(const std::string& names, std::string& value,
                           const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Command::add_option(const std::string& names, double& value,
                           const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Command::add_option(const std::string& names, int& value,
                           const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Command::add_option(const std::string& names, std::int64_t& value,
                           const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Command::add_option(const std::string& names, std::uint64_t& value,
                           const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

Option Command::add_option(const std::string& names,
                           std::vector<std::string>& value,
                           const std::string& help) {
  return Option(app_->add_option(names, value, help));
}

void Command::add_flag(const std::string& names, bool& value,
                       const std::string& help) {
  app_->add_flag(names, value, help);
}

void Command::callback(std::function<void()> named) {
  app_->callback(std::move(named));
}

std::vector<CommandWords> Command::commands() const {
  std::vector<CommandWords> result;
  for (const CLI::App* command : app_->get_subcommands({})) {
    CommandWords words{.name = command->get_name(),
                       .help = command->get_description(),
                       .options = {}};
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        words.options.push_back("--" + name);
      }
      for (const std::string& name : option->get_snames()) {
        words.options.push_back("-" + name);
      }
    }
    result.push_back(std::move(words));
  }
  return result;
}

Parser::Parser(const std::string& description, const std::string& version,
               const std::string& footer)
    : app_(std::make_unique<CLI::App>(description, "rematch")) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->footer(footer);
  app_->get_formatter()->column_width(28);
}

Parser::~Parser() = default;

Result<std::string> Parser::parse(int argc, const char* const* argv) {
  const std::vector<std::string> arguments(argv + std::min(1, argc),
                                           argv + argc);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version.
    std::ostringstream text;
    app_->exit(asked, text, text);
    return text.str();
  } catch (const CLI::ParseError& error) {
    return Error{ErrorCode::kInvalidArgument,
                 parse_sentence(*app_, error, arguments)};
  }
  return std::string();
}

}  // namespace rematch
