// SPDX-License-Identifier: Apache-2.0
// Ctrl-C asks a running search to stop with what it has.
#pragma once

#include <atomic>

namespace rematch {

// From now on the first SIGINT or SIGTERM sets the flag, and the second one
// ends the program. The flag lives as long as the program.
const std::atomic<bool>& watch_for_interrupt();

}  // namespace rematch
