// SPDX-License-Identifier: Apache-2.0
// The split program against brute force: its answers, and its bounds however
// lives are split. REMATCH_INSTANCES sets how many random instances are tried
// (default 6,000).
#include <cstdlib>
#include <optional>

#include <gtest/gtest.h>

#include "rematch/lp/dual_bound.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/solve.h"
#include "rematch/solve/split/split_round.h"
#include "rematch/solve/strategies/exhaustive.h"
#include "support/graphs.h"
#include "support/split_points.h"

namespace rematch {
namespace {

int instances() {
  const char* wanted = std::getenv("REMATCH_INSTANCES");
  return wanted == nullptr ? 6'000 : std::atoi(wanted);
}

Solution split(const Problem& problem) {
  Request request;
  request.formulation = Formulation::kSplit;
  return solve(problem, *find_strategy("milp"), request);
}

std::string describe(const Problem& problem) {
  return "budget " + std::to_string(problem.budget) + "\n" +
         show(problem.graph);
}

void check(const Graph& graph, Bytes budget) {
  const Problem problem{graph, budget, OrderRule::kFixed};
  const Solution truth = solve(problem, *find_strategy("exhaustive"), {});
  const Solution got = split(problem);
  ASSERT_NE(truth.outcome, Outcome::kUnknown) << describe(problem);
  ASSERT_EQ(got.outcome, truth.outcome) << describe(problem);
  if (truth.outcome == Outcome::kInfeasible) return;
  EXPECT_EQ(got.cost, truth.cost) << describe(problem);
  EXPECT_EQ(got.lower_bound, truth.cost) << describe(problem);
}

// Every budget that makes a difference.
void check_all(const Graph& graph) {
  const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
  for (Bytes budget = floor - 1; budget <= keep_all_peak(graph); ++budget) {
    if (testing::Test::HasFailure()) return;
    check(graph, budget);
  }
}

Graph any_graph(Random& random, int most_ops) {
  if (random.below(4) == 0) {
    return random_chain(random, static_cast<int>(random.between(2, 4)));
  }
  const int ops = static_cast<int>(random.between(2, most_ops));
  return random_graph(random, {.ops = ops, .many_outputs = ops <= 6});
}

Bytes any_budget(Random& random, const Graph& graph) {
  const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
  return random.between(floor, keep_all_peak(graph));
}

TEST(Split, AgreesWithBruteForceOnEveryDagOfUpToFiveOps) {
  for (int ops = 1; ops <= 5; ++ops) {
    for (Weights weights : {Weights::kUnit, Weights::kVaried}) {
      for_every_dag(ops, weights, check_all);
    }
  }
}

TEST(Split, AgreesWithBruteForceOnRandomGraphs) {
  Random random(91);
  for (int i = 0; i < instances() && !HasFailure(); ++i) {
    const int ops = static_cast<int>(random.between(2, 8));
    const Graph graph =
        random_graph(random, {.ops = ops, .many_outputs = ops <= 6});
    check(graph, any_budget(random, graph));
  }
}

TEST(Split, AgreesWithBruteForceOnRandomChains) {
  Random random(92);
  for (int i = 0; i < instances() / 4 && !HasFailure(); ++i) {
    const Graph graph =
        random_chain(random, static_cast<int>(random.between(2, 4)));
    check(graph, any_budget(random, graph));
  }
}

TEST(Split, SolvesTheUnitChain) {
  const Graph chain = unit_chain(8);
  for (const auto& [budget, cost] : {std::pair{3, 45.0}, std::pair{4, 26.0}}) {
    const Solution got = split({chain, budget, OrderRule::kFixed});
    EXPECT_EQ(got.outcome, Outcome::kOptimal);
    EXPECT_EQ(got.cost, cost);
  }
  const Graph four = unit_chain(4);
  EXPECT_EQ(split({four, 2, OrderRule::kFixed}).outcome, Outcome::kInfeasible);
}

TEST(Split, GivesTheSameAnswerTwice) {
  Random random(93);
  for (int i = 0; i < 100; ++i) {
    const Graph graph = any_graph(random, 8);
    const Problem problem{graph, any_budget(random, graph), OrderRule::kFixed};
    Solution first = split(problem);
    Solution second = split(problem);
    first.seconds = second.seconds = 0;
    EXPECT_EQ(first, second) << describe(problem);
  }
}

// Programs that are split anywhere, with all their rows.
class SplitBounds : public testing::Test {
 protected:
  // Calls check(round, optimum) for each instance; nullopt: infeasible.
  template <class Check>
  void for_instances(int count, const Check& check_round) {
    for (int i = 0; i < count && !HasFailure(); ++i) {
      const Graph graph = any_graph(random_, 8);
      const Problem problem{graph, any_budget(random_, graph),
                            OrderRule::kFixed};
      const Lives lives = find_lives(graph);
      SplitDetail detail;
      detail.points = random_points(random_, graph);
      SplitRound round(problem, lives, detail);
      const Proposal truth = propose_exhaustive(problem, {});
      std::optional<Cost> optimum;
      if (!truth.infeasible) {
        optimum = replay(graph, *truth.plan, OrderRule::kFixed)->cost;
      }
      SCOPED_TRACE(describe(problem));
      check_round(round, problem, optimum);
    }
  }

  Random random_{94};
};

TEST_F(SplitBounds, OfTheRelaxationAreNeverAboveTheOptimum) {
  int tight = 0;
  int above_base = 0;
  for_instances(2 * instances(), [&](SplitRound& round, const Problem& problem,
                                     std::optional<Cost> optimum) {
    Cost bound = 0;
    const LpStatus status = round.relax([] { return LpLimits{}; },
                                        [&](Cost value) {
                                          bound = std::max(bound, value);
                                          return true;
                                        });
    if (!optimum) return;
    ASSERT_EQ(status, LpStatus::kOptimal);
    const Cost extra = *optimum - problem.graph.base_cost();
    EXPECT_LE(bound, extra + 1e-9);
    if (extra == 0) return;
    ++above_base;
    if (bound > extra - 1e-6) ++tight;
  });
  EXPECT_GT(tight * 8, above_base);
}

TEST_F(SplitBounds, OverIntegersAreNeverAboveTheOptimum) {
  int tight = 0;
  int above_base = 0;
  for_instances(instances() / 2, [&](SplitRound& round, const Problem& problem,
                                     std::optional<Cost> optimum) {
    round.relax([] { return LpLimits{}; }, [](Cost) { return true; });
    const LpSolution answer = round.session().solve_integers({});
    if (!optimum) return;
    ASSERT_EQ(answer.status, LpStatus::kOptimal);
    const Cost extra = *optimum - problem.graph.base_cost();
    const Cost found = answer.objective * round.program().cost_scale();
    EXPECT_LE(found, extra + 1e-5);
    if (extra == 0) return;
    ++above_base;
    if (found > extra - 1e-5) ++tight;
  });
  EXPECT_GT(tight * 2, above_base);
}

}  // namespace
}  // namespace rematch
