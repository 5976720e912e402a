// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/cover_flow.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "rematch/base/random.h"

namespace rematch {
namespace {

Meter unlimited() { return Meter(Limits{}); }

TEST(SolveCover, TakesTheCheapestIntervals) {
  Meter meter = unlimited();
  const CoverResult result =
      solve_cover({10}, {{0, 0, 6, 1}, {0, 0, 6, 3}, {0, 0, 6, 2}}, meter);
  EXPECT_TRUE(result.optimal);
  EXPECT_EQ(result.flow, (std::vector<double>{6, 0, 4}));
  EXPECT_DOUBLE_EQ(result.multipliers[0], 2);
}

TEST(SolveCover, UsesOneIntervalForSeveralRows) {
  Meter meter = unlimited();
  const CoverResult result =
      solve_cover({5, 5}, {{0, 1, 5, 3}, {0, 0, 5, 2}, {1, 1, 5, 2}}, meter);
  EXPECT_EQ(result.flow, (std::vector<double>{5, 0, 0}));
}

TEST(SolveCover, TakesNothingWhereNothingIsNeeded) {
  Meter meter = unlimited();
  const CoverResult result = solve_cover({-3, 0}, {{0, 1, 5, 1}}, meter);
  EXPECT_EQ(result.flow, (std::vector<double>{0}));
  EXPECT_EQ(result.multipliers, (std::vector<double>{0, 0}));
}

// On random instances, whatever is guessed: the flow covers every row, and its
// price equals the value of the multipliers, so both are optimal.
TEST(SolveCover, ClosesTheDualityGap) {
  Random random(21);
  for (int i = 0; i < 2000; ++i) {
    const auto rows = static_cast<std::int32_t>(random.between(1, 12));
    std::vector<CoverArc> arcs;
    std::vector<double> covered(static_cast<std::size_t>(rows));
    for (std::uint64_t k = 0; k < 1 + random.below(40); ++k) {
      auto a = static_cast<std::int32_t>(random.between(0, rows - 1));
      auto b = static_cast<std::int32_t>(random.between(0, rows - 1));
      if (a > b) std::swap(a, b);
      arcs.push_back({a, b, static_cast<double>(random.between(1, 9)),
                      static_cast<double>(random.between(0, 9)),
                      random.below(3) > 0});
      for (std::int32_t r = a; r <= b; ++r) {
        covered[static_cast<std::size_t>(r)] += arcs.back().capacity;
      }
    }
    std::vector<double> need;
    for (double most : covered) {
      need.push_back(static_cast<double>(
          random.between(-3, static_cast<std::int64_t>(most))));
    }
    Meter meter = unlimited();
    const CoverResult result = solve_cover(need, arcs, meter);
    ASSERT_TRUE(result.optimal);
    double primal = 0;
    double dual = 0;
    std::vector<double> reached(need.size());
    for (std::size_t a = 0; a < arcs.size(); ++a) {
      const CoverArc& arc = arcs[a];
      EXPECT_GE(result.flow[a], 0);
      EXPECT_LE(result.flow[a], arc.capacity);
      primal += arc.price * result.flow[a];
      double inside = 0;
      for (std::int32_t r = arc.first; r <= arc.last; ++r) {
        reached[static_cast<std::size_t>(r)] += result.flow[a];
        inside += result.multipliers[static_cast<std::size_t>(r)];
      }
      dual -= std::max(0.0, inside - arc.price) * arc.capacity;
    }
    for (std::size_t r = 0; r < need.size(); ++r) {
      EXPECT_GE(reached[r], need[r] - 1e-9);
      dual += result.multipliers[r] * need[r];
    }
    EXPECT_NEAR(primal, dual, 1e-6) << i;
  }
}

TEST(SolveCover, StopsWhenToldTo) {
  Limits limits;
  limits.work = 1;
  Meter meter(limits);
  const CoverResult result =
      solve_cover({5, 5}, {{0, 1, 5, 3}, {0, 0, 5, 2}, {1, 1, 5, 2}}, meter);
  EXPECT_FALSE(result.optimal);
  EXPECT_EQ(result.multipliers.size(), 2u);
}

}  // namespace
}  // namespace rematch
