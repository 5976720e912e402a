// SPDX-License-Identifier: Apache-2.0
// Windows against brute force on small graphs: what they find fits, and with
// every op in the window it is the optimum but for the order of reruns.
#include <gtest/gtest.h>

#include "rematch/plan/floor.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/strategies/exhaustive.h"
#include "rematch/solve/strategy.h"
#include "rematch/solve/window/solve_window.h"
#include "support/graphs.h"

namespace rematch {
namespace {

constexpr int kInstances = 400;

// A sequence that fits, but for its cost as bad as it may be.
std::optional<std::vector<OpId>> any_sequence(const Problem& problem) {
  for (const char* name : {"keep_last", "dtr"}) {
    const auto proposal = find_strategy(name)->propose(problem, Request());
    if (!proposal.plan) continue;
    auto sequence = computed_ops(*proposal.plan);
    const Plan plan = plan_from_sequence(problem.graph, sequence);
    const auto measured = replay(problem.graph, plan, problem.order);
    if (measured.ok() && measured->peak <= problem.budget) return sequence;
  }
  return std::nullopt;
}

Cost cost_of(const Problem& problem, std::span<const OpId> sequence) {
  const Plan plan = plan_from_sequence(problem.graph, sequence);
  const auto measured = replay(problem.graph, plan, problem.order);
  EXPECT_TRUE(measured.ok());
  EXPECT_LE(measured->peak, problem.budget);
  return measured->cost;
}

std::vector<OpId> every_op(const Graph& graph) {
  std::vector<OpId> ops;
  for (OpId op : graph.ops()) ops.push_back(op);
  return ops;
}

TEST(Window, OfAllOpsFindsTheOptimum) {
  Random random(7);
  int tried = 0;
  int optimal = 0;
  for (int i = 0; i < kInstances; ++i) {
    const Graph graph = random_graph(random, {.ops = 7});
    const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
    const Bytes room = keep_all_peak(graph) - floor;
    const Problem problem{
        graph, floor + static_cast<Bytes>(random.below(10)) * room / 10,
        OrderRule::kFixed};
    const auto start = any_sequence(problem);
    if (!start) continue;
    const Proposal truth = propose_exhaustive(problem, {});
    ASSERT_TRUE(truth.plan);
    const Cost optimum = replay(graph, *truth.plan, OrderRule::kFixed)->cost;
    const Cost before = cost_of(problem, *start);
    const WindowAnswer answer =
        solve_window(problem, *start, every_op(graph), LpLimits{});
    Cost after = before;
    if (answer.sequence) {
      after = cost_of(problem, *answer.sequence);
      EXPECT_EQ(after, answer.cost) << show(graph);
      EXPECT_LT(after, before) << show(graph);
    }
    EXPECT_GE(after, optimum) << show(graph) << problem.budget;
    ++tried;
    if (after <= optimum * (1 + 1e-9)) ++optimal;
  }
  EXPECT_GE(tried, kInstances / 4);
  EXPECT_GE(optimal, tried * 97 / 100) << tried;
}

TEST(Window, OfSomeOpsFitsAndIsCheaper) {
  Random random(8);
  int better = 0;
  for (int i = 0; i < kInstances; ++i) {
    const Graph graph = random_graph(random, {.ops = 8});
    const Problem problem{graph, peak_floor(graph, OrderRule::kFixed).bytes + 1,
                          OrderRule::kFixed};
    const auto start = any_sequence(problem);
    if (!start) continue;
    std::vector<OpId> free;
    for (OpId op : graph.ops()) {
      if (random.below(2) == 0) free.push_back(op);
    }
    const Cost before = cost_of(problem, *start);
    const auto answer = solve_window(problem, *start, free, LpLimits{});
    if (!answer.sequence) continue;
    ++better;
    EXPECT_LT(cost_of(problem, *answer.sequence), before) << show(graph);
  }
  EXPECT_GT(better, 10);
}

TEST(Window, FindsTheOptimumOfTheChain) {
  const Graph graph = unit_chain(8);
  const Problem problem{graph, 4, OrderRule::kFixed};
  const auto start = any_sequence(problem);
  ASSERT_TRUE(start);
  const auto answer =
      solve_window(problem, *start, every_op(graph), LpLimits{});
  ASSERT_TRUE(answer.sequence);
  EXPECT_EQ(cost_of(problem, *answer.sequence), 26);
}

}  // namespace
}  // namespace rematch
