// SPDX-License-Identifier: Apache-2.0
#include "rematch/lp/lp_events.h"

#include "rematch/base/check.h"

namespace rematch {
namespace {

constexpr double kSecondsBetweenReports = 0.1;

thread_local bool this_thread_is_in_hook = false;

class InHook {
 public:
  InHook() { this_thread_is_in_hook = true; }
  ~InHook() { this_thread_is_in_hook = false; }
  InHook(const InHook&) = delete;
  InHook& operator=(const InHook&) = delete;
};

}  // namespace

bool LpEvents::in_hook() { return this_thread_is_in_hook; }

bool LpEvents::stop() noexcept {
  const std::lock_guard lock(mutex_);
  if (may_interrupt() && limits_.interrupt->load()) stopped_ = true;
  return stopped_;
}

bool LpEvents::stop_after(std::int64_t iterations) noexcept {
  if (stop()) return true;
  const std::lock_guard lock(mutex_);
  if (iterations > limits_.iterations) stopped_ = out_of_iterations_ = true;
  return stopped_;
}

bool LpEvents::is_news(const LpProgress& progress) {
  const bool same = progress.point.empty() &&
                    progress.incumbent == told_incumbent_ &&
                    progress.bound == told_bound_;
  if (same && progress.seconds - told_at_ < kSecondsBetweenReports) {
    return false;
  }
  told_at_ = progress.seconds;
  told_incumbent_ = progress.incumbent;
  told_bound_ = progress.bound;
  return true;
}

void LpEvents::report(const LpProgress& progress) noexcept {
  const std::lock_guard lock(mutex_);
  if (stopped_ || !wants_progress() || !is_news(progress)) return;
  try {
    const InHook guard;
    hooks_.progress(progress);
  } catch (...) {
    thrown_ = std::current_exception();
    stopped_ = true;
  }
}

std::vector<double> LpEvents::offer(std::size_t size) noexcept {
  const std::lock_guard lock(mutex_);
  if (stopped_ || !wants_offers()) return {};
  try {
    const InHook guard;
    std::vector<double> point = hooks_.offer();
    REMATCH_CHECK(point.empty() || point.size() == size,
                  "an offered point has one value per column");
    return point;
  } catch (...) {
    thrown_ = std::current_exception();
    stopped_ = true;
    return {};
  }
}

void LpEvents::rethrow() const {
  if (thrown_) std::rethrow_exception(thrown_);
}

}  // namespace rematch
