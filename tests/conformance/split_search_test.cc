// SPDX-License-Identifier: Apache-2.0
// The loop of the exact search from any plan and any moments: what it proves
// must not depend on them. REMATCH_INSTANCES sets how many random instances are
// tried (default 4,000).
#include "rematch/solve/split/split_search.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/gap/gap_bound.h"
#include "rematch/solve/strategies/exhaustive.h"
#include "support/graphs.h"
#include "support/split_points.h"

namespace rematch {
namespace {

int instances() {
  const char* wanted = std::getenv("REMATCH_INSTANCES");
  return wanted == nullptr ? 4'000 : std::atoi(wanted);
}

// With REMATCH_FIRST_INSTANCE those before are drawn but not solved.
int first_instance() {
  const char* wanted = std::getenv("REMATCH_FIRST_INSTANCE");
  return wanted == nullptr ? 0 : std::atoi(wanted);
}

std::optional<Cost> optimum_of(const Problem& problem) {
  const Proposal truth = propose_exhaustive(problem, {});
  if (truth.infeasible) return std::nullopt;
  return replay(problem.graph, *truth.plan, problem.order)->cost;
}

// A view is read long after the tensor that it shows. When the storage is
// evicted, the gap program charges for `a`, whose own last touch is over by
// then: that rerun must not be counted a second time when the search asks which
// plans could be cheaper than the incumbent.
Graph evicted_view() {
  OpSpec view;
  view.op.name = "v";
  view.op.cost = 1;
  view.inputs = {"a"};
  view.outputs = {
      {.name = "v", .bytes = 4, .storage_of = "a", .is_output = false}};
  return GraphBuilder()
      .add_op("q", {}, 1, 2)
      .add_op("a", {"q"}, 4, 10)
      .add_op(view)
      .add_op("big", {}, 5)
      .add_op("end", {"v"}, 1)
      .build()
      .value();
}

TEST(SplitSearch, ChargesTheRerunBehindAViewOnce) {
  const Graph graph = evicted_view();
  const Problem problem{graph, 6, OrderRule::kFixed};
  ASSERT_EQ(optimum_of(problem), 26);
  BestPlan incumbent(problem);
  // Runs q again, though there is room to hold it.
  const std::vector<OpId> sequence = {OpId(0), OpId(1), OpId(2), OpId(3),
                                      OpId(0), OpId(1), OpId(2), OpId(4)};
  ASSERT_TRUE(incumbent.offer(plan_from_sequence(graph, sequence)));
  ASSERT_EQ(incumbent.cost(), 28);
  Meter meter{Limits{}};
  const GapBound gaps = gap_bound(problem, gap_program(problem), meter);
  const Request request;
  SplitSearch search(problem, request, incumbent,
                     {graph.base_cost(), gaps.plain_bound, {1, 2, 3, 4}});
  search.run();
  EXPECT_EQ(search.lower_bound(), 26);
  EXPECT_EQ(incumbent.cost(), 26);
}

struct Made {
  const char* name;
  Bytes bytes;
  const char* storage_of = "";
};

void add(GraphBuilder& builder, const char* name, Cost cost,
         const std::vector<std::string>& inputs,
         const std::vector<Made>& outputs, Bytes workspace = 0) {
  OpSpec spec;
  spec.op.name = name;
  spec.op.cost = cost;
  spec.op.workspace = workspace;
  for (const std::string& input : inputs) spec.inputs.push_back(input);
  for (const Made& made : outputs) {
    spec.outputs.push_back({.name = made.name,
                            .bytes = made.bytes,
                            .storage_of = made.storage_of,
                            .is_output = false});
  }
  builder.add_op(spec);
}

// In the last stage `a` has to run twice, since what it makes does not fit at
// once. `b` can run again from some point on, but in that stage nobody has a
// use for it: what it costs must not be taken for what the second run of `a`
// does.
TEST(SplitSearch, CountsNoRerunsThatAreOfNoUseInAStage) {
  GraphBuilder builder;
  builder.fixed_bytes(2).add_input(
      {.name = "in", .bytes = 0, .storage_of = "", .is_output = false});
  add(builder, "a", 1, {"in"}, {{"a0", 2}, {"a1", 2, "in"}, {"a2", 3}}, 1);
  add(builder, "b", 5, {"in", "a1"}, {{"b0", 2}});
  add(builder, "c", 5, {"b0"}, {{"c0", 2, "b0"}, {"c1", 3}});
  add(builder, "d", 0, {"a0"}, {{"d0", 0}, {"d1", 6, "a0"}, {"d2", 3}});
  add(builder, "e", 3, {"a2", "c0"}, {{"e0", 1}, {"e1", 0}});
  add(builder, "f", 5, {"a1", "a2", "d1"}, {{"f0", 5, "in"}});
  const Graph graph = builder.build().value();
  const Problem problem{graph, 17, OrderRule::kFixed};
  ASSERT_EQ(optimum_of(problem), 33);
  BestPlan incumbent(problem);
  const Request request;
  SplitSearch search(problem, request, incumbent,
                     {graph.base_cost(), graph.base_cost(), {1, 2, 3, 4}});
  search.run();
  EXPECT_EQ(search.lower_bound(), 33);
  EXPECT_EQ(incumbent.cost(), 33);
}

Graph any_graph(Random& random) {
  if (random.below(5) == 0) {
    return random_chain(random, static_cast<int>(random.between(2, 4)));
  }
  const int ops = static_cast<int>(random.between(3, 8));
  return random_graph(random, {.ops = ops, .many_outputs = ops <= 6});
}

// Some plan that fits, or none: the search never sees the gap program's plans
// and bounds, nor the annealer's.
TEST(SplitSearch, ProvesTheOptimumFromAnyPlan) {
  Random random(83);
  for (int i = 0; i < instances() && !HasFailure(); ++i) {
    const Graph graph = any_graph(random);
    const Plan start = random_plan(random, graph);
    const Bytes peak = replay(graph, start, OrderRule::kFixed)->peak;
    const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
    const Problem problem{graph,
                          random.below(3) == 0
                              ? random.between(floor, keep_all_peak(graph))
                              : peak,
                          OrderRule::kFixed};
    const auto moments = random_points(random, graph).moments;
    if (i < first_instance()) continue;
    const auto optimum = optimum_of(problem);
    BestPlan incumbent(problem);
    incumbent.offer(start);
    Meter meter{Limits{}};
    const GapBound gaps = gap_bound(problem, gap_program(problem), meter);
    const Request request;
    SplitSearch search(problem, request, incumbent,
                       {graph.base_cost(), gaps.plain_bound, moments,
                        i % 2 == 0 ? SplitStart().many_columns : 0});
    search.run();
    const std::string where = "instance " + std::to_string(i) + ", budget " +
                              std::to_string(problem.budget) + "\n" +
                              show(graph);
    ASSERT_EQ(search.is_infeasible(), !optimum.has_value()) << where;
    if (!optimum) continue;
    EXPECT_EQ(search.lower_bound(), *optimum) << where;
    EXPECT_EQ(incumbent.cost(), *optimum) << where;
  }
}

}  // namespace
}  // namespace rematch
