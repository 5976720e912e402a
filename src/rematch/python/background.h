// SPDX-License-Identifier: Apache-2.0
// Runs a search while Python stays awake: Ctrl-C stops it, and progress reaches
// a Python function.
#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "rematch/solve/request.h"

namespace rematch {

// SearchProgress with a plan of its own.
struct ProgressNote {
  Cost cost = std::numeric_limits<Cost>::infinity();
  Cost lower_bound = 0;
  std::optional<Plan> plan;
};

using ProgressCallback = std::function<void(const ProgressNote&)>;

// Calls `search` on a thread of its own and returns when it has returned. It is
// to use `request`, whose interrupt and on_progress are set meanwhile. Called
// with the interpreter's lock, which is released while waiting.
//
// `on_progress` (may be empty) is called on the calling thread, with the latest
// progress only if there was more than one since the last call. If it throws,
// or if a signal handler raises (Ctrl-C: KeyboardInterrupt), the search is
// stopped and the exception goes to the caller; so does what `search` throws.
void run_in_background(Request& request, const ProgressCallback& on_progress,
                       const std::function<void()>& search);

}  // namespace rematch
