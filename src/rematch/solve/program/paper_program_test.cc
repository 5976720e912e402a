// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/paper_program.h"

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/lp/lp_solver.h"

namespace rematch {
namespace {

Graph unit_chain(std::int64_t n) {
  return synthetic_graph(
             {.family = Family::kChain, .length = n, .training = true})
      .value();
}

double relaxed(const Graph& graph, Bytes budget, PaperOptions options = {}) {
  const PaperProgram program({graph, budget, OrderRule::kFixed}, options);
  const LpSolution solution = solve_relaxation(program.model(), {});
  EXPECT_EQ(solution.status, LpStatus::kOptimal);
  return program.units().cost_from(solution.objective);
}

// The optimum over integers; infinite if there is none.
double optimum(const Graph& graph, Bytes budget, PaperOptions options = {}) {
  const PaperProgram program({graph, budget, OrderRule::kFixed}, options);
  const LpSolution solution = solve_integers(program.model(), {});
  if (solution.status == LpStatus::kInfeasible) return kInfinity;
  EXPECT_EQ(solution.status, LpStatus::kOptimal);
  return program.units().cost_from(solution.objective);
}

// The figures of the Checkmate paper, section 4.6 on the integrality gap.
TEST(PaperProgram, HasThePublishedRelaxationOnTheChainOfEight) {
  const Graph chain = unit_chain(8);
  EXPECT_NEAR(relaxed(chain, 4), 22.0, 1e-6);
  EXPECT_NEAR(relaxed(chain, 4, {.tight = true}), 23.0, 1e-6);
  EXPECT_NEAR(relaxed(chain, 4, {.stages = PaperStages::kCoverLast}), 1.20611,
              1e-5);
}

TEST(PaperProgram, HasThePublishedOptimumOnChains) {
  EXPECT_NEAR(optimum(unit_chain(8), 4), 26, 1e-6);
  EXPECT_NEAR(optimum(unit_chain(8), 3), 45, 1e-6);
  EXPECT_EQ(optimum(unit_chain(4), 2), kInfinity);
}

}  // namespace
}  // namespace rematch
