// SPDX-License-Identifier: Apache-2.0
// Makes a good plan better, one window of ops after the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "rematch/solve/anneal/dice.h"
#include "rematch/solve/window/solve_window.h"

namespace rematch {

// Windows of neighbouring ops, in random order, that together cover everything
// that runs again. If none of them makes the sequence better, they get larger;
// at a certain size small ones come again, with more time for each. In the end
// nothing is left to try. Refers to the problem.
class WindowSearch {
 public:
  WindowSearch(const Problem& problem, std::uint64_t seed)
      : problem_(problem), dice_(seed) {}

  // Whether the graph is small enough.
  static bool takes(const Graph& graph);

  // Begins with a sequence that is valid and fits; goes on if it costs as much
  // as the present one.
  void begin(std::span<const OpId> sequence, Cost cost);

  // Crosses the sequence with another one, as well as possible. True if it got
  // better.
  bool cross(std::span<const OpId> other, double seconds,
             const std::atomic<bool>* interrupt);

  // Solves one window: within `seconds`, and in as many steps as suit its size.
  // True if the sequence got better.
  bool advance(double seconds, const std::atomic<bool>* interrupt);

  bool is_exhausted() const { return steps_per_op_ > kMostSteps; }
  const std::vector<OpId>& sequence() const { return sequence_; }
  Cost cost() const { return cost_; }
  // Of all windows; see WindowAnswer.
  std::int64_t work() const { return work_; }

 private:
  static constexpr std::size_t kFewestOps = 16;
  static constexpr std::size_t kMostOps = 72;
  static constexpr std::int64_t kFewestSteps = 30;
  static constexpr std::int64_t kMostSteps = 1'000;

  bool take(WindowAnswer answer);
  void widen();
  void line_up();
  std::vector<OpId> next_window();

  const Problem& problem_;
  Dice dice_;
  std::vector<OpId> sequence_;
  Cost cost_ = 0;
  std::int64_t work_ = 0;
  std::size_t width_ = kFewestOps;            // Of a window, in ops.
  std::int64_t steps_per_op_ = kFewestSteps;  // Of one solve.
  std::vector<std::size_t> starts_;  // Of the windows that are left to solve.
  bool got_better_ = false;          // Since they were lined up.
};

}  // namespace rematch
