// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/max_batch.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/replay.h"

namespace rematch {
namespace {

// Unit costs and sizes: keep-all peak 10, floor 3, at budget 4 cost 26 of 17.
Graph chain(std::int64_t n = 8) {
  return synthetic_graph(
             {.family = Family::kChain, .length = n, .training = true})
      .value();
}

BatchQuestion asking(Bytes memory, Cost cap) {
  return {.memory = memory,
          .extra_fixed = 0,
          .graph_batch = 1,
          .cost_cap = cap,
          .order = OrderRule::kFixed};
}

BatchAnswer answer(const Graph& graph, const BatchQuestion& question,
                   const char* strategy = "auto", const Limits& limits = {}) {
  return max_batch(graph, question, *find_strategy(strategy), limits).value();
}

TEST(MaxBatch, DividesMemoryByTheLeastPeakWithinTheCap) {
  const BatchAnswer found = answer(chain(), asking(1000, 26));
  EXPECT_EQ(found.batch, 250);
  EXPECT_EQ(found.batch_bound, 250);
  EXPECT_EQ(found.keep_all_batch, 100);
  EXPECT_EQ(found.outcome, Outcome::kOptimal);
  EXPECT_EQ(found.stop_reason, StopReason::kProved);
  EXPECT_EQ(found.solution.peak, 4);
  EXPECT_LE(found.solution.cost, 26);
}

TEST(MaxBatch, IsThatOfKeepAllWithoutOverhead) {
  const BatchAnswer found = answer(chain(), asking(1000, 17));
  EXPECT_EQ(found.batch, 100);
  EXPECT_EQ(found.batch_bound, 100);
}

TEST(MaxBatch, IsThatOfTheFloorWhereCostDoesNotMatter) {
  const BatchAnswer found = answer(chain(), asking(1000, 1e9));
  EXPECT_EQ(found.batch, 333);
  EXPECT_EQ(found.batch_bound, 333);
}

TEST(MaxBatch, RefusesAGraphForNoBatch) {
  BatchQuestion question = asking(1000, 26);
  question.graph_batch = 0;
  const auto found = max_batch(chain(), question, *find_strategy("auto"), {});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kInvalidArgument);
}

TEST(MaxBatch, FixedBytesAreCountedOnce) {
  GraphBuilder builder;
  builder.fixed_bytes(7)
      .add_op("a", {}, 1, 1, Phase::kForward)
      .add_op("b", {"a"}, 1, 1, Phase::kBackward);
  const Graph graph = builder.build().value();
  BatchQuestion question = asking(100, 2);
  question.extra_fixed = 3;
  EXPECT_EQ(answer(graph, question).batch, 45);  // (100 - 7 - 3) / 2.
}

TEST(MaxBatch, SizesAreThoseOfTheGraphsBatch) {
  BatchQuestion question = asking(1001, 26);
  question.graph_batch = 32;
  EXPECT_EQ(answer(chain(), question).batch, 1001 * 32 / 4);
}

TEST(MaxBatch, LargeNumbersDoNotOverflow) {
  BatchQuestion question = asking(kMaxBytes, 26);
  question.graph_batch = 2;
  const BatchAnswer found = answer(chain(), question);
  EXPECT_EQ(found.batch, kMaxBytes / 2);
  EXPECT_GE(found.batch_bound, found.batch);
  EXPECT_LT(found.batch_bound, kMaxBytes);
}

TEST(MaxBatch, IsInfeasibleIfTheFloorDoesNotFit) {
  for (const Bytes memory : {0, 2}) {
    const BatchAnswer found = answer(chain(), asking(memory, 1e9));
    EXPECT_EQ(found.batch, 0);
    EXPECT_EQ(found.outcome, Outcome::kInfeasible);
    EXPECT_FALSE(found.solution.has_plan());
  }
}

TEST(MaxBatch, IsInfeasibleIfTheFixedBytesDoNotFit) {
  BatchQuestion question = asking(10, 1e9);
  question.extra_fixed = 11;
  EXPECT_EQ(answer(chain(), question).outcome, Outcome::kInfeasible);
}

TEST(MaxBatch, IsInfeasibleIfNoPlanIsWithinTheCap) {
  EXPECT_EQ(answer(chain(), asking(4, 25), "milp").outcome,
            Outcome::kInfeasible);
  EXPECT_EQ(answer(chain(), asking(4, 26), "milp").batch, 1);
}

TEST(MaxBatch, ProvesNothingFromWhatAStrategyDoesNotFind) {
  const BatchAnswer found = answer(chain(), asking(4, 30), "keep_all");
  EXPECT_EQ(found.batch, 0);
  EXPECT_EQ(found.batch_bound, 1);
  EXPECT_EQ(found.outcome, Outcome::kUnknown);
  EXPECT_FALSE(found.solution.has_plan());
}

TEST(MaxBatch, HasKeepAllWhereTheStrategyFindsNothing) {
  const BatchAnswer found = answer(chain(200), asking(1000, 1e9), "exhaustive");
  EXPECT_EQ(found.batch, found.keep_all_batch);
  EXPECT_GT(found.batch, 0);
  EXPECT_EQ(found.outcome, Outcome::kFeasible);
  EXPECT_EQ(found.stop_reason, StopReason::kNotApplicable);
  EXPECT_EQ(found.solution.strategy, "keep_all");
  EXPECT_FALSE(found.solution.message.empty());
}

TEST(MaxBatch, TakesOnePlanOfAStrategyThatIgnoresTheBudget) {
  const BatchAnswer found = answer(chain(), asking(1000, 26), "chen_sqrt");
  EXPECT_EQ(found.batch, 142);  // Peak 7 at a cost of 21.
  EXPECT_EQ(found.outcome, Outcome::kFeasible);
  EXPECT_EQ(found.stop_reason, StopReason::kFinished);
}

TEST(MaxBatch, ThePlanIsWhatReplayMeasures) {
  const Graph graph = chain();
  const BatchAnswer found = answer(graph, asking(1000, 30));
  const auto measured =
      replay(graph, found.solution.plan.value(), OrderRule::kFixed).value();
  EXPECT_EQ(found.batch, 1000 / measured.peak);
  EXPECT_EQ(found.solution.cost, measured.cost);
  EXPECT_LE(measured.cost, 30);
}

TEST(MaxBatch, StopsOnceTheGapIsReached) {
  Limits limits;
  limits.gap = 10;
  const BatchAnswer found = answer(chain(), asking(1000, 26), "dtr", limits);
  EXPECT_EQ(found.batch, found.keep_all_batch);
  EXPECT_EQ(found.stop_reason, StopReason::kGapReached);
}

TEST(MaxBatch, TellsWhatItKnowsOnTheWay) {
  std::vector<std::pair<std::int64_t, std::int64_t>> told;
  const auto found =
      max_batch(chain(), asking(1000, 26), *find_strategy("auto"), {},
                [&](std::int64_t batch, std::int64_t bound) {
                  told.emplace_back(batch, bound);
                });
  ASSERT_TRUE(found.ok());
  ASSERT_GT(told.size(), 2u);
  EXPECT_EQ(told.front(), std::pair(std::int64_t{0}, std::int64_t{333}));
  EXPECT_EQ(told.back(), std::pair(std::int64_t{250}, std::int64_t{250}));
  for (std::size_t i = 1; i < told.size(); ++i) {
    EXPECT_GE(told[i].first, told[i - 1].first);
    EXPECT_LE(told[i].second, told[i - 1].second);
  }
}

TEST(MaxBatch, SaysWhenTimeRanOut) {
  Limits limits;
  limits.seconds = 0;
  const BatchAnswer found = answer(chain(), asking(1000, 26), "dtr", limits);
  EXPECT_EQ(found.stop_reason, StopReason::kTimeLimit);
  EXPECT_GE(found.batch_bound, found.batch);
}

TEST(MaxBatch, FreeOrderIsBoundByTheFloorAlone) {
  BatchQuestion question = asking(1000, 18);
  question.order = OrderRule::kFree;
  const BatchAnswer found = answer(chain(), question, "keep_all");
  EXPECT_EQ(found.batch, 100);
  EXPECT_EQ(found.batch_bound, 333);
}

TEST(MaxBatch, RefusesAGraphWithoutMemory) {
  const Graph graph = GraphBuilder().add_op("a", {}, 0).build().value();
  const auto found =
      max_batch(graph, asking(10, 1), *find_strategy("auto"), {});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kInvalidArgument);
}

// The largest number would otherwise be called the largest batch.
TEST(MaxBatch, RefusesBatchesThatCannotBeCounted) {
  BatchQuestion question = asking(16'000'000'000, 18);
  question.graph_batch = 999'999'999'999'999'999;
  const auto found =
      max_batch(chain(), question, *find_strategy("keep_all"), {});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kOutOfRange);
}

}  // namespace
}  // namespace rematch
