// SPDX-License-Identifier: Apache-2.0
// Solvers against enumeration and against each other, on random models.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rematch/lp/dual_bound.h"
#include "rematch/lp/export_model.h"
#include "rematch/lp/lp_session.h"
#include "support/linear_models.h"

namespace rematch {
namespace {

constexpr double kTolerance = 1e-6;

// By how much a bound on one side of a value is slack.
double slack(double value, double lower, double upper, double price) {
  return price > 0 ? std::fabs(value - lower) : std::fabs(upper - value);
}

// Strong duality, dual feasibility and complementary slackness.
void expect_optimality_conditions(const LinearModel& model,
                                  const LpSolution& solution) {
  EXPECT_LE(violation_at(model, solution.columns), kTolerance);
  EXPECT_NEAR(dual_bound(model, solution.row_duals), solution.objective,
              kTolerance);
  EXPECT_LE(dual_bound(model, solution.row_duals),
            solution.objective + kTolerance);
  std::vector<double> reduced(model.costs().begin(), model.costs().end());
  for (const RowId row : model.rows()) {
    const double price = solution.row_duals[row.index()];
    double sum = 0;
    for (std::size_t i = 0; i < model.row_columns(row).size(); ++i) {
      const auto column = static_cast<std::size_t>(model.row_columns(row)[i]);
      sum += model.row_values(row)[i] * solution.columns[column];
      reduced[column] -= model.row_values(row)[i] * price;
    }
    if (std::fabs(price) < kTolerance) continue;
    EXPECT_LE(slack(sum, model.row_lower(row), model.row_upper(row), price),
              kTolerance);
  }
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    EXPECT_NEAR(reduced[i], solution.reduced_costs[i], kTolerance);
    if (std::fabs(reduced[i]) < kTolerance) continue;
    EXPECT_LE(slack(solution.columns[i], model.lowers()[i], model.uppers()[i],
                    reduced[i]),
              kTolerance);
  }
}

// The relaxation of a continuous model has the same status and optimum.
void expect_same(const LpSolution& one, const LpSolution& other) {
  EXPECT_EQ(one.status, other.status);
  if (one.status == LpStatus::kOptimal && other.status == LpStatus::kOptimal) {
    EXPECT_NEAR(one.objective, other.objective, kTolerance);
  }
}

TEST(RandomModels, RelaxationsMeetTheOptimalityConditions) {
  Random random(1);
  int optimal = 0;
  for (int i = 0; i < 400; ++i) {
    const LinearModel model = random_model(random, false);
    SCOPED_TRACE(to_lp(model));
    const LpSolution solution = solve_relaxation(model, {});
    if (solution.status == LpStatus::kInfeasible) continue;
    ASSERT_EQ(solution.status, LpStatus::kOptimal);
    EXPECT_EQ(solution.bound, solution.objective);
    expect_optimality_conditions(model, solution);
    ++optimal;
  }
  EXPECT_GT(optimal, 100);
}

TEST(RandomModels, MethodsAgree) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const LinearModel model = random_model(random, false);
    SCOPED_TRACE(to_lp(model));
    const LpSolution simplex = solve_relaxation(model, {});
    expect_same(simplex, solve_relaxation(model, {}, LpMethod::kInteriorPoint));
  }
}

TEST(RandomModels, SearchOverIntegersAgreesWithEnumeration) {
  Random random(3);
  int feasible = 0;
  for (int i = 0; i < 600; ++i) {
    const LinearModel model = random_model(random, true);
    SCOPED_TRACE(to_lp(model));
    LpLimits limits;
    limits.threads = 1 + i % 2;
    const LpSolution got = solve_integers(model, limits);
    const auto best = best_by_enumeration(model);
    if (!best) {
      EXPECT_EQ(got.status, LpStatus::kInfeasible);
      EXPECT_EQ(got.bound, kInfinity);
      continue;
    }
    ++feasible;
    ASSERT_EQ(got.status, LpStatus::kOptimal);
    EXPECT_NEAR(got.objective, *best, kTolerance);
    EXPECT_NEAR(got.bound, *best, kTolerance);
    EXPECT_LE(violation_at(model, got.columns), kTolerance);
    EXPECT_LE(solve_relaxation(model, {}).objective, *best + kTolerance);
  }
  EXPECT_GT(feasible, 150);
}

TEST(RandomModels, CutoffNeverHidesWhatIsBelowItAndNeverClaimsTooMuch) {
  Random random(4);
  for (int i = 0; i < 300; ++i) {
    const LinearModel model = random_model(random, true);
    SCOPED_TRACE(to_lp(model));
    LpLimits limits;
    limits.cutoff = static_cast<double>(random.between(-12, 6)) + 0.5;
    SCOPED_TRACE(limits.cutoff);
    const LpSolution got = solve_integers(model, limits);
    const auto best = best_by_enumeration(model);
    if (best && *best < limits.cutoff) {
      ASSERT_EQ(got.status, LpStatus::kOptimal);
      EXPECT_NEAR(got.objective, *best, kTolerance);
    } else {
      EXPECT_EQ(got.status, LpStatus::kCutoff);
      EXPECT_EQ(got.bound, limits.cutoff);
    }
  }
}

TEST(RandomModels, WarmSolvesAgreeWithColdOnes) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    LpSession session(random_model(random, true));
    for (int change = 0; change < 6; ++change) {
      LinearModel& model = session.model();
      const ColumnId column(random.below(model.num_columns()));
      switch (random.below(4)) {
        case 0:
          add_random_row(random, model);
          break;
        case 1: {
          const auto lower = static_cast<double>(random.between(-3, 1));
          model.set_bounds(column, lower, lower + 2);
          break;
        }
        case 2: {
          model.set_cost(column, static_cast<double>(random.between(-5, 5)));
          model.set_offset(static_cast<double>(random.between(-5, 5)));
          break;
        }
        default: {
          const ColumnId fresh =
              model.add_column(model.family("later"), {0, 2, -1, true});
          model.add_row(model.family("link"), -1, 1,
                        {{fresh, 1.0}, {column, 1.0}});
          break;
        }
      }
      if (model.num_rows() > 0 && random.below(3) == 0) {
        model.set_row_bounds(RowId(random.below(model.num_rows())), -2, 3);
      }
      SCOPED_TRACE(to_lp(model));
      expect_same(session.solve_relaxation({}), solve_relaxation(model, {}));
      if (change % 3 != 2) continue;
      expect_same(session.solve_integers({}), solve_integers(model, {}));
    }
  }
}

}  // namespace
}  // namespace rematch
