// SPDX-License-Identifier: Apache-2.0
#include "rematch/lp/lp_solver.h"

#include <cmath>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rematch {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

// Minimise 2a + 3b over a + b >= 4, a - b <= 1 with a, b >= 0: 9.5 at
// (2.5, 1.5); the rows' prices are 2.5 and -0.5.
LinearModel diet() {
  LinearModel model;
  const FamilyId x = model.family("x");
  const ColumnId a = model.add_column(x, {0, kInfinity, 2, false});
  const ColumnId b = model.add_column(x, {0, kInfinity, 3, false});
  model.add_row(x, 4, kInfinity, {{a, 1.0}, {b, 1.0}});
  model.add_row(x, -kInfinity, 1, {{a, 1.0}, {b, -1.0}});
  return model;
}

// A knapsack that takes some hundred nodes.
LinearModel knapsack() {
  LinearModel model;
  const FamilyId x = model.family("x");
  for (int i = 0; i < 40; ++i) {
    model.add_column(x, {0, 1, -(17.0 + (i * 37) % 29), true});
  }
  for (int k = 0; k < 5; ++k) {
    std::vector<LinearTerm> terms;
    for (const ColumnId column : model.columns()) {
      terms.push_back({column, 11.0 + (column.value * (k + 3) * 13) % 31});
    }
    model.add_row(x, -kInfinity, 200, terms);
  }
  return model;
}
constexpr double kKnapsackOptimum = -329;

TEST(SolveRelaxation, GivesPointPricesAndReducedCosts) {
  const LpSolution solution = solve_relaxation(diet(), {});
  ASSERT_EQ(solution.status, LpStatus::kOptimal);
  EXPECT_NEAR(solution.objective, 9.5, 1e-9);
  EXPECT_EQ(solution.bound, solution.objective);
  EXPECT_THAT(solution.columns, Pointwise(DoubleNear(1e-9), {2.5, 1.5}));
  EXPECT_THAT(solution.row_duals, Pointwise(DoubleNear(1e-9), {2.5, -0.5}));
  EXPECT_THAT(solution.reduced_costs, Pointwise(DoubleNear(1e-9), {0., 0.}));
}

TEST(SolveRelaxation, GivesReducedCostsOfColumnsAtABound) {
  LinearModel model = diet();
  model.set_bounds(ColumnId(1), 2, 3);
  const LpSolution solution = solve_relaxation(model, {});
  ASSERT_EQ(solution.status, LpStatus::kOptimal);
  EXPECT_THAT(solution.columns, Pointwise(DoubleNear(1e-9), {2., 2.}));
  EXPECT_THAT(solution.row_duals, Pointwise(DoubleNear(1e-9), {2., 0.}));
  EXPECT_THAT(solution.reduced_costs, Pointwise(DoubleNear(1e-9), {0., 1.}));
}

TEST(SolveRelaxation, TellsInfeasibleFromUnbounded) {
  LinearModel infeasible = diet();
  infeasible.add_row(FamilyId(0), -kInfinity, 3,
                     {{ColumnId(0), 1.0}, {ColumnId(1), 1.0}});
  const LpSolution none = solve_relaxation(infeasible, {});
  EXPECT_EQ(none.status, LpStatus::kInfeasible);
  EXPECT_FALSE(none.has_point);
  EXPECT_EQ(none.bound, kInfinity);

  LinearModel unbounded = diet();
  unbounded.set_cost(ColumnId(1), -3);
  const LpSolution any = solve_relaxation(unbounded, {});
  EXPECT_EQ(any.status, LpStatus::kUnbounded);
  EXPECT_EQ(any.bound, -kInfinity);
}

TEST(SolveRelaxation, EndsOnADegenerateModel) {
  LinearModel model;  // Beale's example, on which naive simplex cycles.
  const FamilyId x = model.family("x");
  for (const double cost : {-0.75, 150.0, -0.02, 6.0}) {
    model.add_column(x, {0, kInfinity, cost, false});
  }
  const auto row = [&](double a, double b, double c, double d, double upper) {
    model.add_row(x, -kInfinity, upper,
                  {{ColumnId(0), a},
                   {ColumnId(1), b},
                   {ColumnId(2), c},
                   {ColumnId(3), d}});
  };
  row(0.25, -60, -0.04, 9, 0);
  row(0.5, -90, -0.02, 3, 0);
  row(0, 0, 1, 0, 1);
  const LpSolution solution = solve_relaxation(model, {});
  ASSERT_EQ(solution.status, LpStatus::kOptimal);
  EXPECT_NEAR(solution.objective, -0.05, 1e-9);
}

