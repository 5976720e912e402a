// SPDX-License-Identifier: Apache-2.0
// The integer programs against brute force on small graphs. REMATCH_INSTANCES
// sets how many random instances are tried (default 300); REMATCH_ALL_DAGS, if
// set, takes every graph of five ops instead of every 16th.
#include <cstdlib>

#include <gtest/gtest.h>

#include "rematch/lp/dual_bound.h"
#include "rematch/lp/lp_session.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/program/milp_paper.h"
#include "rematch/solve/program/milp_telescoped.h"
#include "rematch/solve/program/telescoped_program.h"
#include "rematch/solve/strategies/exhaustive.h"
#include "support/graphs.h"

namespace rematch {
namespace {

int instances() {
  const char* wanted = std::getenv("REMATCH_INSTANCES");
  return wanted == nullptr ? 300 : std::atoi(wanted);
}

int dag_step() { return std::getenv("REMATCH_ALL_DAGS") == nullptr ? 16 : 1; }

Cost cost_of(const Problem& problem, const Proposal& proposal) {
  return replay(problem.graph, *proposal.plan, problem.order)->cost;
}

void expect_proved(const Problem& problem, const char* name,
                   const Proposal& got, const Proposal& truth) {
  const std::string where = std::string(name) + ", budget " +
                            std::to_string(problem.budget) + "\n" +
                            show(problem.graph);
  ASSERT_EQ(got.infeasible, truth.infeasible) << where;
  if (truth.infeasible) return;
  ASSERT_TRUE(got.plan.has_value()) << where;
  const auto measured = replay(problem.graph, *got.plan, problem.order);
  ASSERT_TRUE(measured.ok()) << where;
  EXPECT_LE(measured->peak, problem.budget) << where;
  EXPECT_EQ(measured->cost, cost_of(problem, truth)) << where;
  EXPECT_EQ(got.lower_bound, measured->cost) << where;
}

void expect_relaxation_below(const Problem& problem, const Proposal& truth) {
  TelescopedProgram program(problem);
  LpSession session(program.take_model());
  const LpSolution relaxed = session.solve_relaxation({});
  if (truth.infeasible) return;
  ASSERT_EQ(relaxed.status, LpStatus::kOptimal);
  const double bound = dual_bound(session.model(), relaxed.row_duals);
  EXPECT_LE(problem.graph.base_cost() + program.units().cost_from(bound),
            cost_of(problem, truth))
      << problem.budget << "\n"
      << show(problem.graph);
}

void check(const Graph& graph, Bytes budget) {
  const Problem problem{graph, budget, OrderRule::kFixed};
  const Proposal truth = propose_exhaustive(problem, {});
  expect_proved(problem, "telescoped", solve_telescoped(problem, {}), truth);
  expect_proved(problem, "paper", solve_paper(problem, {}), truth);
  expect_relaxation_below(problem, truth);
}

// Every budget that makes a difference: below keep-all something is evicted.
void check_all(const Graph& graph) {
  const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
  for (Bytes budget = floor; budget <= keep_all_peak(graph); ++budget) {
    if (testing::Test::HasFailure()) return;
    check(graph, budget);
  }
}

TEST(Programs, AgreeWithBruteForceOnEveryDagOfUpToFourOps) {
  for (int ops = 1; ops <= 4; ++ops) {
    for (Weights weights : {Weights::kUnit, Weights::kVaried}) {
      for_every_dag(ops, weights, check_all);
    }
  }
}

TEST(Programs, AgreeWithBruteForceOnDagsOfFiveOps) {
  int number = 0;
  for (Weights weights : {Weights::kUnit, Weights::kVaried}) {
    for_every_dag(5, weights, [&](const Graph& graph) {
      if (number++ % dag_step() == 0) check_all(graph);
    });
  }
}

TEST(Programs, AgreeWithBruteForceOnRandomGraphs) {
  Random random(71);
  for (int i = 0; i < instances() && !HasFailure(); ++i) {
    const int ops = static_cast<int>(random.between(2, 8));
    const Graph graph =
        random_graph(random, {.ops = ops, .many_outputs = ops <= 6});
    const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
    check(graph, random.between(floor, keep_all_peak(graph)));
  }
}

TEST(Programs, AgreeWithBruteForceOnRandomChains) {
  Random random(72);
  for (int i = 0; i < instances() / 3 && !HasFailure(); ++i) {
    const Graph graph =
        random_chain(random, static_cast<int>(random.between(2, 4)));
    const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
    check(graph, random.between(floor, keep_all_peak(graph)));
  }
}

}  // namespace
}  // namespace rematch
