// SPDX-License-Identifier: Apache-2.0
// Conversions of JSON values, exact or refused.
#include "rematch/io/json_value.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "rematch/base/cost.h"
#include "rematch/graph/declarations.h"

namespace rematch {
namespace {

// A double without a fraction in [low, high), as an integer.
template <class Integer>
std::optional<Integer> integral(double value, double low, double high) {
  if (!(value >= low && value < high)) return std::nullopt;
  if (value != std::floor(value)) return std::nullopt;
  return static_cast<Integer>(value);
}

struct Shown {
  std::string operator()(JsonValue::Null) const { return "null"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(double value) const { return format_cost(value); }
  std::string operator()(std::int64_t value) const {
    return std::to_string(value);
  }
  std::string operator()(std::uint64_t value) const {
    return std::to_string(value);
  }
  std::string operator()(const std::string& value) const {
    return fmt::format("the string '{}'", shown_name(value));
  }
  std::string operator()(const JsonValue::List&) const { return "a list"; }
  std::string operator()(const JsonValue::Object&) const { return "an object"; }
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  const auto* object = as<Object>();
  if (object == nullptr) return nullptr;
  for (const JsonMember& member : *object) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::optional<double> JsonValue::to_number() const {
  if (const auto* value = as<double>()) return *value;
  if (const auto* value = as<std::int64_t>()) {
    return static_cast<double>(*value);
  }
  if (const auto* value = as<std::uint64_t>()) {
    return static_cast<double>(*value);
  }
  return std::nullopt;
}

std::optional<std::int64_t> JsonValue::to_integer() const {
  if (const auto* value = as<std::int64_t>()) return *value;
  if (const auto* value = as<double>()) {
    return integral<std::int64_t>(*value, -0x1p63, 0x1p63);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> JsonValue::to_unsigned() const {
  if (const auto* value = as<std::uint64_t>()) return *value;
  if (const auto* value = as<std::int64_t>(); value && *value >= 0) {
    return static_cast<std::uint64_t>(*value);
  }
  if (const auto* value = as<double>()) {
    return integral<std::uint64_t>(*value, 0, 0x1p64);
  }
  return std::nullopt;
}

std::string JsonValue::shown() const { return std::visit(Shown{}, data); }

}  // namespace rematch
