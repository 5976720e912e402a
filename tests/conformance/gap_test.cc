// SPDX-License-Identifier: Apache-2.0
// The bound of the gap program is never above the optimum. REMATCH_INSTANCES
// sets how many random instances are tried (default 20,000).
#include "rematch/solve/strategies/gap.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "rematch/plan/floor.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/gap/gap_bound.h"
#include "rematch/solve/strategies/exhaustive.h"
#include "support/graphs.h"

namespace rematch {
namespace {

int instances() {
  const char* wanted = std::getenv("REMATCH_INSTANCES");
  return wanted == nullptr ? 20'000 : std::atoi(wanted);
}

Graph any_graph(Random& random) {
  if (random.below(4) == 0) {
    return random_chain(random, static_cast<int>(random.between(2, 4)));
  }
  const int ops = static_cast<int>(random.between(2, 8));
  return random_graph(random, {.ops = ops, .many_outputs = ops <= 6});
}

TEST(GapBound, IsNeverAboveTheOptimum) {
  Random random(41);
  int tight = 0;
  int above_base = 0;
  for (int i = 0; i < instances(); ++i) {
    const Graph graph = any_graph(random);
    const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
    const Bytes most = keep_all_peak(graph);
    const Problem problem{graph, random.between(floor, most),
                          OrderRule::kFixed};
    Meter meter{Limits{}};
    const Cost bound =
        gap_bound(problem, gap_program(problem), meter).lower_bound;
    const Proposal truth = propose_exhaustive(problem, {});
    if (truth.infeasible) continue;
    ASSERT_TRUE(truth.plan.has_value());
    const Cost optimum = replay(graph, *truth.plan, OrderRule::kFixed)->cost;
    ASSERT_LE(bound, optimum)
        << "instance " << i << ", budget " << problem.budget << "\n"
        << show(graph);
    if (optimum == graph.base_cost()) continue;
    ++above_base;
    if (bound == optimum) ++tight;
  }
  // It is not merely the base cost: where something must be recomputed, the
  // bound often is the optimum.
  EXPECT_GT(tight * 4, above_base);
}

// The integer program, too.
TEST(GapSearch, IsNeverAboveTheOptimum) {
  Random random(42);
  for (int i = 0; i < instances() / 2; ++i) {
    const Graph graph = any_graph(random);
    const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
    const Problem problem{graph, random.between(floor, keep_all_peak(graph)),
                          OrderRule::kFixed};
    const Proposal truth = propose_exhaustive(problem, {});
    if (truth.infeasible) continue;
    const Cost optimum = replay(graph, *truth.plan, OrderRule::kFixed)->cost;
    const Proposal gap = propose_gap(problem, {});
    ASSERT_LE(gap.lower_bound, optimum)
        << "instance " << i << ", budget " << problem.budget << "\n"
        << show(graph);
  }
}

}  // namespace
}  // namespace rematch
