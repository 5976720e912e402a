// SPDX-License-Identifier: Apache-2.0
// Reads fields, and words what is wrong with them.
#include "rematch/io/json_reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rematch/graph/declarations.h"

namespace rematch {
namespace {

const JsonValue::List kNoItems;

struct Format {
  DocumentKind kind;
  std::string_view name;
  std::string_view word;  // As in "this is a plan".
};

constexpr std::array<Format, 3> kFormats = {{
    {DocumentKind::kGraph, "rematch.graph", "graph"},
    {DocumentKind::kPlan, "rematch.plan", "plan"},
    {DocumentKind::kSolution, "rematch.solution", "solution"},
}};

const Format& format_of(DocumentKind kind) {
  return *std::find_if(kFormats.begin(), kFormats.end(),
                       [&](const Format& f) { return f.kind == kind; });
}

}  // namespace

FieldReader::FieldReader(const JsonValue& value, FieldPlace place)
    : value_(value), place_(place) {
  if (value.as<JsonValue::Object>() != nullptr) return;
  std::string subject = place.what.empty() ? "the document" : where();
  if (subject.ends_with(": ")) subject.resize(subject.size() - 2);
  error_ = Error{
      ErrorCode::kParse,
      fmt::format("{} should be an object, found {}", subject, value.shown())};
}

std::string FieldReader::where() const {
  std::string result = place_.inside ? place_.inside->where() : "";
  if (place_.what.empty()) return result;
  const JsonValue* name = value_.find("name");
  const auto* text = name ? name->as<std::string>() : nullptr;
  if (!label_.empty() || (text != nullptr && !text->empty())) {
    result += fmt::format("{} '{}': ", place_.what,
                          shown_name(label_.empty() ? *text : label_));
  } else if (place_.number) {
    result += fmt::format("{} {}: ", place_.what, *place_.number);
  } else {
    result += fmt::format("{}: ", place_.what);
  }
  return result;
}

void FieldReader::fail(std::string_view problem) {
  if (failed()) return;
  error_ = Error{ErrorCode::kParse, where() + std::string(problem)};
}

void FieldReader::fail_type(std::string_view key, std::string_view expected,
                            const JsonValue& found) {
  fail(fmt::format("field '{}' should be {}, found {}", key, expected,
                   found.shown()));
}

void FieldReader::allow_only(std::span<const std::string_view> fields) {
  const auto* object = value_.as<JsonValue::Object>();
  if (object == nullptr) return;
  for (const JsonMember& member : *object) {
    if (std::find(fields.begin(), fields.end(), member.key) != fields.end()) {
      continue;
    }
    return fail(fmt::format("there is no field '{}' (known: {})",
                            shown_name(member.key), fmt::join(fields, ", ")));
  }
}

const JsonValue* FieldReader::require(std::string_view key) {
  const JsonValue* found = find(key);
  if (found == nullptr) fail(fmt::format("field '{}' is missing", key));
  return found;
}

std::string FieldReader::text(std::string_view key) {
  return require(key) == nullptr ? std::string() : text_or(key, "");
}

std::string FieldReader::text_or(std::string_view key,
                                 std::string_view fallback) {
  const JsonValue* found = find(key);
  if (found == nullptr) return std::string(fallback);
  if (const auto* text = found->as<std::string>()) return *text;
  fail_type(key, "a string", *found);
  return {};
}

std::int64_t FieldReader::to_integer(std::string_view key,
                                     const JsonValue& found) {
  if (const auto value = found.to_integer()) return *value;
  using Limits = std::numeric_limits<std::int64_t>;
  const auto number = found.to_number();
  if (number && (*number < -0x1p63 || *number >= 0x1p63)) {
    fail_type(key,
              fmt::format("between {} and {}", Limits::min(), Limits::max()),
              found);
  } else {
    fail_type(key, "an integer", found);
  }
  return 0;
}

std::int64_t FieldReader::integer(std::string_view key) {
  const JsonValue* found = require(key);
  return found == nullptr ? 0 : to_integer(key, *found);
}

std::int64_t FieldReader::integer_or(std::string_view key,
                                     std::int64_t fallback) {
  const JsonValue* found = find(key);
  return found == nullptr ? fallback : to_integer(key, *found);
}

std::uint64_t FieldReader::unsigned_integer(std::string_view key) {
  const JsonValue* found = require(key);
  if (found == nullptr) return 0;
  if (const auto value = found->to_unsigned()) return *value;
  fail_type(key,
            fmt::format("an integer between 0 and {}",
                        std::numeric_limits<std::uint64_t>::max()),
            *found);
  return 0;
}

double FieldReader::number(std::string_view key) {
  const JsonValue* found = require(key);
  if (found == nullptr) return 0;
  if (const auto value = found->to_number()) {
    return *value + 0.0;  // Minus zero becomes zero.
  }
  fail_type(key, "a number", *found);
  return 0;
}

std::optional<double> FieldReader::number_or_null(std::string_view key) {
  const JsonValue* found = find(key);
  if (found != nullptr && found->as<JsonValue::Null>()) return std::nullopt;
  return number(key);
}

bool FieldReader::flag_or(std::string_view key, bool fallback) {
  const JsonValue* found = find(key);
  if (found == nullptr) return fallback;
  if (const auto* flag = found->as<bool>()) return *flag;
  fail_type(key, "true or false", *found);
  return fallback;
}

const JsonValue::List& FieldReader::list(std::string_view key) {
  require(key);
  return list_or_empty(key);
}

const JsonValue::List& FieldReader::list_or_empty(std::string_view key) {
  const JsonValue* found = find(key);
  if (found == nullptr) return kNoItems;
  if (const auto* items = found->as<JsonValue::List>()) return *items;
  fail_type(key, "a list", *found);
  return kNoItems;
}

std::optional<DocumentKind> document_kind(const JsonValue& document) {
  const JsonValue* field = document.find("format");
  const auto* name = field ? field->as<std::string>() : nullptr;
  if (name == nullptr) return std::nullopt;
  for (const Format& format : kFormats) {
    if (format.name == *name) return format.kind;
  }
  return std::nullopt;
}

std::string_view format_name(DocumentKind kind) { return format_of(kind).name; }

void check_header(FieldReader& document, DocumentKind kind) {
  const Format& wanted = format_of(kind);
  const auto found = document_kind(document.value());
  if (!found) {
    const std::string name = document.text("format");
    document.fail(fmt::format("field 'format' should be '{}', found '{}'",
                              wanted.name, shown_name(name)));
  } else if (*found != kind) {
    document.fail(fmt::format("this is a {}, not a {}", format_of(*found).word,
                              wanted.word));
  }
  const std::int64_t version = document.integer("version");
  if (version == kFormatVersion) return;
  document.fail(fmt::format(
      "version {} of the {} format is not known (known: version {})", version,
      wanted.word, kFormatVersion));
}

}  // namespace rematch
