// SPDX-License-Identifier: Apache-2.0
// Carries what happens during one solve to the caller's hooks and back; part of
// the solver.
#pragma once

#include <exception>
#include <mutex>
#include <vector>

#include "rematch/lp/lp_solver.h"

namespace rematch {

// Thread-safe: hooks are called one at a time. Nothing is thrown from here
// while the solver runs; what a hook throws waits for rethrow(). Keeps
// references to the limits and the hooks.
class LpEvents {
 public:
  LpEvents(const LpLimits& limits, const LpHooks& hooks)
      : limits_(limits), hooks_(hooks) {}

  bool wants_progress() const { return hooks_.progress != nullptr; }
  bool wants_offers() const { return hooks_.offer != nullptr; }
  bool may_interrupt() const { return limits_.interrupt != nullptr; }
  bool counts_iterations() const {
    return limits_.iterations < LpLimits().iterations;
  }

  // True as soon as the solve must stop; once true it stays true.
  bool stop() noexcept;
  // The same for a search over integers whose relaxations took so many steps.
  bool stop_after(std::int64_t iterations) noexcept;
  // Whether it was the limit on these that stopped it.
  bool is_out_of_iterations() const { return out_of_iterations_; }
  // Leaves out reports that come soon after another and have nothing new.
  void report(const LpProgress& progress) noexcept;
  // A point with `size` values, or nothing.
  std::vector<double> offer(std::size_t size) noexcept;

  // Throws what a hook threw, if one did.
  void rethrow() const;

  // Whether this thread is inside of a hook now.
  static bool in_hook();

 private:
  bool is_news(const LpProgress& progress);

  const LpLimits& limits_;
  const LpHooks& hooks_;
  std::mutex mutex_;
  std::exception_ptr thrown_;
  bool stopped_ = false;
  bool out_of_iterations_ = false;
  double told_at_ = -kInfinity;  // Seconds, incumbent and bound of the last
  double told_incumbent_ = 0;    // report that was not left out.
  double told_bound_ = 0;
};

}  // namespace rematch
