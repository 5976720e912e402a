// SPDX-License-Identifier: Apache-2.0
// What the field reader gives, and how it words what is wrong.
#include "rematch/io/json_reader.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "rematch/io/json_parse.h"

namespace rematch {
namespace {

// Reads one object with `read` and returns what it says is wrong.
template <class Read>
std::string problem(std::string_view text, Read read,
                    FieldPlace place = {"op", 3}) {
  const auto value = parse_json(text);
  if (!value) return value.error().message;
  FieldReader fields(*value, place);
  read(fields);
  return fields.failed() ? fields.error().message : "none";
}

std::string header_problem(std::string_view text) {
  return problem(text, [](auto& f) { check_header(f, DocumentKind::kGraph); },
                 {});
}

TEST(FieldReader, ReadsFields) {
  const auto value = parse_json(
      R"({"t": "x", "i": 2e3, "u": 18446744073709551615, "n": 7, "f": true,
          "l": [1]})");
  FieldReader fields(*value);
  EXPECT_EQ(fields.text("t"), "x");
  EXPECT_EQ(fields.integer("i"), 2000);
  EXPECT_EQ(fields.unsigned_integer("u"), UINT64_MAX);
  EXPECT_EQ(fields.number("n"), 7.0);
  EXPECT_TRUE(fields.flag_or("f", false));
  EXPECT_EQ(fields.list("l").size(), 1U);
  EXPECT_FALSE(fields.failed());
}

TEST(FieldReader, UsesFallbackForMissingField) {
  const JsonValue value{JsonValue::Object()};
  FieldReader fields(value);
  EXPECT_EQ(fields.text_or("t", "x"), "x");
  EXPECT_EQ(fields.integer_or("i", 5), 5);
  EXPECT_TRUE(fields.flag_or("f", true));
  EXPECT_TRUE(fields.list_or_empty("l").empty());
  EXPECT_FALSE(fields.failed());
}

TEST(FieldReader, ReadsNullAsNone) {
  const auto value = parse_json(R"({"a": null, "b": 2})");
  FieldReader fields(*value);
  EXPECT_EQ(fields.number_or_null("a"), std::nullopt);
  EXPECT_EQ(fields.number_or_null("b"), 2.0);
  EXPECT_FALSE(fields.failed());
}

TEST(FieldReader, TurnsMinusZeroIntoZero) {
  const auto value = parse_json(R"({"a": -0.0})");
  FieldReader fields(*value);
  EXPECT_FALSE(std::signbit(fields.number("a")));
}

TEST(FieldReader, RefusesWhatIsNoObject) {
  EXPECT_EQ(problem("[]", [](auto&) {}),
            "op 3 should be an object, found a list");
  EXPECT_EQ(problem("1", [](auto&) {}, {}),
            "the document should be an object, found 1");
}

TEST(FieldReader, NamesMissingField) {
  EXPECT_EQ(problem("{}", [](auto& f) { f.text("a"); }),
            "op 3: field 'a' is missing");
}

TEST(FieldReader, NamesTheObjectByItsName) {
  EXPECT_EQ(problem(R"({"name": "c"})", [](auto& f) { f.list("a"); }),
            "op 'c': field 'a' is missing");
}

TEST(FieldReader, NamesTheObjectByItsLabel) {
  EXPECT_EQ(problem(R"({"name": "c"})",
                    [](auto& f) {
                      f.set_label("7");
                      f.number("a");
                    }),
            "op '7': field 'a' is missing");
}

TEST(FieldReader, NamesTheObjectAround) {
  const JsonValue value{JsonValue::Object()};
  const FieldReader outer(value, {"op", 3});
  EXPECT_EQ(
      problem("{}", [](auto& f) { f.integer("a"); }, {"output", 0, &outer}),
      "op 3: output 0: field 'a' is missing");
}

TEST(FieldReader, SaysWhatWasExpectedAndFound) {
  const std::string_view text = R"({"a": {}, "b": 10.5, "c": "x"})";
  EXPECT_EQ(problem(text, [](auto& f) { f.text("a"); }),
            "op 3: field 'a' should be a string, found an object");
  EXPECT_EQ(problem(text, [](auto& f) { f.integer("b"); }),
            "op 3: field 'b' should be an integer, found 10.5");
  EXPECT_EQ(problem(text, [](auto& f) { f.integer("c"); }),
            "op 3: field 'c' should be an integer, found the string 'x'");
  EXPECT_EQ(problem(text, [](auto& f) { f.number("c"); }),
            "op 3: field 'c' should be a number, found the string 'x'");
  EXPECT_EQ(problem(text, [](auto& f) { f.flag_or("b", true); }),
            "op 3: field 'b' should be true or false, found 10.5");
  EXPECT_EQ(problem(text, [](auto& f) { f.list_or_empty("c"); }),
            "op 3: field 'c' should be a list, found the string 'x'");
}

TEST(FieldReader, SaysBothLimitsOfAnInteger) {
  EXPECT_EQ(problem(R"({"a": 1e30})", [](auto& f) { f.integer("a"); }),
            "op 3: field 'a' should be between -9223372036854775808 and "
            "9223372036854775807, found 1e+30");
  EXPECT_EQ(problem(R"({"a": -1})", [](auto& f) { f.unsigned_integer("a"); }),
            "op 3: field 'a' should be an integer between 0 and "
            "18446744073709551615, found -1");
}

TEST(FieldReader, RefusesUnknownField) {
  constexpr std::array<std::string_view, 2> kKnown = {"name", "cost"};
  EXPECT_EQ(problem(R"({"cost": 1, "colour": 2})",
                    [&](auto& f) { f.allow_only(kKnown); }),
            "op 3: there is no field 'colour' (known: name, cost)");
}

TEST(FieldReader, KeepsTheFirstProblem) {
  EXPECT_EQ(problem("{}",
                    [](auto& f) {
                      f.fail("first");
                      f.fail("second");
                    }),
            "op 3: first");
}

TEST(Header, AcceptsOurVersion) {
  EXPECT_EQ(header_problem(R"({"format": "rematch.graph", "version": 1})"),
            "none");
}

TEST(Header, RefusesOtherVersionWithBothNumbers) {
  EXPECT_EQ(header_problem(R"({"format": "rematch.graph", "version": 2})"),
            "version 2 of the graph format is not known (known: version 1)");
}

TEST(Header, SaysWhatTheDocumentIs) {
  EXPECT_EQ(header_problem(R"({"format": "rematch.solution", "version": 1})"),
            "this is a solution, not a graph");
}

TEST(Header, RefusesForeignFormat) {
  EXPECT_EQ(header_problem(R"({"format": "onnx", "version": 1})"),
            "field 'format' should be 'rematch.graph', found 'onnx'");
}

TEST(Header, NeedsFormat) {
  EXPECT_EQ(header_problem(R"({"version": 1})"), "field 'format' is missing");
}

TEST(Header, NeedsVersion) {
  EXPECT_EQ(header_problem(R"({"format": "rematch.graph"})"),
            "field 'version' is missing");
}

}  // namespace
}  // namespace rematch
