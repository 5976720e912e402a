// SPDX-License-Identifier: Apache-2.0
#include "rematch/lp/highs_solver.h"

#include <set>

#include <gtest/gtest.h>

namespace rematch {
namespace {

// HiGHS has the statuses 0 to 19.
TEST(LpStatusFromHighs, GivesEveryStatusOneOfItsOwn) {
  std::set<LpStatus> seen;
  std::set<std::string_view> names;
  for (int status = 0; status <= 19; ++status) {
    seen.insert(lp_status_from_highs(status));
    names.insert(lp_status_name(lp_status_from_highs(status)));
  }
  EXPECT_EQ(seen.size(), 20u);
  EXPECT_EQ(names.size(), 20u);
  EXPECT_FALSE(seen.contains(LpStatus::kUnrecognised));
}

TEST(LpStatusFromHighs, TakesNoOtherNumberForAStatus) {
  EXPECT_EQ(lp_status_from_highs(-1), LpStatus::kUnrecognised);
  EXPECT_EQ(lp_status_from_highs(20), LpStatus::kUnrecognised);
  EXPECT_EQ(lp_status_name(LpStatus::kUnrecognised), "unrecognised");
}

TEST(LpStatusFromHighs, KnowsTheOnesThatMatterMost) {
  EXPECT_EQ(lp_status_from_highs(7), LpStatus::kOptimal);
  EXPECT_EQ(lp_status_from_highs(8), LpStatus::kInfeasible);
  EXPECT_EQ(lp_status_from_highs(10), LpStatus::kUnbounded);
  EXPECT_EQ(lp_status_from_highs(13), LpStatus::kTimeLimit);
}

}  // namespace
}  // namespace rematch
