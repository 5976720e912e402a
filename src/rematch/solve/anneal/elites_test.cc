// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/elites.h"

#include <gtest/gtest.h>

namespace rematch {
namespace {

Incumbent costing(Cost extra) {
  return {.sequence = {}, .extra = extra, .peak = 10, .fits = true};
}

TEST(Elites, KeepTheBestFirst) {
  Elites elites(2);
  EXPECT_TRUE(elites.offer(costing(3)));
  EXPECT_TRUE(elites.offer(costing(2)));
  EXPECT_TRUE(elites.full());
  EXPECT_TRUE(elites.offer(costing(1)));
  EXPECT_FALSE(elites.offer(costing(3)));
  EXPECT_EQ(elites.size(), 2u);
  EXPECT_EQ(elites[0].extra, 1);
  EXPECT_EQ(elites[1].extra, 2);
}

TEST(Elites, TakeNoTwoOfTheSameCost) {
  Elites elites(3);
  EXPECT_TRUE(elites.offer(costing(2)));
  EXPECT_FALSE(elites.offer(costing(2)));
  EXPECT_EQ(elites.size(), 1u);
}

TEST(Elites, PreferWhatFits) {
  Elites elites(2);
  elites.offer({.sequence = {}, .extra = 0, .peak = 20, .fits = false});
  elites.offer(costing(9));
  EXPECT_TRUE(elites.best().fits);
}

}  // namespace
}  // namespace rematch
