// SPDX-License-Identifier: Apache-2.0
// How JSON values convert to numbers, and how they are shown.
#include "rematch/io/json_value.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace rematch {
namespace {

TEST(JsonValue, FindsFieldOfObject) {
  const JsonValue value{JsonValue::Object{{"a", {true}}}};
  EXPECT_EQ(*value.find("a")->as<bool>(), true);
}

TEST(JsonValue, FindsNothingElsewhere) {
  EXPECT_EQ(JsonValue{JsonValue::Object()}.find("a"), nullptr);
  EXPECT_EQ(JsonValue{std::string("a")}.find("a"), nullptr);
}

TEST(JsonValue, IntegralFloatIsAnInteger) {
  EXPECT_EQ(JsonValue{1024.0}.to_integer(), 1024);
  EXPECT_EQ(JsonValue{1e18}.to_integer(), 1000000000000000000);
}

TEST(JsonValue, FractionIsNoInteger) {
  EXPECT_EQ(JsonValue{10.5}.to_integer(), std::nullopt);
  EXPECT_EQ(JsonValue{0.5}.to_unsigned(), std::nullopt);
}

TEST(JsonValue, IntegerHasToFit) {
  EXPECT_EQ(JsonValue{0x1p63}.to_integer(), std::nullopt);
  EXPECT_EQ(JsonValue{-0x1p63}.to_integer(), INT64_MIN);
  EXPECT_EQ(JsonValue{UINT64_MAX}.to_integer(), std::nullopt);
}

TEST(JsonValue, UnsignedHasToFit) {
  EXPECT_EQ(JsonValue{UINT64_MAX}.to_unsigned(), UINT64_MAX);
  EXPECT_EQ(JsonValue{std::int64_t{7}}.to_unsigned(), 7U);
  EXPECT_EQ(JsonValue{std::int64_t{-7}}.to_unsigned(), std::nullopt);
  EXPECT_EQ(JsonValue{0x1p64}.to_unsigned(), std::nullopt);
}

TEST(JsonValue, NumbersRoundToTheNearestDouble) {
  EXPECT_EQ(JsonValue{std::int64_t{9007199254740993}}.to_number(), 0x1p53);
  EXPECT_EQ(JsonValue{UINT64_MAX}.to_number(), 0x1p64);
}

TEST(JsonValue, TextIsNoNumber) {
  const JsonValue value{std::string("1")};
  EXPECT_EQ(value.to_number(), std::nullopt);
  EXPECT_EQ(value.to_integer(), std::nullopt);
  EXPECT_EQ(value.to_unsigned(), std::nullopt);
}

TEST(JsonValue, IsShownAsPeopleSayIt) {
  EXPECT_EQ(JsonValue{}.shown(), "null");
  EXPECT_EQ(JsonValue{true}.shown(), "true");
  EXPECT_EQ(JsonValue{std::int64_t{-3}}.shown(), "-3");
  EXPECT_EQ(JsonValue{UINT64_MAX}.shown(), "18446744073709551615");
  EXPECT_EQ(JsonValue{10.5}.shown(), "10.5");
  EXPECT_EQ(JsonValue{std::string("a")}.shown(), "the string 'a'");
  EXPECT_EQ(JsonValue{JsonValue::List()}.shown(), "a list");
  EXPECT_EQ(JsonValue{JsonValue::Object()}.shown(), "an object");
}

}  // namespace
}  // namespace rematch
