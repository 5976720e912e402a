// SPDX-License-Identifier: Apache-2.0
// How JSON text is laid out.
#include "rematch/io/json_writer.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace rematch {
namespace {

TEST(JsonWriter, EscapesWhatJsonNeedsEscaped) {
  EXPECT_EQ(json_text("a\"b\\c\n\x01"), R"("a\"b\\c\n\u0001")");
}

TEST(JsonWriter, KeepsUnicode) {
  EXPECT_EQ(json_text("\xc3\xa9"), "\"\xc3\xa9\"");
}

TEST(JsonWriter, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(json_text("a\xff"), "\"a\xef\xbf\xbd\"");
}

TEST(JsonWriter, WritesShortestNumbers) {
  EXPECT_EQ(json_number(26), "26");
  EXPECT_EQ(json_number(0.1), "0.1");
}

TEST(JsonWriter, WritesNullForWhatIsNotFinite) {
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(JsonWriter, WritesListOnOneLine) {
  EXPECT_EQ(
      json_list(std::vector<std::string>{"1", "[]"}, JsonLayout::kOneLine),
      "[1, []]");
}

TEST(JsonWriter, WritesListAsLines) {
  EXPECT_EQ(json_list(std::vector<std::string>{"1", "2"}, JsonLayout::kLines),
            "[\n  1,\n  2\n]");
}

TEST(JsonWriter, WritesEmptyListAsBrackets) {
  EXPECT_EQ(json_list({}, JsonLayout::kLines), "[]");
  EXPECT_EQ(json_list({}, JsonLayout::kOneLine), "[]");
}

TEST(JsonWriter, WritesFieldsInGivenOrder) {
  JsonObjectWriter object(JsonLayout::kOneLine);
  object.text("b", "x").integer("a", -1).number("c", 0.5).flag("d", true);
  EXPECT_EQ(object.finish(), R"({"b": "x", "a": -1, "c": 0.5, "d": true})");
}

TEST(JsonWriter, IndentsWhatIsInside) {
  JsonObjectWriter inner(JsonLayout::kLines);
  inner.json("b", json_list(std::vector<std::string>{"1"}, JsonLayout::kLines));
  JsonObjectWriter outer(JsonLayout::kLines);
  outer.json("a", inner.finish());
  EXPECT_EQ(outer.finish(),
            "{\n  \"a\": {\n    \"b\": [\n      1\n    ]\n  }\n}");
}

}  // namespace
}  // namespace rematch
