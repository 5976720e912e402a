// SPDX-License-Identifier: Apache-2.0
// Exact decimal numbers as people type them, so that 62.5% is never rounded
// before it is used.
#pragma once

#include <cstdint>
#include <string_view>

#include "rematch/base/result.h"

namespace rematch {

// numerator / denominator; the denominator is a power of ten up to 10^9.
struct Decimal {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;

  friend bool operator==(const Decimal&, const Decimal&) = default;
};

// Reads digits with an optional fraction: "12", "0.5", "62.5". Up to 18 digits,
// nine of them after the point, else kOutOfRange. No sign, no exponent, no
// spaces, else kInvalidArgument.
Result<Decimal> parse_decimal(std::string_view text);

// value * factor / divisor, rounded down or up to an integer, without
// intermediate overflow. Fails with kOutOfRange above kMaxBytes.
// `factor` >= 0, `divisor` > 0.
Result<std::int64_t> scale_down(const Decimal& value, std::int64_t factor,
                                std::int64_t divisor = 1);
Result<std::int64_t> scale_up(const Decimal& value, std::int64_t factor,
                              std::int64_t divisor = 1);

}  // namespace rematch
