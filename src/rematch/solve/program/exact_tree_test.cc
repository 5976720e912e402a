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
  const bool proved =
      prove_by_branching(session, clock, hooks, most_nodes).is_proved;
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

// With x + y + z >= 2 the relaxation alone is enough.
TEST(ExactTree, NeedsFewerNodesWithRowsThatFractionsBreak) {
  LpSession session(covering());
  SolveClock clock{Limits{}};
  int calls = 0;
  const ExactTreeHooks hooks{
      .target = 2,
      .is_enough = [](double bound) { return bound >= 2 - 1e-9; },
      .cut_off = [](std::span<const double>) { return false; },
      .tighten =
          [&](std::span<const double>) {
            LinearModel& model = session.model();
            std::vector<LinearTerm> terms;
            for (ColumnId column : model.columns())
              terms.push_back({column, 1});
            model.add_row(model.family("two"), 2, kInfinity, terms);
            ++calls;
            return true;
          }};
  EXPECT_TRUE(prove_by_branching(session, clock, hooks, 2).is_proved);
  EXPECT_EQ(calls, 1);
}

TEST(ExactTree, StopsAtItsLimit) { EXPECT_FALSE(proves(2, 1)); }

TEST(ExactTree, SaysWhichLimitEndedIt) {
  const ExactTreeHooks hooks{
      .target = 2,
      .is_enough = [](double bound) { return bound >= 2; },
      .cut_off = [](std::span<const double>) { return false; }};
  Limits work;
  work.work = 0;
  Limits time;
  time.seconds = 0;
  for (const auto& [limits, reason] :
       {std::pair{work, StopReason::kWorkLimit},
        std::pair{time, StopReason::kTimeLimit}}) {
    LpSession session(covering());
    SolveClock clock{limits};
    const auto answer = prove_by_branching(session, clock, hooks, 100);
    EXPECT_FALSE(answer.is_proved);
    EXPECT_EQ(answer.stop, reason);
  }
  LpSession session(covering());
  SolveClock clock{Limits{}};
  EXPECT_EQ(prove_by_branching(session, clock, hooks, 1).stop, std::nullopt);
}

}  // namespace
}  // namespace rematch
