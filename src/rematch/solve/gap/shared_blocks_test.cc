// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/shared_blocks.h"

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/gap/gap_bound.h"

namespace rematch {
namespace {

Graph transformer(std::int64_t layers) {
  return synthetic_graph({.family = Family::kTransformer,
                          .length = layers,
                          .training = true})
      .value();
}

Problem within(const Graph& graph, int percent) {
  return {graph, keep_all_peak(graph) / 100 * percent, OrderRule::kFixed};
}

Cost bound_of(const Problem& problem) {
  Meter meter{Limits()};
  return gap_bound(problem, gap_program(problem), meter).lower_bound;
}

TEST(SharedBlocks, FindsPlansNearTheBoundWhereMemoryIsScarce) {
  const Graph graph = transformer(60);
  for (int percent : {20, 15, 10}) {
    const Problem problem = within(graph, percent);
    const Cost bound = bound_of(problem);
    BestPlan found(problem);
    Meter meter{Limits()};
    try_shared_blocks(problem, bound, found, meter);
    EXPECT_LE(found.cost(), 1.02 * bound) << percent << "%";
  }
}

TEST(SharedBlocks, FindsTheSamePlanEveryTime) {
  const Graph graph = transformer(60);
  const Problem problem = within(graph, 15);
  const Cost bound = bound_of(problem);
  std::vector<Plan> plans;
  for (int i = 0; i < 2; ++i) {
    BestPlan found(problem);
    Meter meter{Limits()};
    try_shared_blocks(problem, bound, found, meter);
    plans.push_back(found.plan());
  }
  EXPECT_EQ(plans[0], plans[1]);
}

TEST(SharedBlocks, OffersNothingWithoutBlocks) {
  const Graph graph =
      synthetic_graph({.family = Family::kRandom, .ops = 200, .training = true})
          .value();
  const Problem problem = within(graph, 50);
  BestPlan found(problem);
  Meter meter{Limits()};
  try_shared_blocks(problem, graph.base_cost(), found, meter);
  EXPECT_FALSE(found.has_plan());
  EXPECT_EQ(meter.work(), 0);
}

TEST(SharedBlocks, StopsWhenTold) {
  const Graph graph = transformer(60);
  const Problem problem = within(graph, 15);
  BestPlan found(problem);
  Limits limits;
  limits.work = 1000;
  Meter meter(limits);
  try_shared_blocks(problem, 1.1 * graph.base_cost(), found, meter);
  EXPECT_TRUE(meter.reason());
}

}  // namespace
}  // namespace rematch
