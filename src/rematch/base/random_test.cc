// SPDX-License-Identifier: Apache-2.0
#include "rematch/base/random.h"

#include <gtest/gtest.h>

namespace rematch {
namespace {

// The values are fixed: a change would change every generated graph.
TEST(Random, GivesTheSameNumbersOnEveryPlatform) {
  Random random(1);
  EXPECT_EQ(random.next(), 2469588189546311528u);
  EXPECT_EQ(random.below(100), 62u);
  EXPECT_EQ(random.between(-5, 5), -5);
}

TEST(Random, StaysInRange) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(random.below(3), 3u);
    const auto value = random.between(-2, 2);
    EXPECT_GE(value, -2);
    EXPECT_LE(value, 2);
    const double unit = random.unit();
    EXPECT_GE(unit, 0);
    EXPECT_LT(unit, 1);
  }
}

TEST(Random, ReachesBothEnds) {
  Random random(3);
  bool low = false;
  bool high = false;
  for (int i = 0; i < 200; ++i) {
    const auto value = random.between(1, 4);
    low = low || value == 1;
    high = high || value == 4;
  }
  EXPECT_TRUE(low && high);
}

}  // namespace
}  // namespace rematch
