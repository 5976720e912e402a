// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/validators.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>

namespace rematch {
namespace {

// Fits into 64 bits whatever the digits are.
constexpr std::size_t kMostDigits = 18;

}  // namespace

Validator one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& text) -> std::string {
    if (std::find(words.begin(), words.end(), text) != words.end()) return "";
    return fmt::format("'{}' is not one of {}", text, fmt::join(words, ", "));
  };
}

Validator seed_number() {
  return [](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [at, failure] = std::from_chars(text.data(), end, value);
    if (failure == std::errc() && at == end) return "";
    return fmt::format("'{}' is not a whole number from 0 to {}", text,
                       UINT64_MAX);
  };
}

Validator positive_integer() {
  return [](const std::string& text) -> std::string {
    const bool digits =
        !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
          return c >= '0' && c <= '9';
        });
    if (!digits || text.find_first_not_of('0') == std::string::npos) {
      return fmt::format("'{}' is not a whole number above 0", text);
    }
    if (text.size() <= kMostDigits) return "";
    return fmt::format(
        "'{}' is too large: a whole number has at most {} digits", text,
        kMostDigits);
  };
}

Validator non_negative_number() {
  return [](const std::string& text) -> std::string {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool whole = !text.empty() && *end == '\0';
    if (whole && std::isfinite(value) && value >= 0) return "";
    return fmt::format("'{}' is not a number of at least 0", text);
  };
}

}  // namespace rematch
