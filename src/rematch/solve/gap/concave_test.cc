// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/concave.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "rematch/base/random.h"

namespace rematch {
namespace {

TEST(Concave, IsAConstantOrALine) {
  EXPECT_EQ(Concave(3).at(100), 3);
  EXPECT_EQ(Concave::line(2).at(5), 10);
}

TEST(Concave, IsCappedByALine) {
  Concave price(6);  // min(6, 2 x)
  price.cap(2);
  EXPECT_EQ(price.at(1), 2);
  EXPECT_EQ(price.at(3), 6);
  EXPECT_EQ(price.at(9), 6);
}

TEST(Concave, StaysALineThatNothingGetsBelow) {
  Concave steep = Concave::line(5);
  steep.add(1, Concave(1));
  steep.cap(2);
  EXPECT_EQ(steep.at(10), 20);
}

TEST(Concave, CapsOfZeroCostAreFreeFromTheStart) {
  Concave price(0);
  price.cap(4);
  EXPECT_EQ(price.at(7), 0);
}

// A random function as tails make it, evaluated by its definition, too.
TEST(Concave, AgreesWithItsDefinition) {
  Random random(51);
  for (int i = 0; i < 300; ++i) {
    std::vector<double> shares;
    std::vector<double> costs;
    std::vector<double> slopes;
    Concave sum(static_cast<double>(random.between(0, 9)));
    const double constant = sum.at_zero();
    for (int k = 0; k < 4; ++k) {
      shares.push_back(random.unit());
      costs.push_back(static_cast<double>(random.between(0, 9)));
      slopes.push_back(static_cast<double>(random.between(1, 9)));
      Concave part(costs.back());
      part.cap(slopes.back());
      sum.add(shares.back(), part);
    }
    const auto line = static_cast<double>(random.between(1, 20));
    Concave capped = sum;
    capped.cap(line);
    Concave simple = capped;
    simple.simplify(3);
    EXPECT_LE(simple.pieces().size(), 3u);
    for (double x = 0; x < 12; x += 0.37) {
      double expected = constant;
      for (std::size_t k = 0; k < shares.size(); ++k) {
        expected += shares[k] * std::min(costs[k], slopes[k] * x);
      }
      EXPECT_NEAR(sum.at(x), expected, 1e-9);
      EXPECT_NEAR(capped.at(x), std::min(expected, line * x), 1e-9);
      EXPECT_LE(simple.at(x), capped.at(x) + 1e-9);
    }
  }
}

}  // namespace
}  // namespace rematch
