// SPDX-License-Identifier: Apache-2.0
// The command line: commands with their options and help. CLI11 reads it, which
// takes long to compile, so parser.cc alone includes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rematch/base/result.h"
#include "rematch/cli/validators.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours.
class App;
class Option;
}  // namespace CLI

namespace rematch {

// An option or argument of a command, for as long as the parser lives.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required();
  // What help calls the value; empty: nothing.
  Option type_name(const std::string& name);
  Option check(const Validator& validator);
  // Help shows the value that stands if none is given.
  Option show_default();

 private:
  CLI::Option* option_;
};

// The names of a command and its options.
struct CommandWords {
  std::string name;
  std::string help;
  std::vector<std::string> options;  // "--budget", "-b", ...
};

// A command, or the whole program, for as long as the parser lives.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  Command add_command(const std::string& name, const std::string& help);
  void footer(const std::string& text);

  // `names` as in "--budget,-b", or "GRAPH" for an argument. What was given is
  // in `value`, which must outlive the parser.
  Option add_option(const std::string& names, std::string& value,
                    const std::string& help);
  Option add_option(const std::string& names, double& value,
                    const std::string& help);
  Option add_option(const std::string& names, int& value,
                    const std::string& help);
  Option add_option(const std::string& names, std::int64_t& value,
                    const std::string& help);
  Option add_option(const std::string& names, std::uint64_t& value,
                    const std::string& help);
  // One or more values.
  Option add_option(const std::string& names, std::vector<std::string>& value,
                    const std::string& help);
  void add_flag(const std::string& names, bool& value, const std::string& help);

  // Called once the arguments are read, if this command was named.
  void callback(std::function<void()> named);

  std::vector<CommandWords> commands() const;

 private:
  CLI::App* app_;
};

class Parser {
 public:
  Parser(const std::string& description, const std::string& version,
         const std::string& footer);
  ~Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  Command program() { return Command(app_.get()); }

  // The text that --help or --version asks for, else nothing: a command was
  // named, and its callback called.
  Result<std::string> parse(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace rematch
