// SPDX-License-Identifier: Apache-2.0
#include "rematch/base/bytes.h"

#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "rematch/base/decimal.h"

namespace rematch {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t bytes;
};

constexpr std::array<Unit, 11> kUnits = {{
    {"b", 1},
    {"kb", 1'000},
    {"mb", 1'000'000},
    {"gb", 1'000'000'000},
    {"tb", 1'000'000'000'000},
    {"pb", 1'000'000'000'000'000},
    {"kib", std::int64_t{1} << 10},
    {"mib", std::int64_t{1} << 20},
    {"gib", std::int64_t{1} << 30},
    {"tib", std::int64_t{1} << 40},
    {"pib", std::int64_t{1} << 50},
}};

std::optional<std::int64_t> unit_bytes(std::string_view text) {
  std::string lower;
  for (char c : text) {
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (lower.empty()) return 1;
  for (const Unit& unit : kUnits) {
    if (unit.name == lower) return unit.bytes;
  }
  return std::nullopt;
}

}  // namespace

Result<Bytes> parse_bytes(std::string_view text) {
  std::size_t end = text.find_first_not_of("0123456789.");
  if (end == std::string_view::npos) end = text.size();
  std::string_view unit_name = text.substr(end);
  while (!unit_name.empty() && unit_name.front() == ' ') {
    unit_name.remove_prefix(1);
  }
  const auto number = parse_decimal(text.substr(0, end));
  const auto unit = unit_bytes(unit_name);
  if (!number && number.error().code == ErrorCode::kOutOfRange) {
    return number.error();
  }
  if (!number || !unit) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("'{}' is not a size such as 8GiB, 500MB or "
                             "1073741824",
                             text)};
  }
  auto bytes = scale_down(*number, *unit);
  if (!bytes) {
    return Error{ErrorCode::kOutOfRange,
                 fmt::format("'{}' is more than {} bytes", text, kMaxBytes)};
  }
  return bytes;
}

std::string format_bytes(Bytes bytes) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  if (std::llabs(bytes) < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 1023.95 would be shown as 1024; move on to the next unit instead.
  while ((value >= 1023.95 || value <= -1023.95) && unit + 1 < kNames.size()) {
    value /= 1024;
    ++unit;
  }
  const double size = value < 0 ? -value : value;
  const int digits = size < 9.9995 ? 3 : size < 99.995 ? 2 : 1;
  return fmt::format("{:.{}f} {}", value, digits, kNames[unit]);
}

std::string format_exact(std::int64_t value) {
  std::string digits = fmt::format("{}", value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

}  // namespace rematch
