// SPDX-License-Identifier: Apache-2.0
// The largest batch of small graphs against brute force over every budget.
#include "rematch/solve/max_batch.h"

#include <gtest/gtest.h>

#include "rematch/plan/floor.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/strategies/exhaustive.h"
#include "support/graphs.h"

namespace rematch {
namespace {

constexpr Bytes kMemory = 10'000;

// The least peak of any plan within the cap, by trying every budget.
Bytes least_peak_within(const Graph& graph, Cost cap) {
  const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
  for (Bytes budget = floor;; ++budget) {
    const Proposal truth =
        propose_exhaustive({graph, budget, OrderRule::kFixed}, {});
    if (truth.infeasible) continue;
    const auto measured = replay(graph, *truth.plan, OrderRule::kFixed);
    if (measured->cost <= cap) return budget;
  }
}

std::int64_t true_batch(const Graph& graph, const BatchQuestion& question) {
  const Bytes peak = least_peak_within(graph, question.cost_cap);
  return batch_for(graph, question, peak - graph.fixed_bytes());
}

bool takes_memory(const Graph& graph) {
  return peak_floor(graph, OrderRule::kFixed).bytes > graph.fixed_bytes();
}

void expect_exact(const Graph& graph, const char* strategy) {
  for (double overhead : {0.0, 0.2, 0.6}) {
    const BatchQuestion question{.memory = kMemory,
                                 .extra_fixed = 5,
                                 .graph_batch = 3,
                                 .cost_cap = graph.base_cost() * (1 + overhead),
                                 .order = OrderRule::kFixed};
    const auto found =
        max_batch(graph, question, *find_strategy(strategy), {}).value();
    const std::int64_t truth = true_batch(graph, question);
    EXPECT_EQ(found.batch, truth) << strategy << overhead << show(graph);
    EXPECT_EQ(found.batch_bound, truth) << strategy << overhead << show(graph);
  }
}

void expect_bracketed(const Graph& graph, const char* strategy) {
  const BatchQuestion question{.memory = kMemory,
                               .extra_fixed = 0,
                               .graph_batch = 1,
                               .cost_cap = graph.base_cost() * 1.3,
                               .order = OrderRule::kFixed};
  const auto found =
      max_batch(graph, question, *find_strategy(strategy), {}).value();
  const std::int64_t truth = true_batch(graph, question);
  EXPECT_LE(found.batch, truth) << strategy << show(graph);
  EXPECT_GE(found.batch_bound, truth) << strategy << show(graph);
}

TEST(MaxBatchConformance, ExactStrategiesFindTheLargestBatchOfEverySmallDag) {
  for_every_dag(4, Weights::kVaried, [](const Graph& graph) {
    expect_exact(graph, "exhaustive");
    expect_exact(graph, "milp");
  });
}

TEST(MaxBatchConformance, ExactStrategiesFindTheLargestBatchOfRandomGraphs) {
  Random random(7);
  for (int i = 0; i < 40; ++i) {
    const Graph graph = random_graph(random, {.ops = 5});
    if (!takes_memory(graph)) continue;
    expect_exact(graph, "exhaustive");
    expect_exact(graph, "milp");
  }
}

TEST(MaxBatchConformance, TheTruthIsBetweenBatchAndBound) {
  Random random(8);
  for (int i = 0; i < 60; ++i) {
    const Graph graph =
        i % 2 == 0 ? random_graph(random, {.ops = 6}) : random_chain(random, 3);
    if (!takes_memory(graph)) continue;
    for (const char* strategy : {"auto", "gap", "dtr", "anneal", "chen_greedy",
                                 "lp_rounding", "keep_last"}) {
      expect_bracketed(graph, strategy);
    }
  }
}

}  // namespace
}  // namespace rematch
