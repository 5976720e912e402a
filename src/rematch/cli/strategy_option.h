// SPDX-License-Identifier: Apache-2.0
// The option --strategy, and strategies as listed on the command line.
#pragma once

#include <string>
#include <vector>

#include "rematch/base/result.h"
#include "rematch/cli/parser.h"
#include "rematch/solve/strategy.h"

namespace rematch {

// Adds --strategy; `name` holds the default and must outlive the parser.
void add_strategy_option(Command command, std::string& name);

// Every strategy that a comma-separated list names, in its order. Fails like
// strategy_named().
Result<std::vector<const Strategy*>> strategies_named(const std::string& list);

}  // namespace rematch
