// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/anneal.h"

#include <atomic>

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

Graph transformer() {
  return synthetic_graph(
             {.family = Family::kTransformer, .ops = 200, .training = true})
      .value();
}

Problem at(const Graph& graph, int percent,
           OrderRule order = OrderRule::kFixed) {
  return {graph, keep_all_peak(graph) / 100 * percent, order};
}

Limits with_work(std::int64_t work, int threads = 1) {
  Limits limits;
  limits.work = work;
  limits.threads = threads;
  limits.seed = 7;
  return limits;
}

TEST(Anneal, MeasuresItsPlanByReplay) {
  const Graph graph = transformer();
  const Problem problem = at(graph, 50);
  const AnnealResult found = anneal(problem, with_work(30'000));
  ASSERT_TRUE(found.plan);
  const auto measured = replay(graph, *found.plan, OrderRule::kFixed);
  EXPECT_EQ(measured->peak, found.peak);
  EXPECT_EQ(measured->cost, found.cost);
  EXPECT_LE(found.peak, problem.budget);
  EXPECT_EQ(found.stop, Stop::kWork);
}

TEST(Anneal, RepeatsItselfForTheSameSeedWorkAndThreads) {
  const Graph graph = transformer();
  for (OrderRule order : {OrderRule::kFixed, OrderRule::kFree}) {
    const Problem problem = at(graph, 40, order);
    for (int threads : {1, 3}) {
      const Limits limits = with_work(60'000, threads);
      EXPECT_EQ(anneal(problem, limits).plan, anneal(problem, limits).plan);
    }
  }
}

TEST(Anneal, StopsAtOnceIfNothingNeedsToBeRecomputed) {
  const Graph graph = transformer();
  const AnnealResult found = anneal(at(graph, 101), {});
  EXPECT_EQ(found.cost, graph.base_cost());
  EXPECT_EQ(found.moves, 0);
  EXPECT_FALSE(found.stop);
}

TEST(Anneal, IsNeverWorseThanItsStart) {
  const Graph graph = transformer();
  const Problem problem = at(graph, 50);
  const AnnealResult good = anneal(problem, with_work(100'000));
  Request request = with_work(1);
  request.start = &*good.plan;
  const AnnealResult found = anneal(problem, request);
  EXPECT_EQ(found.cost, good.cost);
  request.limits.work = 50'000;
  EXPECT_LE(anneal(problem, request).cost, good.cost);
}

TEST(Anneal, IgnoresAStartThatIsNotValid) {
  const Graph graph = transformer();
  const Plan nothing;
  Request request = with_work(20'000);
  request.start = &nothing;
  EXPECT_TRUE(anneal(at(graph, 50), request).plan);
}

TEST(Anneal, StopsWhenInterrupted) {
  const Graph graph = transformer();
  const std::atomic<bool> interrupted = true;
  Limits limits;
  limits.interrupt = &interrupted;
  const AnnealResult found = anneal(at(graph, 50), limits);
  EXPECT_EQ(found.stop, Stop::kInterrupt);
  EXPECT_TRUE(found.plan);
}

TEST(Anneal, ReportsEveryBetterPlan) {
  const Graph graph = transformer();
  std::vector<Cost> costs;
  Request request = with_work(100'000);
  request.on_progress = [&](const SearchProgress& progress) {
    costs.push_back(progress.cost);
  };
  const AnnealResult found = anneal(at(graph, 50), request);
  ASSERT_FALSE(costs.empty());
  for (std::size_t i = 1; i < costs.size(); ++i) {
    EXPECT_LT(costs[i], costs[i - 1]);
  }
  EXPECT_EQ(costs.back(), found.cost);
}

TEST(Anneal, ReordersWhereThatIsAllowed) {
  const Graph graph =
      synthetic_graph({.family = Family::kRandom, .ops = 100}).value();
  const AnnealResult fixed = anneal(at(graph, 85), with_work(100'000));
  const AnnealResult free =
      anneal(at(graph, 85, OrderRule::kFree), with_work(100'000));
  EXPECT_LE(free.cost, fixed.cost);
}

}  // namespace
}  // namespace rematch
