// SPDX-License-Identifier: Apache-2.0
#include "rematch/base/cost.h"

#include <gtest/gtest.h>

namespace rematch {
namespace {

TEST(FormatCost, ShowsIntegersAsIntegers) {
  EXPECT_EQ(format_cost(26), "26");
  EXPECT_EQ(format_cost(10275337746048.0), "10275337746048");
}

TEST(FormatCost, ShowsFractionsExactly) {
  EXPECT_EQ(format_cost(0.125), "0.125");
  EXPECT_EQ(format_cost(0.1), "0.1");
}

TEST(FormatRatio, ShowsFiveDigits) {
  EXPECT_EQ(format_ratio(1.019684), "1.01968x");
  EXPECT_EQ(format_ratio(207.88), "207.9x");
}

TEST(FormatGap, RoundsUp) {
  EXPECT_EQ(format_gap(0.5), "50.0%");
  EXPECT_EQ(format_gap(0.0186), "1.86%");
  EXPECT_EQ(format_gap(0.01860001), "1.87%");
  EXPECT_EQ(format_gap(0.123401), "12.4%");
  EXPECT_EQ(format_gap(7.5e-9), "0.0001%");
  EXPECT_EQ(format_gap(0), "0.0000%");
  EXPECT_EQ(format_gap(2), "200%");
}

}  // namespace
}  // namespace rematch
