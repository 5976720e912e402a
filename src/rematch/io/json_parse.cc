// SPDX-License-Identifier: Apache-2.0
// Builds the document from the parser's events. Its own document type would
// keep the last of two fields with one name and has no limit on depth.
#include "rematch/io/json_parse.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rematch/graph/declarations.h"

namespace rematch {
namespace {

// "line 3, column 14", both counted from 1, of the byte at an offset. A column
// is a character, not a byte.
std::string position(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0.
  const auto column =
      1 + std::count_if(
              before.begin() + static_cast<std::ptrdiff_t>(start), before.end(),
              [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; });
  return fmt::format("line {}, column {}", line, column);
}

Error parse_error_at(std::string_view text, std::size_t offset,
                     std::string_view problem) {
  return {ErrorCode::kParse,
          fmt::format("{}: {}", position(text, offset), problem)};
}

// Takes the sentence out of the parser's message. Before it comes "... at line
// 1, column 2: syntax error while parsing value - "; after it comes the whole
// token, with bytes that may not be UTF-8.
std::string problem_of(std::string_view message) {
  for (std::string_view before : {"column ", ": ", " - "}) {
    const std::size_t at = message.find(before);
    if (at != message.npos) message.remove_prefix(at + before.size());
  }
  return std::string(message.substr(0, message.find("; last read: ")));
}

// The characters of a text; how many were taken is seen from outside.
class Characters {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Characters(const char* at, std::size_t* taken) : at_(at), taken_(taken) {}

  reference operator*() const { return *at_; }
  Characters& operator++() {
    ++at_;
    ++*taken_;
    return *this;
  }
  friend bool operator==(const Characters& a, const Characters& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  std::size_t* taken_;
};

// Receives the parser's events; false from one of them stops the parser.
class DocumentBuilder {
 public:
  explicit DocumentBuilder(std::string_view text) : text_(text) {}

  bool parse() {
    const char* begin = text_.data();
    return nlohmann::json::sax_parse(Characters(begin, &taken_),
                                     Characters(begin + text_.size(), &taken_),
                                     this);
  }
  JsonValue& document() { return document_; }
  const std::optional<Error>& error() const { return error_; }

  bool null() { return add(JsonValue::Null()); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) {
    if (value > std::numeric_limits<std::int64_t>::max()) return add(value);
    return add(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(nlohmann::json::binary_t&) { return false; }  // Never in text.

  bool start_object(std::size_t) { return open(JsonValue::Object()); }
  bool start_array(std::size_t) { return open(JsonValue::List()); }
  bool key(std::string& value) {
    key_ = std::move(value);
    return true;
  }
  bool end_array() {
    open_.pop_back();
    return true;
  }
  bool end_object() {
    const auto twice =
        key_twice(std::get<JsonValue::Object>(open_.back()->data));
    open_.pop_back();
    if (!twice) return true;
    return stop(taken_ - 1,
                fmt::format("the object that ends here has two fields '{}'",
                            shown_name(*twice)));
  }

  // `offset` counts the characters read, the end of the text included.
  bool parse_error(std::size_t offset, const std::string& token,
                   const nlohmann::json::exception& error) {
    constexpr int kNumberOverflow = 406;
    if (error.id == kNumberOverflow) {
      return stop(offset - token.size(),
                  fmt::format("the number {} is too large", shown_name(token)));
    }
    if (offset > text_.size()) {
      return stop(text_.size(), "the text ends too early");
    }
    return stop(offset - 1, problem_of(error.what()));
  }

 private:
  template <class T>
  bool add(T value) {
    next_place().data.emplace<T>(std::move(value));
    return true;
  }

  template <class T>
  bool open(T container) {
    if (open_.size() == kMaxJsonDepth) {
      return stop(taken_ - 1,
                  fmt::format("nested deeper than {} levels", kMaxJsonDepth));
    }
    JsonValue& value = next_place();
    value.data.emplace<T>(std::move(container));
    open_.push_back(&value);
    return true;
  }

  // Where the next value goes. A container moves only when the one around it
  // grows, which happens after it is closed, so the pointers in open_ stay
  // valid.
  JsonValue& next_place() {
    if (open_.empty()) return document_;
    auto& container = open_.back()->data;
    if (auto* list = std::get_if<JsonValue::List>(&container)) {
      return list->emplace_back();
    }
    JsonMember& member = std::get<JsonValue::Object>(container).emplace_back();
    member.key = std::move(key_);
    return member.value;
  }

  std::optional<std::string> key_twice(const JsonValue::Object& object) {
    keys_.clear();
    for (const JsonMember& member : object) keys_.push_back(member.key);
    std::sort(keys_.begin(), keys_.end());
    const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
    if (twice == keys_.end()) return std::nullopt;
    return std::string(*twice);
  }

  bool stop(std::size_t offset, std::string_view problem) {
    error_ = parse_error_at(text_, offset, problem);
    return false;
  }

  std::string_view text_;
  std::size_t taken_ = 0;
  JsonValue document_;
  std::vector<JsonValue*> open_;  // The containers around what comes next.
  std::string key_;
  std::vector<std::string_view> keys_;
  std::optional<Error> error_;
};

}  // namespace

Result<JsonValue> parse_json(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) {
    return Error{ErrorCode::kParse, "the text is empty"};
  }
  // The parser would take a zero byte for the end of the text.
  if (const std::size_t zero = text.find('\0'); zero != text.npos) {
    return parse_error_at(text, zero, "a zero byte is not text");
  }
  DocumentBuilder builder(text);
  if (!builder.parse()) return *builder.error();
  return std::move(builder.document());
}

}  // namespace rematch
