// SPDX-License-Identifier: Apache-2.0
// Pieces of JSON text, laid out so that files are readable and diffable.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rematch {

// The text in quotes; bytes that are not UTF-8 become U+FFFD.
std::string json_text(std::string_view text);

// The shortest text that reads back as the same number; null if not finite.
std::string json_number(double value);

enum class JsonLayout {
  kOneLine,
  kLines,  // A field or an item per line, what is inside indented by two.
};

// A list of values that are JSON already.
std::string json_list(std::span<const std::string> items, JsonLayout layout);

// Builds an object field by field, in the given order.
class JsonObjectWriter {
 public:
  explicit JsonObjectWriter(JsonLayout layout) : layout_(layout) {}

  JsonObjectWriter& text(std::string_view key, std::string_view value);
  JsonObjectWriter& number(std::string_view key, double value);
  JsonObjectWriter& flag(std::string_view key, bool value);
  template <std::integral Integer>
  JsonObjectWriter& integer(std::string_view key, Integer value) {
    return json(key, std::to_string(value));
  }
  // A value that is JSON already.
  JsonObjectWriter& json(std::string_view key, std::string_view value);

  std::string finish();

 private:
  JsonLayout layout_;
  std::string fields_;
};

}  // namespace rematch
