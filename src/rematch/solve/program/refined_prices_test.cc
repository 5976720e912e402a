// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/refined_prices.h"

#include <gtest/gtest.h>

#include "rematch/solve/program/relaxed_kept.h"

namespace rematch {
namespace {

constexpr double kTiny = 0x1p-40;

// Something dear or something else dear, and with each of them two things that
// are tiny: 1 + 3 tiny at best; relaxed, half of both: 1 + 2 tiny.
LinearModel dear_and_tiny() {
  LinearModel model;
  const FamilyId family = model.family("x");
  const auto column = [&](double cost) {
    return model.add_column(family, {0, 1, cost, true});
  };
  const ColumnId dear = column(1);
  const ColumnId dearer = column(1 + kTiny);
  model.add_row(model.family("one"), 1, kInfinity, {{{dear, 1}, {dearer, 1}}});
  for (int i = 1; i <= 2; ++i) {
    const ColumnId tiny = column(i * kTiny);
    const ColumnId other = column((i + 1) * kTiny);
    model.add_row(model.family("and"), 0, kInfinity,
                  {{{tiny, 1}, {other, 1}, {dear, -1}}});
    model.add_row(model.family("and"), 0, kInfinity,
                  {{{tiny, 1}, {other, 1}, {dearer, -1}}});
  }
  return model;
}

class RefinedPrices : public testing::Test {
 protected:
  LpSolution refined(LpSolution relaxed, double target) {
    return with_refined_prices(session_, clock_, std::move(relaxed), target);
  }
  double bound(const LpSolution& solution) const {
    return proved_bound(session_.model(), solution.row_duals);
  }
  // How many tiny ones.
  double above_one(const LpSolution& solution) const {
    return (bound(solution) - 1) / kTiny;
  }

  LpSession session_{dear_and_tiny()};
  SolveClock clock_{Limits{}};
};

TEST_F(RefinedPrices, ShowCostsThatTolerancesHide) {
  LpSolution relaxed = session_.solve_relaxation(clock_.left());
  ASSERT_TRUE(relaxed.has_point);
  // As a solver leaves it that takes what is tiny for nothing.
  for (std::size_t i = 1; i < relaxed.row_duals.size(); ++i) {
    relaxed.row_duals[i] = 0;
  }
  const double target = 1 + 3 * kTiny;
  EXPECT_LT(above_one(relaxed), 0.1);
  EXPECT_GT(above_one(refined(relaxed, target)), 1.99);
}

TEST_F(RefinedPrices, AreNeverWorse) {
  const LpSolution relaxed = session_.solve_relaxation(clock_.left());
  for (double target : {0.5, 1.0, 1 + 3 * kTiny, 2.0}) {
    EXPECT_GE(bound(refined(relaxed, target)), bound(relaxed));
  }
}

TEST_F(RefinedPrices, LeaveTheCostsAsTheyWere) {
  const std::vector<double> before(session_.model().costs().begin(),
                                   session_.model().costs().end());
  refined(session_.solve_relaxation(clock_.left()), 1 + 4 * kTiny);
  EXPECT_EQ(before, std::vector<double>(session_.model().costs().begin(),
                                        session_.model().costs().end()));
}

}  // namespace
}  // namespace rematch
