// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/replay.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

Step compute(int op) { return Step::compute(OpId(op)); }
Step drop(int tensor) { return Step::drop(TensorId(tensor)); }

// a (3 bytes) -> b (5) -> c (7), costs 1, 2, 4.
Graph line() {
  return GraphBuilder()
      .add_op("a", {}, 3, 1)
      .add_op("b", {"a"}, 5, 2)
      .add_op("c", {"b"}, 7, 4)
      .build()
      .value();
}

std::string error_of(const Graph& graph, const Plan& plan,
                     OrderRule order = OrderRule::kFixed) {
  const auto measured = replay(graph, plan, order);
  EXPECT_FALSE(measured.ok());
  if (measured.ok()) return "";
  EXPECT_EQ(measured.error().code, ErrorCode::kInvalidPlan);
  return measured.error().message;
}

TEST(Replay, CountsOutputBeforeInputIsDropped) {
  const Plan plan{{compute(0), compute(1), drop(0), compute(2)}};
  const Replay measured = replay(line(), plan, OrderRule::kFixed).value();
  EXPECT_EQ(measured.footprint, (std::vector<Bytes>{3, 8, 5, 12}));
  EXPECT_EQ(measured.peak, 12);
  EXPECT_EQ(measured.peak_step, StepId(3));
  EXPECT_EQ(measured.cost, 7);
}

TEST(Replay, CountsEveryRun) {
  const Plan plan{{compute(0), compute(1), compute(0), compute(2), compute(2)}};
  const Replay measured = replay(line(), plan, OrderRule::kFixed).value();
  EXPECT_EQ(measured.cost, 1 + 2 + 1 + 4 + 4);
  EXPECT_EQ(measured.runs[OpId(0)], 2);
}

TEST(Replay, CountsAnOutputThatIsLiveAlreadyOnce) {
  const Plan plan{{compute(0), compute(0), compute(1), compute(2)}};
  EXPECT_EQ(replay(line(), plan, OrderRule::kFixed)->footprint[1], 3);
}

TEST(Replay, CountsWorkspaceOnlyWhileTheOpRuns) {
  OpSpec hungry;
  hungry.op.name = "hungry";
  hungry.op.workspace = 100;
  hungry.outputs.push_back({.name = "t", .bytes = 1, .storage_of = {}});
  const Graph graph =
      GraphBuilder().add_op(hungry).add_op("b", {"t"}, 1).build().value();
  const Plan plan{{compute(0), compute(1)}};
  EXPECT_EQ(replay(graph, plan, OrderRule::kFixed)->footprint,
            (std::vector<Bytes>{101, 2}));
}

TEST(Replay, KeepsAStorageWhileAnyOfItsTensorsIsLive) {
  OpSpec view;
  view.op.name = "view";
  view.inputs = {"a"};
  view.outputs.push_back({.name = "v", .bytes = 4, .storage_of = "a"});
  const Graph graph = GraphBuilder()
                          .add_op("a", {}, 10)
                          .add_op(view)
                          .add_op("b", {"v"}, 1)
                          .build()
                          .value();
  const Plan plan{{compute(0), compute(1), drop(0), compute(2), drop(1)}};
  EXPECT_EQ(replay(graph, plan, OrderRule::kFixed)->footprint,
            (std::vector<Bytes>{10, 10, 10, 11, 1}));
}

TEST(Replay, GivesEachOutputItsOwnLifetime) {
  OpSpec pair;
  pair.op.name = "pair";
  pair.outputs.push_back({.name = "large", .bytes = 100, .storage_of = {}});
  pair.outputs.push_back(
      {.name = "tiny", .bytes = 1, .storage_of = {}, .is_output = true});
  const Graph graph = GraphBuilder()
                          .add_op(pair)
                          .add_op("use", {"large"}, 10)
                          .add_op("next", {"use"}, 95)
                          .build()
                          .value();
  EXPECT_EQ(keep_all_peak(graph), 111);
  const Replay measured =
      replay(graph, keep_all_plan(graph), OrderRule::kFixed).value();
  // While "next" runs only tiny, use and next are there.
  EXPECT_EQ(measured.footprint[3], 1 + 10 + 95);
}

TEST(Replay, StartsFromTheFixedBytes) {
  const Graph graph =
      GraphBuilder()
          .fixed_bytes(7)
          .add_input({.name = "w", .bytes = 20, .storage_of = {}})
          .add_op("a", {"w"}, 3)
          .build()
          .value();
  EXPECT_EQ(replay(graph, Plan{{compute(0)}}, OrderRule::kFixed)->peak, 30);
}

