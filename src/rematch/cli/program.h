// SPDX-License-Identifier: Apache-2.0
// The program behind main(): arguments in, exit code out.
#pragma once

#include "rematch/cli/console.h"

namespace rematch {

// Runs one command. Never throws: bad input is one sentence on `console.err`
// and exit code 2, a bug of ours exit code 70.
int run_program(int argc, const char* const* argv, const Console& console);

}  // namespace rematch
