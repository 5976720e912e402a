// SPDX-License-Identifier: Apache-2.0
#include "rematch/lp/lp_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rematch/base/check.h"

namespace rematch {
namespace {

using testing::ElementsAre;

// Maximise 5a + 4b over 6a + 4b <= 24 and a + 2b <= 6: 21 at (3, 1.5), and in
// integers 20 at (4, 0).
LinearModel textbook_model() {
  LinearModel model;
  const FamilyId x = model.family("x");
  const ColumnId a = model.add_column(x, {0, 10, -5, true});
  const ColumnId b = model.add_column(x, {0, 10, -4, true});
  model.add_row(x, -kInfinity, 24, {{a, 6.0}, {b, 4.0}});
  model.add_row(x, -kInfinity, 6, {{a, 1.0}, {b, 2.0}});
  return model;
}

TEST(LpSession, SolvesAgainAfterARowWasAdded) {
  LpSession session(textbook_model());
  EXPECT_NEAR(session.solve_relaxation({}).objective, -21, 1e-9);
  LinearModel& model = session.model();
  model.add_row(model.family("cut"), -kInfinity, 1, {{ColumnId(1), 1.0}});
  const LpSolution solution = session.solve_relaxation({});
  EXPECT_NEAR(solution.objective, -5 * 20.0 / 6 - 4, 1e-9);
  EXPECT_EQ(solution.row_duals.size(), 3u);
}

TEST(LpSession, SolvesAgainAfterAColumnWasAdded) {
  LpSession session(textbook_model());
  EXPECT_NEAR(session.solve_relaxation({}).objective, -21, 1e-9);
  LinearModel& model = session.model();
  const ColumnId c = model.add_column(model.family("later"), {0, 5, -1, true});
  model.add_row(model.family("link"), -kInfinity, 2, {{c, 1.0}});
  EXPECT_NEAR(session.solve_relaxation({}).objective, -23, 1e-9);
  EXPECT_NEAR(session.solve_integers({}).objective, -22, 1e-9);
}

TEST(LpSession, SeesChangesOfBoundsCostsAndOffset) {
  LpSession session(textbook_model());
  LinearModel& model = session.model();
  EXPECT_NEAR(session.solve_relaxation({}).objective, -21, 1e-9);
  model.set_bounds(ColumnId(0), 0, 2);
  EXPECT_NEAR(session.solve_relaxation({}).objective, -18, 1e-9);
  model.set_cost(ColumnId(1), -5);
  EXPECT_NEAR(session.solve_relaxation({}).objective, -20, 1e-9);
  model.set_row_bounds(RowId(1), -kInfinity, kInfinity);
  EXPECT_NEAR(session.solve_relaxation({}).objective, -30, 1e-9);
  model.set_offset(100);
  EXPECT_NEAR(session.solve_relaxation({}).objective, 70, 1e-9);
}

TEST(LpSession, TakesIntegersForContinuousOnlyInARelaxation) {
  LpSession session(textbook_model());
  EXPECT_NEAR(session.solve_relaxation({}).objective, -21, 1e-9);
  const LpSolution integers = session.solve_integers({});
  EXPECT_NEAR(integers.objective, -20, 1e-9);
  EXPECT_THAT(integers.columns, ElementsAre(4, 0));
  EXPECT_TRUE(integers.row_duals.empty());
  EXPECT_NEAR(session.solve_relaxation({}).objective, -21, 1e-9);
}

// A chain of columns, each held down by the one before.
LinearModel chain(int length) {
  LinearModel model;
  const FamilyId x = model.family("x");
  for (int i = 0; i < length; ++i) {
    const ColumnId here = model.add_column(x, {0, 100, -1.0 - i % 3, true});
    if (i == 0) continue;
    model.add_row(x, -kInfinity, 7.0 + i % 5,
                  {{here, 1.0}, {ColumnId(i - 1), 0.5 + i % 2}});
  }
  return model;
}

TEST(LpSession, BeginsARelaxationWhereTheLastOneEnded) {
  LpSession session(chain(60));
  LpLimits limits;
  const auto cold = session.solve_relaxation(limits).iterations;
  EXPECT_GT(cold, 10);
  EXPECT_LT(session.solve_relaxation(limits).iterations, 3);
  session.solve_integers(limits);
  EXPECT_LT(session.solve_relaxation(limits).iterations, 3);
}

TEST(LpSession, CanMove) {
  LpSession session(textbook_model());
  EXPECT_NEAR(session.solve_relaxation({}).objective, -21, 1e-9);
  LpSession moved = std::move(session);
  moved.model().set_bounds(ColumnId(0), 0, 2);
  EXPECT_NEAR(moved.solve_relaxation({}).objective, -18, 1e-9);
}

TEST(LpSession, RefusesAModelThatShrank) {
  LpSession session(textbook_model());
  session.solve_relaxation({});
  session.model() = LinearModel();
  session.model().add_column(session.model().family("x"), {});
  EXPECT_THROW(session.solve_relaxation({}), InternalError);
}

TEST(LpSession, RefusesLimitsAndStartsThatMakeNoSense) {
  LpSession session(textbook_model());
  LpLimits limits;
  limits.threads = 0;
  EXPECT_THROW(session.solve_relaxation(limits), InternalError);
  LpHooks hooks;
  hooks.start = {1};
  EXPECT_THROW(session.solve_integers({}, hooks), InternalError);
}

TEST(LpSession, RefusesToBeUsedInsideOfAHook) {
  LpSession session(textbook_model());
  LpHooks hooks;
  hooks.progress = [](const LpProgress&) { LpSession inner{LinearModel()}; };
  EXPECT_THROW(session.solve_integers({}, hooks), InternalError);
  EXPECT_NEAR(session.solve_integers({}).objective, -20, 1e-9);
}

}  // namespace
}  // namespace rematch
