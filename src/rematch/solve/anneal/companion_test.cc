// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/companion.h"

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

// Waits for something, which comes.
Plan news_of(Companion& companion) {
  for (;;) {
    if (auto plan = companion.news()) return *std::move(plan);
    std::this_thread::yield();
  }
}

TEST(Companion, FindsAPlanThatFits) {
  const Graph graph = transformer();
  const Problem problem{graph, keep_all_peak(graph) / 2, OrderRule::kFixed};
  Companion companion(problem, {});
  const auto measured =
      replay(graph, news_of(companion), OrderRule::kFixed).value();
  EXPECT_LE(measured.peak, problem.budget);
}

TEST(Companion, TellsEachPlanOnce) {
  const Graph graph = transformer();
  const Problem problem{graph, keep_all_peak(graph), OrderRule::kFixed};
  Companion companion(problem, {});
  news_of(companion);  // Nothing is better.
  EXPECT_FALSE(companion.last_news());
}

TEST(Companion, SearchesOnFromWhatItIsTold) {
  const Graph graph = transformer();
  const Problem problem{graph, keep_all_peak(graph) / 2, OrderRule::kFixed};
  Request request;
  Companion finder(problem, request);
  const Plan good = news_of(finder);
  const Cost cost = replay(graph, good, OrderRule::kFixed)->cost;
  Companion companion(problem, request);
  companion.tell(good);
  Cost best = std::numeric_limits<Cost>::infinity();
  while (best > cost) {
    best = replay(graph, news_of(companion), OrderRule::kFixed)->cost;
  }
  EXPECT_LE(best, cost);
}

TEST(Companion, EndsAtOnceWhenItGoes) {
  const Graph graph = transformer();
  const Problem problem{graph, keep_all_peak(graph) / 2, OrderRule::kFixed};
  for (int i = 0; i < 20; ++i) Companion(problem, {});
}

}  // namespace
}  // namespace rematch
