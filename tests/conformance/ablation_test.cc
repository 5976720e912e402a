// SPDX-License-Identifier: Apache-2.0
// Each family of rows is needed: without it, a program gives a wrong answer on
// some small graph.
#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/lp/lp_session.h"
#include "rematch/plan/replay.h"
#include "rematch/solve/program/milp_paper.h"
#include "rematch/solve/program/milp_telescoped.h"
#include "rematch/solve/program/paper_program.h"
#include "rematch/solve/program/telescoped_program.h"
#include "rematch/solve/strategies/exhaustive.h"
#include "support/graphs.h"

namespace rematch {
namespace {

double proved_optimum(const Graph& graph, Bytes budget) {
  const Problem problem{graph, budget, OrderRule::kFixed};
  const Proposal truth = propose_exhaustive(problem, {});
  if (truth.infeasible) return kInfinity;
  return replay(graph, *truth.plan, OrderRule::kFixed)->cost;
}

double paper(const Graph& graph, Bytes budget, PaperOptions options = {}) {
  const PaperProgram program({graph, budget, OrderRule::kFixed}, options);
  const LpSolution solution = solve_integers(program.model(), {});
  if (solution.status != LpStatus::kOptimal) return kInfinity;
  return program.units().cost_from(solution.objective);
}

// Without the rows no_room, which need a search of stages.
double telescoped(const Graph& graph, Bytes budget,
                  TelescopedOptions options = {}) {
  TelescopedProgram program({graph, budget, OrderRule::kFixed}, options);
  LpSession session(program.take_model());
  while (true) {
    const LpSolution solution = session.solve_integers({});
    if (solution.status != LpStatus::kOptimal) return kInfinity;
    if (program.add_rerun_memory_rows(solution.columns, session.model()) == 0) {
      return graph.base_cost() + program.units().cost_from(solution.objective);
    }
  }
}

OpSpec op(std::string name, std::vector<std::string> inputs,
          std::vector<TensorSpec> outputs, Cost cost = 1) {
  OpSpec spec;
  spec.op.name = std::move(name);
  spec.op.cost = cost;
  spec.inputs = std::move(inputs);
  spec.outputs = std::move(outputs);
  return spec;
}

TensorSpec tensor(std::string name, Bytes bytes) {
  return {.name = std::move(name),
          .bytes = bytes,
          .storage_of = {},
          .is_output = false};
}

// Two pairs of ops that take turns, then something that needs all memory, then
// a reader of both pairs. Within that stage the graph's order needs more memory
// than one pair after the other.
Graph two_pairs(Bytes big) {
  return GraphBuilder()
      .add_op("a0", {}, 2)
      .add_op("b0", {}, 2)
      .add_op("a1", {"a0"}, 1)
      .add_op("b1", {"b0"}, 1)
      .add_op("big", {}, big)
      .add_op("end", {"a1", "b1"}, 1)
      .build()
      .value();
}

// a1 is cheap to rerun, but not while the expensive h is held: a0 is large.
Graph rerun_beside_something_held() {
  return GraphBuilder()
      .add_op("a0", {}, 4)
      .add_op("a1", {"a0"}, 1)
      .add_op("h", {}, 2, 10)
      .add_op("big", {}, 3)
      .add_op("read_a", {"a1"}, 1)
      .add_op("read_h", {"h"}, 1)
      .build()
      .value();
}

// A view that shares the storage of what it shows.
Graph view() {
  TensorSpec shown = tensor("v", 4);
  shown.storage_of = "a";
  return GraphBuilder()
      .add_op("a", {}, 4, 5)
      .add_op(op("v", {"a"}, {shown}))
      .add_op("big", {}, 5)
      .add_op("end", {"a", "v"}, 1)
      .build()
      .value();
}

Graph two_outputs() {
  return GraphBuilder()
      .add_op(op("p", {}, {tensor("a", 3), tensor("b", 3)}))
      .add_op("big", {}, 5)
      .add_op("read_a", {"a"}, 1)
      .add_op("read_b", {"b"}, 1)
      .build()
      .value();
}

// Something that must survive what comes between, and cannot.
Graph run_once() {
  OpSpec once = op("once", {}, {tensor("once", 3)});
  once.op.recomputable = false;
  return GraphBuilder()
      .add_op(once)
      .add_op("x", {"once"}, 3)
      .add_op("w", {"x"}, 5)
      .add_op("end", {"w", "once"}, 1)
      .build()
      .value();
}

Graph kept_output() {
  TensorSpec output = tensor("o", 3);
  output.is_output = true;
  return GraphBuilder()
      .add_op(op("o", {}, {output}))
      .add_op("x", {"o"}, 5)
      .add_op("end", {"x"}, 4)
      .build()
      .value();
}

TEST(TelescopedProgram, IsWrongWithoutAnyOfItsFamilies) {
  const Graph chain = unit_chain(6);
  EXPECT_NEAR(telescoped(chain, 4), 18, 1e-6);
  EXPECT_LT(telescoped(chain, 4, {.omitted = {"input"}}), 17.5);
  EXPECT_LT(telescoped(chain, 4, {.omitted = {"source"}}), 17.5);
  EXPECT_NEAR(telescoped(chain, 4, {.omitted = {"memory"}}), 13, 1e-6);

  EXPECT_EQ(proved_optimum(view(), 8), 14);
  EXPECT_NEAR(telescoped(view(), 8), 14, 1e-6);
  EXPECT_NEAR(telescoped(view(), 8, {.omitted = {"held"}}), 8, 1e-6);

  const Graph held = rerun_beside_something_held();
  EXPECT_EQ(proved_optimum(held, 5), 25);
  EXPECT_NEAR(telescoped(held, 5), 25, 1e-6);
  EXPECT_NEAR(telescoped(held, 5, {.omitted = {"rerun_memory"}}), 17, 1e-6);
  EXPECT_NEAR(telescoped(held, 5, {.omitted = {"through"}}), 17, 1e-6);
}

// Rows cannot say everything about the order within a stage: here each rerun
// fits on its own, but not beside what the others leave.
TEST(TelescopedProgram, IsWrongWithoutNoRoom) {
  const Graph graph = two_pairs(3);
  EXPECT_EQ(proved_optimum(graph, 3), kInfinity);
  EXPECT_LT(telescoped(graph, 3), kInfinity);
  EXPECT_TRUE(solve_telescoped({graph, 3, OrderRule::kFixed}, {}).infeasible);
}

TEST(PaperProgram, IsWrongWithoutAnyOfItsFamilies) {
  const Graph chain = unit_chain(4);
  EXPECT_NEAR(paper(chain, 3), 15, 1e-6);
  for (const char* family :
       {"dependency", "source", "used", "budget", "free_only_if_safe"}) {
    EXPECT_LT(paper(chain, 3, {.omitted = {family}}), 14.5) << family;
  }
  EXPECT_EQ(proved_optimum(two_outputs(), 8), 5);
  EXPECT_NEAR(paper(two_outputs(), 8), 5, 1e-6);
  EXPECT_NEAR(paper(two_outputs(), 8, {.omitted = {"live"}}), 4, 1e-6);
}

// Freeing is never bad, so nothing has to say that it must happen.
TEST(PaperProgram, NeedsNoRowThatForcesToFree) {
  const Graph chain = unit_chain(4);
  for (Bytes budget = 3; budget <= 6; ++budget) {
    EXPECT_NEAR(paper(chain, budget, {.omitted = {"free_if_safe"}}),
                paper(chain, budget), 1e-6);
  }
}

TEST(PaperProgram, WithTightRowsIsWrongWithoutAnyOfThem) {
  const Graph chain = unit_chain(8);
  EXPECT_NEAR(paper(chain, 3, {.tight = true}), 45, 1e-6);
  // What the published open-source program computes.
  EXPECT_NEAR(paper(chain, 3, {.tight = true, .omitted = {"free_run"}}), 23,
              1e-6);
  for (const char* family : {"free_kept", "free_later"}) {
    EXPECT_LT(paper(chain, 3, {.tight = true, .omitted = {family}}), 44.5)
        << family;
  }
}

TEST(PaperProgram, WithCoveringStagesIsWrongWithoutAnyOfTheirFamilies) {
  PaperOptions options;
  options.stages = PaperStages::kCoverAll;
  const auto without = [](const char* family) {
    return PaperOptions{
        .stages = PaperStages::kCoverAll, .tight = false, .omitted = {family}};
  };
  EXPECT_NEAR(paper(unit_chain(2), 4, options), 5, 1e-6);
  EXPECT_NEAR(paper(unit_chain(2), 4, without("cover")), 0, 1e-6);
  EXPECT_EQ(paper(run_once(), 9, options), kInfinity);
  EXPECT_NEAR(paper(run_once(), 9, without("once")), 5, 1e-6);
  EXPECT_EQ(paper(kept_output(), 11, options), kInfinity);
  EXPECT_NEAR(paper(kept_output(), 11, without("lasting")), 3, 1e-6);
}

// Checkmate's plans are not all plans: reruns in another order than the graph's
// can need less memory. So its program proves nothing about the others.
TEST(PaperProgram, MissesPlansThatRerunInAnotherOrder) {
  const Graph graph = two_pairs(4);
  EXPECT_EQ(paper(graph, 4), kInfinity);
  EXPECT_LT(proved_optimum(graph, 4), kInfinity);
  const Problem problem{graph, 4, OrderRule::kFixed};
  for (const auto solve : {solve_paper, solve_telescoped}) {
    const Proposal found = solve(problem, {});
    ASSERT_TRUE(found.plan.has_value());
    const auto measured = replay(graph, *found.plan, OrderRule::kFixed);
    EXPECT_LE(measured->peak, 4);
    EXPECT_EQ(measured->cost, proved_optimum(graph, 4));
    EXPECT_EQ(found.lower_bound, measured->cost);
  }
}

}  // namespace
}  // namespace rematch
