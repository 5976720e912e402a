// SPDX-License-Identifier: Apache-2.0
// Typed access to the fields of a JSON object, with errors that say which field
// of which object is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "rematch/base/result.h"
#include "rematch/io/json_value.h"

namespace rematch {

class FieldReader;

// Where an object is: in errors, `what` with its name (its field `name`) or
// else its number, after the same of the object around it.
struct FieldPlace {
  std::string_view what = {};
  std::optional<std::size_t> number = std::nullopt;
  const FieldReader* inside = nullptr;
};

// Reads one object. What is wrong reads as empty and the first problem is kept,
// so read all fields, then look at failed() once. Refers to the value and to
// the reader around it, which must outlive it.
class FieldReader {
 public:
  explicit FieldReader(const JsonValue& value, FieldPlace place = {});

  // Names the object in errors by something else than its field `name`.
  void set_label(std::string label) { label_ = std::move(label); }

  // Fails unless every field is one of `fields`.
  void allow_only(std::span<const std::string_view> fields);

  const JsonValue& value() const { return value_; }
  // The field, or null if it is not there.
  const JsonValue* find(std::string_view key) const { return value_.find(key); }

  // These fail if the field is missing or of another type.
  std::string text(std::string_view key);
  std::int64_t integer(std::string_view key);
  std::uint64_t unsigned_integer(std::string_view key);
  double number(std::string_view key);
  const JsonValue::List& list(std::string_view key);
  // Null in the text is none.
  std::optional<double> number_or_null(std::string_view key);

  // These fail if the field is there and of another type.
  std::string text_or(std::string_view key, std::string_view fallback);
  std::int64_t integer_or(std::string_view key, std::int64_t fallback);
  bool flag_or(std::string_view key, bool fallback);
  const JsonValue::List& list_or_empty(std::string_view key);

  // Records a problem of the whole object, or of one of its fields.
  void fail(std::string_view problem);
  void fail_type(std::string_view key, std::string_view expected,
                 const JsonValue& found);

  bool failed() const { return error_.has_value(); }
  // Only after a failure.
  const Error& error() const { return *error_; }
  // "op 'conv1': output 0: ", or nothing at the top of a document.
  std::string where() const;

 private:
  // The field, or null after recording that it is missing.
  const JsonValue* require(std::string_view key);
  std::int64_t to_integer(std::string_view key, const JsonValue& found);

  const JsonValue& value_;
  FieldPlace place_;
  std::string label_;
  std::optional<Error> error_;
};

// The formats of our own: "rematch.graph", "rematch.plan", "rematch.solution".
enum class DocumentKind { kGraph, kPlan, kSolution };

// What the `format` field of the document says; none if it is not one of ours.
std::optional<DocumentKind> document_kind(const JsonValue& document);

// The text of the `format` field.
std::string_view format_name(DocumentKind kind);

inline constexpr std::int64_t kFormatVersion = 1;

// Fails unless the document is of this kind and of a version that we know.
void check_header(FieldReader& document, DocumentKind kind);

}  // namespace rematch
