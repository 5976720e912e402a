// SPDX-License-Identifier: Apache-2.0
#include "rematch/base/decimal.h"

#include <fmt/format.h>

#include "rematch/base/bytes.h"

namespace rematch {
namespace {

__extension__ using Wide = __int128;

constexpr std::size_t kMaxDigits = 18;
constexpr std::size_t kMaxFraction = 9;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Error not_a_number(std::string_view text) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("'{}' is not a number such as 12 or 62.5", text)};
}

Result<std::int64_t> in_range(Wide value) {
  if (value > Wide{kMaxBytes}) {
    return Error{ErrorCode::kOutOfRange,
                 fmt::format("a size above {} bytes is too large", kMaxBytes)};
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

Result<Decimal> parse_decimal(std::string_view text) {
  Decimal result;
  std::size_t digits = 0;
  std::size_t fraction = 0;
  bool in_fraction = false;
  for (char c : text) {
    if (c == '.' && !in_fraction && digits > 0) {
      in_fraction = true;
      continue;
    }
    if (!is_digit(c)) return not_a_number(text);
    if (++digits > kMaxDigits || (in_fraction && ++fraction > kMaxFraction)) {
      return Error{ErrorCode::kOutOfRange,
                   fmt::format("'{}' has too many digits", text)};
    }
    result.numerator = result.numerator * 10 + (c - '0');
    if (in_fraction) result.denominator *= 10;
  }
  if (digits == 0 || (in_fraction && fraction == 0)) return not_a_number(text);
  return result;
}

// A numerator below 10^18 times a factor of at most 2^62 needs 122 bits.
Result<std::int64_t> scale_down(const Decimal& value, std::int64_t factor,
                                std::int64_t divisor) {
  const Wide product = Wide{value.numerator} * factor;
  return in_range(product / (Wide{value.denominator} * divisor));
}

Result<std::int64_t> scale_up(const Decimal& value, std::int64_t factor,
                              std::int64_t divisor) {
  const Wide product = Wide{value.numerator} * factor;
  const Wide below = Wide{value.denominator} * divisor;
  return in_range((product + below - 1) / below);
}

}  // namespace rematch
