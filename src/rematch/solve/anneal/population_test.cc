// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/population.h"

#include <gtest/gtest.h>

namespace rematch {
namespace {

Incumbent costing(Cost extra) { return {{}, extra, 1, true}; }

TEST(Population, SaysWhetherAResultLeads) {
  Population population(2, 0);
  EXPECT_TRUE(population.offer(costing(10), 1));
  EXPECT_FALSE(population.offer(costing(10.5), 2));
  EXPECT_TRUE(population.offer(costing(9), 3));
  EXPECT_EQ(population.elites().best().extra, 9);
}

TEST(Population, LeavesOutWhatCostsMuchMoreThanTheBest) {
  Population population(3, 0);
  population.offer(costing(10), 1);
  population.offer(costing(11), 2);
  EXPECT_EQ(population.elites().size(), 1u);
}

TEST(Population, IsStaleIfItsBestIsOldInMovesAndForItsAge) {
  Population population(1, 1'000);
  EXPECT_FALSE(population.is_stale(9'000, 100)) << "has no result yet";
  population.offer(costing(10), 2'000);
  EXPECT_FALSE(population.is_stale(2'999, 100)) << "young for its age";
  EXPECT_FALSE(population.is_stale(3'000, 1'001)) << "young in moves";
  EXPECT_TRUE(population.is_stale(3'000, 1'000));
}

TEST(Population, OfOthersIsReadyForCrossing) {
  Elites others(6);
  others.offer(costing(10));
  others.offer(costing(20));
  const Population population(others, 0);
  EXPECT_TRUE(population.elites().full());
  EXPECT_EQ(population.elites().size(), 2u);
}

TEST(Population, GrowsUpToALimit) {
  Population population(2, 0);
  population.grow(3);
  population.grow(3);
  EXPECT_EQ(population.elites().capacity(), 3u);
}

}  // namespace
}  // namespace rematch
