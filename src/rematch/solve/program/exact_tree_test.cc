// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/exact_tree.h"

#include <gtest/gtest.h>

namespace rematch {
namespace {

// Minimise x + y + z with 2 (x + y + z) >= 3 over {0, 1}: 2, relaxed 1.5.
LinearModel covering() {
  LinearModel model;
  const FamilyId family = model.family("x");
  std::vector<LinearTerm> terms;
  for (int i = 0; i < 3; ++i) {
    terms.push_back({model.add_column(family, {0, 1, 1, true}), 2});
  }
  model.add_row(model.family("cover"), 3, kInfinity, terms);
  return model;
}

bool proves(double target, std::size_t most_nodes) {
  LpSession session(covering());
  SolveClock clock{Limits{}};
  const ExactTreeHooks hooks{
      .target = target,
      .is_enough = [&](double bound) { return bound >= target - 1e-9; },
      .cut_off = [](std::span<const double>) { return false; }};
  const bool proved = prove_by_branching(session, clock, hooks, most_nodes);
  for (ColumnId column : session.model().columns()) {
    EXPECT_EQ(session.model().column(column), (LinearColumn{0, 1, 1, true}));
  }
  return proved;
}

TEST(ExactTree, ProvesTheOptimumAndNotMore) {
  EXPECT_TRUE(proves(1.5, 1));
  EXPECT_TRUE(proves(2, 100));
  EXPECT_FALSE(proves(2.5, 100));
}

TEST(ExactTree, StopsAtItsLimit) { EXPECT_FALSE(proves(2, 1)); }

}  // namespace
}  // namespace rematch
