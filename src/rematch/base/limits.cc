// SPDX-License-Identifier: Apache-2.0
#include "rematch/base/limits.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

namespace rematch {

Status check_limits(const Limits& limits) {
  const auto wrong = [](std::string message) {
    return Error{ErrorCode::kInvalidArgument, std::move(message)};
  };
  if (!(limits.seconds >= 0)) {
    return wrong(
        fmt::format("a time limit of {} s makes no sense: it is not 0 "
                    "or more",
                    limits.seconds));
  }
  if (!(limits.gap >= 0)) {
    return wrong(fmt::format("a gap of {} makes no sense: it is not 0 or more",
                             limits.gap));
  }
  if (limits.work < 1) {
    return wrong(
        fmt::format("a work limit of {} makes no sense: it is not 1 "
                    "or more",
                    limits.work));
  }
  if (limits.threads < 1) {
    return wrong(fmt::format("{} threads make no sense: it is not 1 or more",
                             limits.threads));
  }
  return ok_status();
}

int available_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Meter::Meter(const Limits& limits, std::int64_t work_between_looks)
    : limits_(limits),
      work_between_looks_(work_between_looks),
      start_(std::chrono::steady_clock::now()) {}

bool Meter::stop(std::int64_t work) {
  if (reason_) return true;
  work_ += work;
  if (work_ > limits_.work) {
    reason_ = Stop::kWork;
    return true;
  }
  if (work_ < next_look_) return false;
  next_look_ = work_ + work_between_looks_;
  if (limits_.interrupt != nullptr && limits_.interrupt->load()) {
    reason_ = Stop::kInterrupt;
    return true;
  }
  const std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - start_;
  if (spent.count() > limits_.seconds) reason_ = Stop::kTime;
  return reason_.has_value();
}

}  // namespace rematch
