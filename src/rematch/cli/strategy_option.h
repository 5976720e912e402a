// SPDX-License-Identifier: Apache-2.0
// Strategies by name, with help when the name is wrong.
#pragma once

#include <string>
#include <vector>

#include "rematch/base/result.h"
#include "rematch/solve/strategy.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours.
class App;
}

namespace rematch {

// Adds --strategy; `name` holds the default and must outlive the parser.
void add_strategy_option(CLI::App& command, std::string& name);

// Fails with kInvalidArgument, listing the names there are.
Result<const Strategy*> strategy_named(const std::string& name);

// Every strategy that a comma-separated list names, in its order.
Result<std::vector<const Strategy*>> strategies_named(const std::string& list);

}  // namespace rematch