TEST(SolveRelaxation, AnswersModelsWithoutColumnsOrRows) {
  LinearModel model;
  model.set_offset(3);
  LpSolution solution = solve_relaxation(model, {});
  EXPECT_EQ(solution.status, LpStatus::kOptimal);
  EXPECT_TRUE(solution.has_point);
  EXPECT_EQ(solution.objective, 3);
  EXPECT_EQ(solve_integers(model, {}).status, LpStatus::kOptimal);

  const FamilyId x = model.family("x");
  model.add_row(x, 1, 2, {});
  EXPECT_EQ(solve_relaxation(model, {}).status, LpStatus::kInfeasible);

  LinearModel no_rows;
  no_rows.add_column(no_rows.family("x"), {-2, 5, 1, true});
  EXPECT_EQ(solve_relaxation(no_rows, {}).objective, -2);
  EXPECT_EQ(solve_integers(no_rows, {}).objective, -2);
}

TEST(SolveRelaxation, StopsAtTheCutoff) {
  LpLimits limits;
  limits.cutoff = -400;  // The relaxation is worth about -334.8.
  const LpSolution solution = solve_relaxation(knapsack(), limits);
  EXPECT_EQ(solution.status, LpStatus::kCutoff);
  EXPECT_EQ(solution.bound, -400);
}

TEST(SolveRelaxation, KeepsWhatItProvedWhenItRunsOutOfIterations) {
  LpLimits limits;
  limits.iterations = 1;
  const LpSolution solution = solve_relaxation(knapsack(), limits);
  ASSERT_EQ(solution.status, LpStatus::kIterationLimit);
  EXPECT_LE(solution.bound, -334.8);
  EXPECT_GT(solution.bound, -kInfinity);
}

TEST(SolveRelaxation, IsRightOnBytesOnceTheyAreScaled) {
  // Two tensors of about 1e11 bytes fit, a third does not by a single byte.
  const double bytes = 123456789013;
  const double budget = 3 * bytes - 1;
  const double scale = scale_for(bytes);
  LinearModel model;
  const FamilyId keep = model.family("keep");
  std::vector<LinearTerm> terms;
  for (int i = 0; i < 3; ++i) {
    terms.push_back({model.add_column(keep, {0, 1, -1, true}), bytes * scale});
  }
  model.add_row(model.family("memory"), -kInfinity, budget * scale, terms);
  const LpSolution relaxed = solve_relaxation(model, {});
  EXPECT_NEAR(relaxed.objective, -budget / bytes, 1e-9);
  // A byte in 1e11 is below any tolerance: whoever needs it must check it.
  const LpSolution integers = solve_integers(model, {});
  EXPECT_LE(violation_at(model, integers.columns), 1e-6);
  model.set_row_bounds(RowId(0), -kInfinity, (budget - 1e6) * scale);
  EXPECT_EQ(solve_integers(model, {}).objective, -2);
}

TEST(Solve, DoesNotBeginWithoutTimeOrWhenInterrupted) {
  LpLimits no_time;
  no_time.seconds = 0;
  EXPECT_EQ(solve_relaxation(diet(), no_time).status, LpStatus::kTimeLimit);
  EXPECT_EQ(solve_integers(knapsack(), no_time).status, LpStatus::kTimeLimit);
  const std::atomic<bool> set = true;
  LpLimits interrupted;
  interrupted.interrupt = &set;
  EXPECT_EQ(solve_relaxation(diet(), interrupted).status,
            LpStatus::kInterrupted);
  EXPECT_EQ(solve_integers(knapsack(), interrupted).status,
            LpStatus::kInterrupted);
}

