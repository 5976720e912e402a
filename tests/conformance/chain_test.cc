// SPDX-License-Identifier: Apache-2.0
// The unit chain: published costs, and the closed form for every length and
// budget.
#include <cmath>

#include <gtest/gtest.h>

#include "rematch/solve/solve.h"
#include "support/graphs.h"

namespace rematch {
namespace {

Solution on_chain(const Graph& chain, Bytes budget, std::string_view strategy) {
  return solve({chain, budget, OrderRule::kFixed}, *find_strategy(strategy),
               {});
}

double binomial(int n, int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return std::round(value);
}

// n + 1 + r (n+1) - C(c+r, c+1) with c = budget - 2 and r the least integer
// with C(c+r, c) >= n + 1.
double closed_form(int n, int budget) {
  const int c = budget - 2;
  int r = 0;
  while (binomial(c + r, c) < n + 1) ++r;
  return n + 1 + r * (n + 1.0) - binomial(c + r, c + 1);
}

TEST(UnitChain, ChainDpMeetsTheClosedFormForEveryLengthAndBudget) {
  for (int n = 1; n <= 200; ++n) {
    const Graph chain = unit_chain(n);
    for (int budget = 3; budget <= n + 2; ++budget) {
      const Solution found = on_chain(chain, budget, "chain_dp");
      ASSERT_EQ(found.outcome, Outcome::kOptimal) << n << ' ' << budget;
      ASSERT_EQ(found.cost, closed_form(n, budget)) << n << ' ' << budget;
      ASSERT_LE(found.peak, budget);
    }
  }
}

TEST(UnitChain, BruteForceConfirmsTheClosedForm) {
  for (int n = 1; n <= 6; ++n) {
    const Graph chain = unit_chain(n);
    for (int budget = 3; budget <= n + 2; ++budget) {
      const Solution found = on_chain(chain, budget, "exhaustive");
      EXPECT_EQ(found.cost, closed_form(n, budget)) << n << ' ' << budget;
    }
  }
}

TEST(UnitChain, RevolveIsOptimalToo) {
  for (int n : {1, 2, 5, 16, 33, 100}) {
    const Graph chain = unit_chain(n);
    for (int budget = 3; budget <= n + 2; ++budget) {
      const Solution found = on_chain(chain, budget, "revolve");
      EXPECT_EQ(found.outcome, Outcome::kOptimal) << n << ' ' << budget;
    }
  }
}

TEST(UnitChain, TwoBytesAreInfeasible) {
  for (const Strategy& strategy : strategies()) {
    EXPECT_EQ(on_chain(unit_chain(8), 2, strategy.name).outcome,
              Outcome::kInfeasible)
        << strategy.name;
  }
}

struct Published {
  const char* strategy;
  int n;
  double cost;
  Bytes peak;
};

class Baseline : public testing::TestWithParam<Published> {};

TEST_P(Baseline, HasThePublishedCostAndPeak) {
  const Published& want = GetParam();
  const Solution found = on_chain(unit_chain(want.n), kMaxBytes, want.strategy);
  EXPECT_EQ(found.cost, want.cost);
  EXPECT_EQ(found.peak, want.peak);
}

INSTANTIATE_TEST_SUITE_P(
    UnitChain, Baseline,
    testing::Values(
        Published{"keep_all", 4, 9, 6}, Published{"keep_all", 32, 65, 34},
        Published{"keep_last", 4, 19, 3}, Published{"keep_last", 8, 53, 3},
        Published{"keep_last", 32, 593, 3}, Published{"chen_sqrt", 4, 11, 5},
        Published{"chen_sqrt", 8, 21, 7}, Published{"chen_sqrt", 16, 45, 10},
        Published{"chen_sqrt", 32, 89, 14},
        Published{"chen_sqrt_linear", 16, 45, 10},
        Published{"chen_sqrt_linear", 32, 89, 14}),
    [](const auto& test) {
      return std::string(test.param.strategy) + "_" +
             std::to_string(test.param.n);
    });

}  // namespace
}  // namespace rematch
