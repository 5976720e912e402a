// SPDX-License-Identifier: Apache-2.0
// Decides anew when a few ops of a sequence run again, as well as possible,
// while everything else stays.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rematch/lp/lp_solver.h"
#include "rematch/solve/window/window_program.h"

namespace rematch {

struct WindowAnswer {
  // A cheaper sequence that fits, if one was found.
  std::optional<std::vector<OpId>> sequence;
  Cost cost = 0;  // Of that, with every op's first run.
  // There is no better one, as far as the solver tells.
  bool is_complete = false;
  // Steps of relaxations, 100 for each node, and what it takes to begin.
  std::int64_t work = 0;
};

// The sequence is valid and fits the budget. Of the limits, seconds and
// interrupt are those of the whole, iterations and nodes of each of up to a few
// solves. The answer is the same every time unless the clock or an interrupt
// decides.
WindowAnswer solve_window(const Problem& problem,
                          std::span<const OpId> sequence,
                          std::span<const OpId> free, const LpLimits& limits);

// The same for the ops in which two sequences differ, each where one of them
// runs it: the best cross of the two.
WindowAnswer solve_cross(const Problem& problem, std::span<const OpId> sequence,
                         std::span<const OpId> other, const LpLimits& limits);

// Takes out reruns of which nothing is read, and those that only served them.
std::vector<OpId> without_useless_reruns(const Graph& graph,
                                         std::span<const OpId> sequence);

}  // namespace rematch
