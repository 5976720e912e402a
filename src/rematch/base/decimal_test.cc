// SPDX-License-Identifier: Apache-2.0
#include "rematch/base/decimal.h"

#include <gtest/gtest.h>

#include "rematch/base/bytes.h"

namespace rematch {
namespace {

TEST(ParseDecimal, KeepsEveryDigit) {
  EXPECT_EQ(*parse_decimal("62.5"), (Decimal{625, 10}));
  EXPECT_EQ(*parse_decimal("007"), (Decimal{7, 1}));
  EXPECT_EQ(*parse_decimal("0.000000001"), (Decimal{1, 1'000'000'000}));
}

TEST(ParseDecimal, RefusesTooManyDigits) {
  EXPECT_FALSE(parse_decimal("1234567890123456789").ok());
  EXPECT_FALSE(parse_decimal("0.0000000001").ok());
}

TEST(Scale, RoundsDownOrUp) {
  EXPECT_EQ(*scale_down({1, 3}, 10), 3);
  EXPECT_EQ(*scale_up({1, 3}, 10), 4);
  EXPECT_EQ(*scale_up({50, 1}, 10, 100), 5);
  EXPECT_EQ(*scale_up({50, 1}, 11, 100), 6);
}

TEST(Scale, DoesNotOverflowInBetween) {
  EXPECT_EQ(*scale_down({100, 1}, kMaxBytes, 100), kMaxBytes);
  EXPECT_FALSE(scale_up({101, 1}, kMaxBytes, 100).ok());
}

}  // namespace
}  // namespace rematch