TEST(Replay, TakesAnEmptyPlanForAnEmptyGraph) {
  const Graph graph = GraphBuilder().fixed_bytes(5).build().value();
  EXPECT_EQ(replay(graph, Plan{}, OrderRule::kFixed)->peak, 5);
}

TEST(Replay, RefusesADeadInput) {
  EXPECT_EQ(error_of(line(), {{compute(0), drop(0), compute(1)}}),
            "step 2: compute 'b' reads 'a', which is not live");
}

TEST(Replay, RefusesDropsThatMakeNoSense) {
  const Graph graph =
      GraphBuilder()
          .add_input({.name = "w", .bytes = 1, .storage_of = {}})
          .add_op(OpSpec{.op = {.name = "a", .kind = {}},
                         .inputs = {},
                         .outputs = {{.name = "a",
                                      .bytes = 1,
                                      .storage_of = {},
                                      .is_output = true}}})
          .build()
          .value();
  EXPECT_EQ(error_of(graph, {{drop(0)}}),
            "step 0: drop 'w', which is a graph input");
  EXPECT_EQ(error_of(graph, {{drop(1)}}),
            "step 0: drop 'a', which is not live");
  EXPECT_EQ(error_of(graph, {{compute(0), drop(1)}}),
            "step 1: drop 'a', which is a graph output");
}

TEST(Replay, RefusesToRepeatAnOpThatRunsOnce) {
  OpSpec once;
  once.op.name = "once";
  once.op.recomputable = false;
  const Graph graph = GraphBuilder().add_op(once).build().value();
  EXPECT_EQ(error_of(graph, {{compute(0), compute(0)}}),
            "step 1: op 'once' is computed again but is not recomputable");
}

TEST(Replay, HoldsTheFixedOrderForFirstRunsOnly) {
  const Graph graph =
      GraphBuilder().add_op("a", {}, 1).add_op("b", {}, 1).build().value();
  const Plan swapped{{compute(1), compute(0)}};
  EXPECT_EQ(error_of(graph, swapped),
            "step 0: op 'b' is computed before op 'a', which comes first in "
            "the fixed order");
  EXPECT_TRUE(replay(graph, swapped, OrderRule::kFree).ok());
  const Plan again{{compute(0), compute(1), compute(0)}};
  EXPECT_TRUE(replay(graph, again, OrderRule::kFixed).ok());
}

TEST(Replay, KeepsTheOrderOfEffectsWhereItIsFree) {
  GraphBuilder builder;
  for (const char* name : {"first", "second"}) {
    OpSpec once;
    once.op.name = name;
    once.op.recomputable = false;
    builder.add_op(once);
  }
  const Graph graph = builder.add_op("pure", {}, 1).build().value();
  const Plan swapped{{compute(2), compute(1), compute(0)}};
  EXPECT_EQ(replay(graph, swapped, OrderRule::kFree).error().message,
            "step 2: op 'first' is computed after op 'second': both must run "
            "exactly once, in the graph's order");
  const Plan kept{{compute(2), compute(0), compute(1)}};
  EXPECT_TRUE(replay(graph, kept, OrderRule::kFree).ok());
}

TEST(Replay, RefusesAPlanThatLeavesOpsOut) {
  EXPECT_EQ(error_of(line(), {{compute(0), compute(1)}}),
            "the plan never computes op 'c' (it computes 2 of 3 ops)");
}

TEST(Replay, RefusesIdsThatDoNotExist) {
  EXPECT_EQ(error_of(line(), {{compute(3)}}),
            "step 0: op 3 does not exist (graph has 3 ops)");
  EXPECT_EQ(error_of(line(), {{drop(9)}}),
            "step 0: tensor 9 does not exist (graph has 3 tensors)");
}

TEST(LiveTensors, ListsWhatIsThereDuringAStep) {
  const Plan plan{{compute(0), compute(1), drop(0), compute(2)}};
  EXPECT_EQ(live_tensors(line(), plan, StepId(1)),
            (std::vector<TensorId>{TensorId(0), TensorId(1)}));
  EXPECT_EQ(live_tensors(line(), plan, StepId(3)),
            (std::vector<TensorId>{TensorId(1), TensorId(2)}));
}

}  // namespace
}  // namespace rematch