TEST(SolveIntegers, StopsWhenInterruptedOnTheWayAndKeepsWhatItHas) {
  std::atomic<bool> stop = false;
  LpLimits limits;
  limits.interrupt = &stop;
  LpHooks hooks;
  hooks.progress = [&](const LpProgress& now) {
    if (now.bound > -335 && now.incumbent < 0) stop = true;
  };
  const LpSolution solution = solve_integers(knapsack(), limits, hooks);
  ASSERT_EQ(solution.status, LpStatus::kInterrupted);
  ASSERT_TRUE(solution.has_point);
  EXPECT_LE(violation_at(knapsack(), solution.columns), 1e-6);
  EXPECT_LE(solution.bound, kKnapsackOptimum);
  EXPECT_GT(solution.bound, -335);
}

TEST(SolveIntegers, CountsTheStepsOfItsRelaxations) {
  const LpSolution whole = solve_integers(knapsack(), {});
  LpLimits limits;
  limits.iterations = whole.iterations / 4;
  const LpSolution part = solve_integers(knapsack(), limits);
  EXPECT_EQ(part.status, LpStatus::kIterationLimit);
  EXPECT_LT(part.nodes, whole.nodes);
  EXPECT_LE(part.bound, whole.objective);
  limits.iterations = 0;
  const LpSolution none = solve_integers(knapsack(), limits);
  EXPECT_EQ(none.status, LpStatus::kIterationLimit);
  EXPECT_EQ(none.iterations, 0);
}

TEST(SolveIntegers, DoesNotBeginWhatTakesLongerToRead) {
  LpLimits limits;
  limits.seconds = 1e-9;
  const LpSolution solution = solve_integers(knapsack(), limits);
  EXPECT_EQ(solution.status, LpStatus::kTimeLimit);
  EXPECT_EQ(solution.seconds, 0);
}

TEST(SolveIntegers, ProvesTheOptimumWithoutAGap) {
  const LpSolution solution = solve_integers(knapsack(), {});
  ASSERT_EQ(solution.status, LpStatus::kOptimal);
  EXPECT_NEAR(solution.objective, kKnapsackOptimum, 1e-6);
  EXPECT_NEAR(solution.bound, kKnapsackOptimum, 1e-6);
}

TEST(SolveIntegers, StopsAtTheGap) {
  Limits limits;
  limits.gap = 0.5;
  const LpSolution solution = solve_integers(knapsack(), lp_limits(limits));
  ASSERT_EQ(solution.status, LpStatus::kOptimal);
  EXPECT_LT(solution.bound, solution.objective - 1);
  EXPECT_LE((solution.objective - solution.bound) / -solution.objective, 0.5);
}

TEST(SolveIntegers, AcceptsAStartAndKeepsItWithoutASearch) {
  const LpSolution best = solve_integers(knapsack(), {});
  LpHooks hooks;
  hooks.start = best.columns;
  std::vector<double> first;
  hooks.progress = [&](const LpProgress& now) {
    if (first.empty()) first.assign(now.point.begin(), now.point.end());
  };
  LpLimits limits;
  limits.nodes = 0;
  const LpSolution solution = solve_integers(knapsack(), limits, hooks);
  EXPECT_EQ(solution.status, LpStatus::kNodeLimit);
  EXPECT_NEAR(solution.objective, kKnapsackOptimum, 1e-6);
  EXPECT_EQ(first, best.columns);
}

TEST(SolveIntegers, CompletesAPartialStart) {
  LpHooks hooks;
  hooks.start.assign(40, std::nan(""));
  hooks.start[0] = 1;
  const LpSolution solution = solve_integers(knapsack(), {}, hooks);
  EXPECT_EQ(solution.status, LpStatus::kOptimal);
  EXPECT_NEAR(solution.objective, kKnapsackOptimum, 1e-6);
}

TEST(SolveIntegers, IgnoresAStartThatIsNotFeasible) {
  LpHooks hooks;
  hooks.start.assign(40, 1);
  const LpSolution solution = solve_integers(knapsack(), {}, hooks);
  EXPECT_EQ(solution.status, LpStatus::kOptimal);
  EXPECT_NEAR(solution.objective, kKnapsackOptimum, 1e-6);
}

