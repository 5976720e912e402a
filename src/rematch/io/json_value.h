// SPDX-License-Identifier: Apache-2.0
// A JSON document in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rematch {

struct JsonMember;

struct JsonValue {
  using Null = std::monostate;
  using List = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;  // As written; no key twice.

  // An integer is unsigned only above the largest std::int64_t; a number with
  // a fraction or an exponent, or beyond 64 bits, is a double.
  std::variant<Null, bool, std::int64_t, std::uint64_t, double, std::string,
               List, Object>
      data;

  // The value if it is a T, else null.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&data);
  }

  // The field of an object; null if it has no such field or is no object.
  const JsonValue* find(std::string_view key) const;

  // Any number, rounded to the nearest double.
  std::optional<double> to_number() const;
  // A number without a fraction that fits; 1e9 and 1024.0 are such numbers.
  std::optional<std::int64_t> to_integer() const;
  std::optional<std::uint64_t> to_unsigned() const;

  // The value as it appears in an error: "10.5", "the string 'a'", "a list".
  std::string shown() const;
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

}  // namespace rematch
