// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/strategy_option.h"

#include <sstream>

namespace rematch {

void add_strategy_option(Command command, std::string& name) {
  command.add_option("--strategy,-s", name, "see 'rematch strategies'")
      .type_name("NAME")
      .show_default();
}

Result<std::vector<const Strategy*>> strategies_named(const std::string& list) {
  std::vector<const Strategy*> result;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    const auto strategy = strategy_named(name);
    if (!strategy) return strategy.error();
    result.push_back(*strategy);
  }
  if (result.empty()) return strategy_named(list).error();
  return result;
}

}  // namespace rematch
