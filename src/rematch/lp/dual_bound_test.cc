// SPDX-License-Identifier: Apache-2.0
#include "rematch/lp/dual_bound.h"

#include <gtest/gtest.h>

#include "rematch/base/check.h"

namespace rematch {
namespace {

// Minimise 2a + 3b over a + b >= 4 with 0 <= a <= 3, 0 <= b <= 3: 9 at (3, 1).
LinearModel small_model() {
  LinearModel model;
  const FamilyId x = model.family("x");
  const ColumnId a = model.add_column(x, {0, 3, 2, false});
  const ColumnId b = model.add_column(x, {0, 3, 3, false});
  model.add_row(x, 4, kInfinity, {{a, 1.0}, {b, 1.0}});
  return model;
}

double bound(const LinearModel& model, double price) {
  return dual_bound(model, std::vector<double>{price});
}

TEST(DualBound, IsTheOptimumAtTheRightPriceButNeverAbove) {
  EXPECT_NEAR(bound(small_model(), 3), 9, 1e-12);
  EXPECT_LE(bound(small_model(), 3), 9);
}

TEST(DualBound, IsWeakerAtAnyOtherPrice) {
  EXPECT_NEAR(bound(small_model(), 0), 0, 1e-12);
  EXPECT_NEAR(bound(small_model(), 2), 8, 1e-12);
  EXPECT_NEAR(bound(small_model(), 5), 20 - 9 - 6, 1e-12);
}

TEST(DualBound, LeavesOutARowWhosePricePointsToNoBound) {
  EXPECT_NEAR(bound(small_model(), -1), 0, 1e-12);
}

TEST(DualBound, IsNothingIfAPriceLeavesAColumnWithoutBound) {
  LinearModel unbounded = small_model();
  unbounded.set_bounds(ColumnId(0), 0, kInfinity);
  EXPECT_EQ(bound(unbounded, 3), -kInfinity);
  EXPECT_NEAR(bound(unbounded, 1.5), 6, 1e-12);
}

TEST(DualBound, CountsTheOffset) {
  LinearModel model = small_model();
  model.set_offset(100);
  EXPECT_NEAR(bound(model, 3), 109, 1e-10);
}

TEST(DualBound, WantsOneFinitePricePerRow) {
  EXPECT_THROW(dual_bound(small_model(), {}), InternalError);
  EXPECT_THROW(bound(small_model(), kInfinity), InternalError);
}

}  // namespace
}  // namespace rematch
