// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every platform for the same seed; the
// standard library's distributions are not.
#pragma once

#include <cstdint>
#include <random>

namespace rematch {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t next() { return engine_(); }

  // Uniform in [0, bound); `bound` > 0. Unbiased.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t limit = bound * (UINT64_MAX / bound);
    std::uint64_t value = engine_();
    while (value >= limit) value = engine_();
    return value % bound;
  }

  // Uniform in [low, high], both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto span = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<std::int64_t>(below(span));
  }

  // Uniform in [0, 1), 53 random bits.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

 private:
  std::mt19937_64 engine_;  // Its output is fixed by the standard.
};

}  // namespace rematch
