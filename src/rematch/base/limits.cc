// SPDX-License-Identifier: Apache-2.0
#include "rematch/base/limits.h"

namespace rematch {

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
