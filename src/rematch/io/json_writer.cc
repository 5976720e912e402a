// SPDX-License-Identifier: Apache-2.0
// Lays out JSON text.
#include "rematch/io/json_writer.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "rematch/base/cost.h"

namespace rematch {
namespace {

// Line ends inside strings are escaped, so every one here is layout.
void append_indented(std::string& to, std::string_view text) {
  for (std::size_t end = text.find('\n'); end != text.npos;
       end = text.find('\n')) {
    to.append(text.substr(0, end + 1)).append("  ");
    text.remove_prefix(end + 1);
  }
  to.append(text);
}

std::string enclosed(char open, std::string_view inside, char close,
                     JsonLayout layout) {
  const bool lines = layout == JsonLayout::kLines && !inside.empty();
  std::string result;
  result.reserve(inside.size() + 4);
  result += open;
  result += inside;
  if (lines) result += '\n';
  result += close;
  return result;
}

// What comes before an item.
std::string_view separator(bool is_first, JsonLayout layout) {
  if (layout == JsonLayout::kLines) return is_first ? "\n  " : ",\n  ";
  return is_first ? "" : ", ";
}

}  // namespace

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

std::string json_number(double value) {
  return std::isfinite(value) ? format_cost(value) : "null";
}

std::string json_list(std::span<const std::string> items, JsonLayout layout) {
  std::string inside;
  for (const std::string& item : items) {
    inside += separator(inside.empty(), layout);
    if (layout == JsonLayout::kLines) {
      append_indented(inside, item);
    } else {
      inside += item;
    }
  }
  return enclosed('[', inside, ']', layout);
}

JsonObjectWriter& JsonObjectWriter::text(std::string_view key,
                                         std::string_view value) {
  return json(key, json_text(value));
}

JsonObjectWriter& JsonObjectWriter::number(std::string_view key, double value) {
  return json(key, json_number(value));
}

JsonObjectWriter& JsonObjectWriter::flag(std::string_view key, bool value) {
  return json(key, value ? "true" : "false");
}

JsonObjectWriter& JsonObjectWriter::json(std::string_view key,
                                         std::string_view value) {
  fields_ += separator(fields_.empty(), layout_);
  fields_ += '"';
  fields_ += key;
  fields_ += "\": ";
  if (layout_ == JsonLayout::kLines) {
    append_indented(fields_, value);
  } else {
    fields_ += value;
  }
  return *this;
}

std::string JsonObjectWriter::finish() {
  return enclosed('{', fields_, '}', layout_);
}

}  // namespace rematch
