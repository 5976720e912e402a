// SPDX-License-Identifier: Apache-2.0
// What an op costs on a device that is bound by arithmetic or by memory.
#pragma once

#include <algorithm>
#include <cmath>

#include "rematch/base/bytes.h"
#include "rematch/base/cost.h"

namespace rematch::synthetic {

inline constexpr double kFlopsPerMicrosecond = 100e6;  // 100 TFLOP/s.
inline constexpr double kBytesPerMicrosecond = 2e6;    // 2 TB/s.
inline constexpr Cost kLaunchCost = 2;                 // Microseconds.

// Microseconds, in thousandths.
inline Cost roofline_cost(double flops, Bytes moved) {
  const double compute = flops / kFlopsPerMicrosecond;
  const double memory = static_cast<double>(moved) / kBytesPerMicrosecond;
  const double busy = std::max(compute, memory);
  return std::round((busy + kLaunchCost) * 1000) / 1000;
}

}  // namespace rematch::synthetic
