// SPDX-License-Identifier: Apache-2.0
// Replay against the naive one, on plans good and bad.
#include "rematch/plan/replay.h"

#include <gtest/gtest.h>

#include "rematch/plan/sequence.h"
#include "support/graphs.h"
#include "support/naive_replay.h"

namespace rematch {
namespace {

void expect_same(const Graph& graph, const Plan& plan, OrderRule order) {
  const auto fast = replay(graph, plan, order);
  const auto naive = naive_replay(graph, plan, order);
  ASSERT_EQ(fast.ok(), naive.has_value())
      << (fast.ok() ? "" : fast.error().message) << show(graph);
  if (!naive) return;
  EXPECT_EQ(fast->peak, naive->peak) << show(graph);
  EXPECT_EQ(fast->cost, naive->cost) << show(graph);
  EXPECT_EQ(fast->footprint, naive->footprint) << show(graph);
}

// Random steps: most such plans break a rule somewhere.
Plan random_plan(Random& random, const Graph& graph, std::size_t steps) {
  Plan plan;
  for (std::size_t i = 0; i < steps; ++i) {
    if (graph.num_tensors() == 0 || random.below(2) == 0) {
      plan.steps.push_back(Step::compute(OpId(random.below(graph.num_ops()))));
    } else {
      plan.steps.push_back(
          Step::drop(TensorId(random.below(graph.num_tensors()))));
    }
  }
  return plan;
}

// A valid plan in any order, with random recomputations and random drops.
Plan walk(Random& random, const Graph& graph, OrderRule order) {
  Plan plan;
  for (int tries = 0; tries < 400; ++tries) {
    Plan longer = plan;
    const Plan step = random_plan(random, graph, 1);
    longer.steps.push_back(step.steps[0]);
    // Complete it with nothing: only the prefix must be valid so far.
    const auto measured = replay(graph, longer, order);
    const bool prefix_ok =
        measured.ok() ||
        measured.error().message.find("never computes") != std::string::npos;
    if (prefix_ok) plan = std::move(longer);
    if (measured.ok() && random.below(8) == 0) break;
  }
  return plan;
}

TEST(Replay, AgreesWithNaiveReplayOnRandomSteps) {
  Random random(1);
  for (int i = 0; i < 60'000; ++i) {
    const Graph graph =
        random_graph(random, {.ops = static_cast<int>(1 + random.below(4))});
    const Plan plan = random_plan(random, graph, random.below(8));
    expect_same(graph, plan, OrderRule::kFixed);
    expect_same(graph, plan, OrderRule::kFree);
  }
}

TEST(Replay, AgreesWithNaiveReplayOnValidPlans) {
  Random random(2);
  int valid = 0;
  for (int i = 0; i < 150; ++i) {
    const Graph graph =
        random_graph(random, {.ops = static_cast<int>(1 + random.below(6))});
    for (OrderRule order : {OrderRule::kFixed, OrderRule::kFree}) {
      const Plan plan = walk(random, graph, order);
      expect_same(graph, plan, order);
      if (replay(graph, plan, order).ok()) ++valid;
    }
  }
  EXPECT_GT(valid, 100);  // The walk does reach complete plans.
}

TEST(Replay, AgreesWithNaiveReplayWhenOneStepIsSpoiled) {
  Random random(3);
  for (int i = 0; i < 12'000; ++i) {
    const Graph graph = random_graph(random, {.ops = 6});
    Plan plan = keep_all_plan(graph);
    expect_same(graph, plan, OrderRule::kFixed);
    const std::size_t at = random.below(plan.steps.size());
    switch (random.below(3)) {
      case 0:
        plan.steps.erase(plan.steps.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1:
        plan.steps[at] = random_plan(random, graph, 1).steps[0];
        break;
      default:
        std::swap(plan.steps[at], plan.steps[random.below(plan.steps.size())]);
    }
    expect_same(graph, plan, OrderRule::kFixed);
    expect_same(graph, plan, OrderRule::kFree);
  }
}

}  // namespace
}  // namespace rematch
