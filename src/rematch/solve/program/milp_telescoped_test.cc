// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/milp_telescoped.h"

#include <atomic>
#include <limits>

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/program/milp_paper.h"
#include "rematch/solve/solve.h"

namespace rematch {
namespace {

// The unit chain with other numbers: n forward ops, a loss, n backward ops.
Graph chain(int n, Bytes bytes, Cost cost) {
  GraphBuilder builder;
  for (int i = 0; i < 2 * n + 1; ++i) {
    std::vector<std::string> inputs;
    if (i > 0) inputs.push_back(std::to_string(i - 1));
    if (i > n) inputs.push_back(std::to_string(2 * n - i));
    builder.add_op(std::to_string(i), std::move(inputs), bytes, cost,
                   i < n ? Phase::kForward : Phase::kBackward);
  }
  return builder.build().value();
}

Solution solved(const Graph& graph, Bytes budget, const Request& request) {
  return solve({graph, budget, OrderRule::kFixed}, *find_strategy("milp"),
               request);
}

Request with(Formulation formulation) {
  Request request;
  request.formulation = formulation;
  return request;
}

TEST(Milp, ProvesTheChainsOfThePaper) {
  for (auto formulation : {Formulation::kPaper, Formulation::kTelescoped}) {
    const Request request = with(formulation);
    const Solution four = solved(chain(8, 1, 1), 4, request);
    EXPECT_EQ(four.outcome, Outcome::kOptimal);
    EXPECT_EQ(four.cost, 26);
    const Solution three = solved(chain(8, 1, 1), 3, request);
    EXPECT_EQ(three.outcome, Outcome::kOptimal);
    EXPECT_EQ(three.cost, 45);
    EXPECT_EQ(solved(chain(4, 1, 1), 2, request).outcome, Outcome::kInfeasible);
  }
}

TEST(Milp, LosesNoDigitOfLargeNumbers) {
  const Bytes bytes = 33'333'333'331;  // A prime.
  const Cost cost = 1'000'000'000'039;
  for (auto formulation : {Formulation::kPaper, Formulation::kTelescoped}) {
    const Graph graph = chain(5, bytes, cost);
    const Solution fits = solved(graph, 4 * bytes, with(formulation));
    EXPECT_EQ(fits.outcome, Outcome::kOptimal);
    EXPECT_EQ(fits.cost, 14 * cost);
    const Solution one_less = solved(graph, 4 * bytes - 1, with(formulation));
    EXPECT_EQ(one_less.outcome, Outcome::kOptimal);
    EXPECT_EQ(one_less.cost, 21 * cost);
  }
}

// Sizes so far apart that a solver takes the small ones for nothing.
TEST(Milp, TakesTheSmallestCostsThereAre) {
  for (auto formulation :
       {Formulation::kPaper, Formulation::kTelescoped, Formulation::kSplit}) {
    for (const Cost cost : {5e-324, 1e-320, 1e-308}) {
      const Solution found = solved(chain(4, 1, cost), 4, with(formulation));
      ASSERT_TRUE(found.has_plan());
      EXPECT_LE(found.lower_bound, found.cost);
    }
  }
}

TEST(Milp, HonoursTheLastByte) {
  const Bytes large = 1'000'000'000'000'007;
  const Graph graph = GraphBuilder()
                          .add_op("a", {}, 1, 1)
                          .add_op("b", {}, large, 1)
                          .add_op("c", {"b"}, 1, 1)
                          .add_op("d", {"a", "c"}, 1, 1)
                          .build()
                          .value();
  const Solution both =
      solved(graph, large + 2, with(Formulation::kTelescoped));
  EXPECT_EQ(both.outcome, Outcome::kOptimal);
  EXPECT_EQ(both.cost, 4);
  const Solution one = solved(graph, large + 1, with(Formulation::kTelescoped));
  EXPECT_EQ(one.outcome, Outcome::kOptimal);
  EXPECT_EQ(one.cost, 5);
}

TEST(Milp, TakesAStart) {
  const Graph graph = chain(8, 1, 1);
  const Solution best = solved(graph, 4, {});
  Request request;
  request.start = &*best.plan;
  request.limits.seconds = 0;
  const Solution again = solved(graph, 4, request);
  EXPECT_EQ(again.cost, best.cost);
  EXPECT_EQ(again.stop_reason, StopReason::kTimeLimit);
}

TEST(Milp, ReportsProgressThatOnlyGetsBetter) {
  const Graph graph = chain(8, 1, 1);
  Request request;
  SearchProgress last;
  int calls = 0;
  request.on_progress = [&](const SearchProgress& now) {
    ++calls;
    EXPECT_LE(now.cost, last.cost);
    last = now;
  };
  const Solution found = solved(graph, 4, request);
  EXPECT_GT(calls, 1);
  EXPECT_EQ(last.cost, found.cost);
  EXPECT_EQ(last.lower_bound, found.lower_bound);
}

TEST(Milp, NeverMapsALimitToInfeasible) {
  const Graph graph = chain(12, 1, 1);
  const std::atomic<bool> interrupted = true;
  Request request;
  request.limits.interrupt = &interrupted;
  EXPECT_EQ(solved(graph, 4, request).stop_reason, StopReason::kInterrupted);
  request.limits.interrupt = nullptr;
  request.limits.work = 5;
  const Solution worked = solved(graph, 4, request);
  EXPECT_EQ(worked.stop_reason, StopReason::kWorkLimit);
  EXPECT_NE(worked.outcome, Outcome::kInfeasible);
}

TEST(Milp, StopsAtTheSameWorkEachTimeInEveryFormulation) {
  const Graph graph = chain(12, 1, 1);
  for (auto formulation :
       {Formulation::kSplit, Formulation::kPaper, Formulation::kTelescoped}) {
    Request request = with(formulation);
    for (std::int64_t work : {1, 100, 1000}) {
      request.limits.work = work;
      Solution one = solved(graph, 4, request);
      Solution other = solved(graph, 4, request);
      EXPECT_EQ(one.stop_reason, StopReason::kWorkLimit) << work;
      one.seconds = other.seconds = 0;
      EXPECT_EQ(one, other) << work;
    }
  }
}

// Whatever it was doing, it has the gap program's bound and what it found.
TEST(Milp, KeepsWhatItHasWhenInterrupted) {
  const Graph graph = chain(12, 1, 1);
  const Problem problem{graph, 5, OrderRule::kFixed};
  const Solution gaps = solve(problem, *find_strategy("gap"), {});
  for (auto formulation : {Formulation::kPaper, Formulation::kTelescoped}) {
    std::atomic<bool> interrupted = false;
    Request request = with(formulation);
    request.limits.interrupt = &interrupted;
    SearchProgress last;
    request.on_progress = [&](const SearchProgress& now) {
      last = now;
      interrupted = now.cost < std::numeric_limits<Cost>::infinity();
    };
    const Solution found = solved(graph, problem.budget, request);
    EXPECT_EQ(found.stop_reason, StopReason::kInterrupted);
    ASSERT_TRUE(found.has_plan());
    EXPECT_EQ(found.cost, last.cost);
    EXPECT_GE(found.lower_bound, gaps.lower_bound);
  }
}

TEST(Milp, HasAPlanWhereALimitCameFirst) {
  for (Formulation formulation :
       {Formulation::kPaper, Formulation::kTelescoped}) {
    Request request = with(formulation);
    request.limits.work = 1;
    const Solution found = solved(chain(8, 1, 1), 5, request);
    EXPECT_TRUE(found.has_plan());
    EXPECT_EQ(found.stop_reason, StopReason::kWorkLimit);
    EXPECT_NE(found.message.find("gap program"), std::string::npos);
  }
}

TEST(Milp, SaysThatItTakesAFixedOrderOnly) {
  const Graph graph = chain(4, 1, 1);
  const Solution found =
      solve({graph, 4, OrderRule::kFree}, *find_strategy("milp"), {});
  EXPECT_EQ(found.stop_reason, StopReason::kNotApplicable);
}

TEST(Milp, RefusesThePapersProgramOfALargeGraphAtOnce) {
  const Graph graph =
      synthetic_graph(
          {.family = Family::kTransformer, .ops = 1000, .training = true})
          .value();
  const Solution found =
      solved(graph, keep_all_peak(graph) / 2, with(Formulation::kPaper));
  EXPECT_EQ(found.stop_reason, StopReason::kNotApplicable);
  EXPECT_NE(found.message.find("columns"), std::string::npos);
}

}  // namespace
}  // namespace rematch
