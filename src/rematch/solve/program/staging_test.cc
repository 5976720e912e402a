// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/staging.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

// a -> b -> c, and d alone.
Graph small() {
  return GraphBuilder()
      .add_op("a", {}, 1)
      .add_op("b", {"a"}, 1)
      .add_op("c", {"b"}, 1)
      .add_op("d", {}, 1)
      .build()
      .value();
}

TEST(Staging, EndsWithTheLastStageThatCanUseSomething) {
  const Staging stages = staging(small());
  EXPECT_EQ(stages.last_kept[TensorId(0)], 2);  // To rerun b for c.
  EXPECT_EQ(stages.last_kept[TensorId(1)], 2);
  EXPECT_EQ(stages.last_kept[TensorId(2)], 2);  // Never: nobody reads it.
  EXPECT_EQ(stages.last_run[OpId(0)], 2);
  EXPECT_EQ(stages.last_run[OpId(2)], 2);
  EXPECT_EQ(stages.last_run[OpId(3)], 3);
}

TEST(Staging, KeepsNoRunOnceOpBeyondItsOwnStage) {
  OpSpec once;
  once.op.name = "once";
  once.op.recomputable = false;
  once.inputs = {"a"};
  once.outputs = {
      {.name = "once", .bytes = 1, .storage_of = {}, .is_output = false}};
  const Graph graph = GraphBuilder()
                          .add_op("a", {}, 1)
                          .add_op(once)
                          .add_op("b", {"once"}, 1)
                          .build()
                          .value();
  const Staging stages = staging(graph);
  EXPECT_EQ(stages.last_run[OpId(1)], 1);
  EXPECT_EQ(stages.last_kept[TensorId(0)], 1);
  EXPECT_EQ(stages.last_kept[TensorId(1)], 2);
}

TEST(KeptSets, AreWhatIsLiveWhenAStageBegins) {
  const Graph graph = small();
  const KeptSets kept = kept_sets(graph, keep_all_plan(graph));
  ASSERT_EQ(kept.size(), 5U);
  EXPECT_TRUE(kept[0].empty());
  EXPECT_EQ(kept[1], std::vector<TensorId>{TensorId(0)});
  EXPECT_EQ(kept[2], std::vector<TensorId>{TensorId(1)});
  EXPECT_TRUE(kept[3].empty());
}

}  // namespace
}  // namespace rematch
