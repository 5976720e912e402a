// SPDX-License-Identifier: Apache-2.0
// Dropping as early as possible is the best that a sequence of ops allows, and
// brute force over states agrees with brute force over sequences.
#include "rematch/plan/sequence.h"

#include <functional>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "rematch/plan/floor.h"
#include "rematch/plan/replay.h"
#include "rematch/solve/solve.h"
#include "support/graphs.h"

namespace rematch {
namespace {

// Drops `lazily`: each drop is moved to a random later place.
Plan drop_later(Random& random, const Graph& graph,
                const std::vector<OpId>& sequence) {
  const Plan tight = plan_from_sequence(graph, sequence);
  Plan lazy;
  std::vector<TensorId> waiting;
  for (const Step& step : tight.steps) {
    if (!step.is_compute()) {
      waiting.push_back(step.tensor());
      continue;
    }
    for (std::size_t i = 0; i < waiting.size();) {
      // A copy that is made again need not be dropped any more.
      if (graph.tensor(waiting[i]).producer == step.op()) {
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
      } else if (random.below(2) == 0) {
        lazy.steps.push_back(Step::drop(waiting[i]));
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    lazy.steps.push_back(step);
  }
  return lazy;
}

std::vector<Bytes> compute_footprints(const Graph& graph, const Plan& plan) {
  const auto measured = replay(graph, plan, OrderRule::kFixed);
  EXPECT_TRUE(measured.ok()) << measured.error().message << show(graph);
  std::vector<Bytes> result;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.steps[i].is_compute()) result.push_back(measured->footprint[i]);
  }
  return result;
}

TEST(PlanFromSequence, HasTheLeastFootprintAtEveryStep) {
  Random random(5);
  for (int i = 0; i < 2'000; ++i) {
    const Graph graph = random_graph(random, {.ops = 5, .run_once = false});
    std::vector<OpId> sequence;
    for (OpId op : graph.ops()) {
      sequence.push_back(op);
      // Recompute something whose inputs are always brought back before it.
      if (random.below(2) == 0) {
        const auto again = static_cast<std::int32_t>(
            random.below(static_cast<std::uint64_t>(op.value) + 1));
        for (std::int32_t k = 0; k <= again; ++k) sequence.push_back(OpId(k));
      }
    }
    const auto tight =
        compute_footprints(graph, plan_from_sequence(graph, sequence));
    const auto lazy =
        compute_footprints(graph, drop_later(random, graph, sequence));
    ASSERT_EQ(tight.size(), lazy.size());
    for (std::size_t k = 0; k < tight.size(); ++k) {
      EXPECT_LE(tight[k], lazy[k]) << show(graph);
    }
  }
}

// The cheapest cost for each peak among all sequences of up to `most` ops.
std::map<Bytes, Cost> best_by_peak(const Graph& graph, std::size_t most) {
  std::map<Bytes, Cost> best;
  std::vector<OpId> sequence;
  const std::function<void()> extend = [&] {
    const Plan plan = plan_from_sequence(graph, sequence);
    if (const auto measured = replay(graph, plan, OrderRule::kFixed)) {
      const auto [at, added] = best.emplace(measured->peak, measured->cost);
      if (!added) at->second = std::min(at->second, measured->cost);
    }
    if (sequence.size() == most) return;
    for (OpId op : graph.ops()) {
      sequence.push_back(op);
      extend();
      sequence.pop_back();
    }
  };
  extend();
  return best;
}

TEST(Exhaustive, AgreesWithAllSequencesOnEveryDagOfThreeOps) {
  for (Weights weights : {Weights::kUnit, Weights::kVaried}) {
    for_every_dag(3, weights, [](const Graph& graph) {
      const auto best = best_by_peak(graph, 6);
      const Bytes most = keep_all_peak(graph);
      for (Bytes budget = 0; budget <= most; ++budget) {
        Cost least = std::numeric_limits<Cost>::infinity();
        for (const auto& [peak, cost] : best) {
          if (peak <= budget) least = std::min(least, cost);
        }
        const Solution found = solve({graph, budget, OrderRule::kFixed},
                                     *find_strategy("exhaustive"), {});
        if (found.outcome == Outcome::kInfeasible) {
          EXPECT_EQ(least, std::numeric_limits<Cost>::infinity())
              << budget << show(graph);
        } else {
          EXPECT_EQ(found.cost, least) << budget << show(graph);
        }
      }
    });
  }
}

TEST(Exhaustive, AgreesWithAllSequencesOnRandomGraphs) {
  Random random(6);
  for (int i = 0; i < 60; ++i) {
    const Graph graph = random_graph(random, {.ops = 3});
    const auto best = best_by_peak(graph, 6);
    for (Bytes budget = 0; budget <= keep_all_peak(graph); ++budget) {
      Cost least = std::numeric_limits<Cost>::infinity();
      for (const auto& [peak, cost] : best) {
        if (peak <= budget) least = std::min(least, cost);
      }
      const Solution found = solve({graph, budget, OrderRule::kFixed},
                                   *find_strategy("exhaustive"), {});
      const Cost cost =
          found.has_plan() ? found.cost : std::numeric_limits<Cost>::infinity();
      EXPECT_EQ(cost, least) << budget << show(graph);
    }
  }
}

}  // namespace
}  // namespace rematch