TEST(SolveIntegers, TakesPointsThatAreOffered) {
  const LpSolution best = solve_integers(knapsack(), {});
  int offers = 0;
  double seen_after = kInfinity;
  LpHooks hooks;
  hooks.offer = [&] {
    ++offers;
    return offers == 1 ? best.columns : std::vector<double>();
  };
  hooks.progress = [&](const LpProgress& now) {
    if (seen_after == kInfinity) seen_after = now.incumbent;
  };
  const LpSolution solution = solve_integers(knapsack(), {}, hooks);
  EXPECT_EQ(solution.status, LpStatus::kOptimal);
  EXPECT_NEAR(seen_after, kKnapsackOptimum, 1e-6);
}

TEST(SolveIntegers, IgnoresOffersThatAreNotFeasible) {
  LpHooks hooks;
  hooks.offer = [] { return std::vector<double>(40, 1.0); };
  const LpSolution solution = solve_integers(knapsack(), {}, hooks);
  EXPECT_EQ(solution.status, LpStatus::kOptimal);
  EXPECT_NEAR(solution.objective, kKnapsackOptimum, 1e-6);
}

TEST(SolveIntegers, ReportsPointsThatGetBetterAndBoundsThatHold) {
  LpHooks hooks;
  double best = kInfinity;
  int points = 0;
  hooks.progress = [&](const LpProgress& now) {
    EXPECT_LE(now.bound, kKnapsackOptimum + 1e-6);
    EXPECT_GE(now.incumbent, kKnapsackOptimum - 1e-6);
    if (now.point.empty()) return;
    ++points;
    EXPECT_LE(violation_at(knapsack(), now.point), 1e-6);
    EXPECT_NEAR(objective_at(knapsack(), now.point), now.incumbent, 1e-6);
    EXPECT_LT(now.incumbent, best);
    best = now.incumbent;
  };
  const LpSolution solution = solve_integers(knapsack(), {}, hooks);
  EXPECT_GT(points, 0);
  EXPECT_NEAR(best, solution.objective, 1e-6);
}

TEST(SolveIntegers, LetsOutWhatAHookThrows) {
  LpHooks hooks;
  hooks.progress = [](const LpProgress&) -> void {
    throw std::runtime_error("enough");
  };
  EXPECT_THROW(solve_integers(knapsack(), {}, hooks), std::runtime_error);
}

TEST(SolveIntegers, StopsAtTheTarget) {
  LpLimits limits;
  limits.target = -250;
  const LpSolution solution = solve_integers(knapsack(), limits);
  EXPECT_EQ(solution.status, LpStatus::kTarget);
  EXPECT_LE(solution.objective, -250);
}

TEST(SolveIntegers, NeverCallsAWorsePointOptimalBecauseOfACutoff) {
  LpLimits limits;
  limits.cutoff = kKnapsackOptimum - 5;
  const LpSolution solution = solve_integers(knapsack(), limits);
  EXPECT_EQ(solution.status, LpStatus::kCutoff);
  EXPECT_EQ(solution.bound, limits.cutoff);
}

TEST(SolveIntegers, IsTheSameTwiceForASeedAndANumberOfThreads) {
  for (const int threads : {1, 2, 1}) {
    LpLimits limits;
    limits.threads = threads;
    limits.seed = 7;
    const LpSolution one = solve_integers(knapsack(), limits);
    const LpSolution two = solve_integers(knapsack(), limits);
    EXPECT_EQ(one.columns, two.columns);
    EXPECT_EQ(one.nodes, two.nodes);
    EXPECT_EQ(one.bound, two.bound);
    EXPECT_NEAR(one.objective, kKnapsackOptimum, 1e-6);
  }
}

TEST(SolveIntegers, RunsOnSeveralThreadsWithPoolsOfAnySize) {
  std::vector<std::thread> threads;
  std::vector<double> objectives(4);
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    threads.emplace_back([&objectives, i] {
      for (int round = 0; round < 4; ++round) {
        LpLimits limits;
        limits.threads = 1 + static_cast<int>(i + round) % 2;
        objectives[i] += solve_integers(knapsack(), limits).objective;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(objectives,
              Pointwise(DoubleNear(1e-5),
                        std::vector<double>(4, 4 * kKnapsackOptimum)));
}

TEST(LpLimits, MeanTheSameGapAsLimits) {
  Limits limits;
  limits.gap = 0.25;
  EXPECT_EQ(lp_limits(limits).relative_gap, 0.2);
  EXPECT_EQ(lp_limits(Limits()).relative_gap, 0);
}

}  // namespace
}  // namespace rematch
