// SPDX-License-Identifier: Apache-2.0
// What parses as JSON, and what is said about text that does not.
#include "rematch/io/json_parse.h"

#include <string>

#include <gtest/gtest.h>

namespace rematch {
namespace {

JsonValue parsed(std::string_view text) {
  auto value = parse_json(text);
  EXPECT_TRUE(value) << text;
  return value ? *value : JsonValue();
}

std::string problem(std::string_view text) {
  const auto value = parse_json(text);
  if (value) return "none";
  EXPECT_EQ(value.error().code, ErrorCode::kParse);
  return value.error().message;
}

std::string nested(int depth) {
  const auto count = static_cast<std::size_t>(depth);
  return std::string(count, '[') + std::string(count, ']');
}

TEST(ParseJson, ReadsEveryKindOfValue) {
  const JsonValue value =
      parsed(R"([null, true, -1, 18446744073709551615, 0.5, "a", [], {}])");
  const auto& list = *value.as<JsonValue::List>();
  EXPECT_TRUE(list[0].as<JsonValue::Null>());
  EXPECT_EQ(*list[1].as<bool>(), true);
  EXPECT_EQ(*list[2].as<std::int64_t>(), -1);
  EXPECT_EQ(*list[3].as<std::uint64_t>(), UINT64_MAX);
  EXPECT_EQ(*list[4].as<double>(), 0.5);
  EXPECT_EQ(*list[5].as<std::string>(), "a");
  EXPECT_TRUE(list[6].as<JsonValue::List>()->empty());
  EXPECT_TRUE(list[7].as<JsonValue::Object>()->empty());
}

TEST(ParseJson, KeepsFieldsInOrder) {
  const JsonValue value = parsed(R"({"b": 1, "a": {"c": [2]}, "": 3})");
  const auto& object = *value.as<JsonValue::Object>();
  ASSERT_EQ(object.size(), 3U);
  EXPECT_EQ(object[0].key, "b");
  EXPECT_EQ(object[1].key, "a");
  EXPECT_EQ(object[2].key, "");
}

TEST(ParseJson, ReadsEscapesAndUnicode) {
  EXPECT_EQ(*parsed(R"("\u00e9\n\ud83d\ude00")").as<std::string>(),
            "\xc3\xa9\n\xf0\x9f\x98\x80");
}

TEST(ParseJson, SkipsByteOrderMark) {
  EXPECT_TRUE(parsed("\xef\xbb\xbf{}").as<JsonValue::Object>());
}

TEST(ParseJson, RefusesEmptyText) {
  EXPECT_EQ(problem(" \n"), "the text is empty");
}

TEST(ParseJson, SaysThatTextEndsTooEarly) {
  for (std::string_view text : {"{\"a\": 1", "{\"a\"", "[1,", "{\"a\": tru",
                                "[\"abc", "[\"\\", "[\"\\u12", "[1."}) {
    EXPECT_TRUE(problem(text).ends_with("the text ends too early")) << text;
  }
}

TEST(ParseJson, CountsLinesAndColumns) {
  EXPECT_EQ(problem("{\n  \"a\": [1,\n"),
            "line 3, column 1: the text ends too early");
}

TEST(ParseJson, CountsCharactersNotBytes) {
  EXPECT_EQ(problem("[\"\xc3\xa9\xc3\xa9\" 1]"),
            "line 1, column 7: unexpected number literal; expected ']'");
}

TEST(ParseJson, SaysWhatIsWrongWhere) {
  EXPECT_EQ(problem("[1,\n NaN]"), "line 2, column 2: invalid literal");
  EXPECT_EQ(problem("{\"a\": 1,}"),
            "line 1, column 9: unexpected '}'; expected string literal");
}

TEST(ParseJson, RefusesTextAfterTheDocument) {
  EXPECT_EQ(problem("{} {}"),
            "line 1, column 4: unexpected '{'; expected end of input");
}

TEST(ParseJson, RefusesInvalidUtf8WithoutRepeatingIt) {
  EXPECT_EQ(problem("[\"a\xff\"]"),
            "line 1, column 4: invalid string: ill-formed UTF-8 byte");
}

TEST(ParseJson, RefusesLoneSurrogate) {
  EXPECT_NE(problem(R"(["\ud800"])").find("surrogate"), std::string::npos);
}

TEST(ParseJson, RefusesZeroByte) {
  EXPECT_EQ(problem(std::string_view("{}\0{}", 5)),
            "line 1, column 3: a zero byte is not text");
}

TEST(ParseJson, RefusesNumberBeyondDouble) {
  EXPECT_EQ(problem("[1e999]"),
            "line 1, column 2: the number 1e999 is too large");
}

TEST(ParseJson, RefusesFieldGivenTwice) {
  EXPECT_EQ(problem("{\"a\": 1,\n \"a\": 2}"),
            "line 2, column 8: the object that ends here has two fields 'a'");
}

TEST(ParseJson, AllowsOneKeyInTwoObjects) {
  EXPECT_EQ(problem(R"([{"a": 1}, {"a": {"a": 2}}])"), "none");
}

TEST(ParseJson, AllowsDeepestNesting) {
  EXPECT_EQ(problem(nested(kMaxJsonDepth)), "none");
}

TEST(ParseJson, RefusesDeeperNesting) {
  EXPECT_EQ(problem(nested(kMaxJsonDepth + 1)),
            "line 1, column 65: nested deeper than 64 levels");
}

TEST(ParseJson, RefusesHostileNesting) {
  EXPECT_EQ(problem(std::string(1000000, '[')),
            "line 1, column 65: nested deeper than 64 levels");
}

}  // namespace
}  // namespace rematch
