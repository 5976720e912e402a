// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/within_budget.h"

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/synthetic.h"

namespace rematch {
namespace {

// Keep-all peak 10, floor 3.
Result<Solution> solve_chain(std::string_view budget) {
  const Graph graph =
      synthetic_graph({.family = Family::kChain, .length = 8, .training = true})
          .value();
  return solve_within(graph, parse_budget(budget).value(), OrderRule::kFixed,
                      *find_strategy("chain_dp"), {});
}

TEST(SolveWithin, TakesBytesAndPercent) {
  EXPECT_EQ(solve_chain("4")->budget, 4);
  EXPECT_EQ(solve_chain("40%")->budget, 4);
  EXPECT_EQ(solve_chain("40%")->cost, 26);
}

TEST(SolveWithin, FindsTheLeastBudget) {
  EXPECT_EQ(solve_chain("min")->budget, 3);
  EXPECT_EQ(solve_chain("min")->peak, 3);
}

}  // namespace
}  // namespace rematch
