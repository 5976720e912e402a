// SPDX-License-Identifier: Apache-2.0
// How long and how hard a search may work, and when it has to stop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

#include "rematch/base/result.h"

namespace rematch {

// What the caller allows. The defaults allow everything.
struct Limits {
  double seconds = std::numeric_limits<double>::infinity();  // Wall clock.
  // Units of search work (states expanded, steps simulated, ...); unlike time
  // it stops at the same place on every machine.
  std::int64_t work = std::numeric_limits<std::int64_t>::max();
  double gap = 0;  // Stop once cost <= lower bound * (1 + gap).
  int threads = 1;
  std::uint64_t seed = 0;
  // Set to true from elsewhere (a signal handler) to stop. May be null.
  const std::atomic<bool>* interrupt = nullptr;
};

// For limits from outside: fails with kInvalidArgument on seconds or a gap that
// are negative or no number, and on less than one unit of work or one thread.
Status check_limits(const Limits& limits);

// How many threads can run at once on this machine; at least one.
int available_threads();

enum class Stop { kTime, kWork, kInterrupt };

// Counts the work of one search against its limits. Not thread-safe: one per
// thread.
class Meter {
 public:
  // Reads the clock once in every `work_between_looks` units of work.
  explicit Meter(const Limits& limits, std::int64_t work_between_looks = 4096);

  // Adds `work` units; true as soon as the search must stop. Once true it
  // stays true.
  bool stop(std::int64_t work = 1);

  // Why it stopped; none while it may go on.
  std::optional<Stop> reason() const { return reason_; }
  std::int64_t work() const { return work_; }

 private:
  Limits limits_;
  std::int64_t work_between_looks_;
  std::chrono::steady_clock::time_point start_;
  std::int64_t work_ = 0;
  std::int64_t next_look_ = 0;
  std::optional<Stop> reason_;
};

}  // namespace rematch
