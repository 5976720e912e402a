// SPDX-License-Identifier: Apache-2.0
// Random numbers for the inner loop of the annealer, where a division per draw
// would show.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rematch {

// SplitMix64 (Steele et al. 2014): the same numbers on every platform.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  // In [0, bound), 0 < bound < 2^32. Uniform but for one part in 2^32 / bound.
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(((next() >> 32) * bound) >> 32);
  }
  // In [low, high], both included.
  int between(int low, int high) {
    return low +
           static_cast<int>(below(static_cast<std::size_t>(high - low) + 1));
  }
  // In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return unit() < probability; }

 private:
  std::uint64_t state_;
};

}  // namespace rematch
