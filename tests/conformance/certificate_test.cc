// SPDX-License-Identifier: Apache-2.0
// Nothing is called optimal because it is close: costs of very different sizes,
// tiny costs, sums that round, and chains longer than a stack is deep.
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/solve.h"
#include "support/graphs.h"

namespace rematch {
namespace {

// A chain with n forward ops, a loss and n backward ops; costs by position.
Graph chain(int n, const std::function<Cost(int)>& cost) {
  GraphBuilder builder;
  for (int i = 0; i < 2 * n + 1; ++i) {
    std::vector<std::string> inputs;
    if (i > 0) inputs.push_back(std::to_string(i - 1));
    if (i > n) inputs.push_back(std::to_string(2 * n - i));
    builder.add_op(std::to_string(i), std::move(inputs), 1, cost(i),
                   i < n    ? Phase::kForward
                   : i == n ? Phase::kOther
                            : Phase::kBackward);
  }
  return builder.build().value();
}

// All answers that say optimal must say the same cost.
void expect_one_optimum(const Graph& graph, Bytes budget) {
  Cost least = std::numeric_limits<Cost>::infinity();
  std::vector<Solution> found;
  Limits limits;
  limits.work = 20'000;
  for (const Strategy& strategy : strategies()) {
    found.push_back(
        solve({graph, budget, OrderRule::kFixed}, strategy, limits));
    if (found.back().has_plan()) least = std::min(least, found.back().cost);
  }
  for (const Solution& solution : found) {
    EXPECT_LE(solution.lower_bound, least) << solution.strategy;
    if (solution.outcome != Outcome::kOptimal) continue;
    EXPECT_EQ(solution.cost, least) << solution.strategy << ' ' << budget;
  }
}

TEST(Certificate, HoldsBesideOneVeryExpensiveOp) {
  const Graph graph =
      chain(15, [](int i) { return i == 0 ? 1e13 : 1 + i * 7 % 9; });
  for (Bytes budget = 3; budget <= 17; ++budget) {
    expect_one_optimum(graph, budget);
  }
}

TEST(Certificate, HoldsForTinyCosts) {
  const Graph graph = chain(3, [](int i) { return (1 + i % 3) * 1e-13; });
  for (Bytes budget = 3; budget <= 5; ++budget) {
    expect_one_optimum(graph, budget);
  }
}

TEST(Certificate, HoldsWhereSumsRound) {
  const Graph graph = chain(20'000, [](int) { return 0.3; });
  const Solution found =
      solve({graph, 500, OrderRule::kFixed}, *find_strategy("chain_dp"), {});
  EXPECT_EQ(found.outcome, Outcome::kOptimal);
}

TEST(Certificate, HoldsForChainsLongerThanAStackIsDeep) {
  const Graph graph = unit_chain(200'000);
  for (const char* name : {"chain_dp", "revolve"}) {
    const Solution found =
        solve({graph, 120'000, OrderRule::kFixed}, *find_strategy(name), {});
    EXPECT_EQ(found.outcome, Outcome::kOptimal) << name;
  }
}

}  // namespace
}  // namespace rematch
