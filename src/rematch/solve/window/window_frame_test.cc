// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/window/window_frame.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

using Slots = std::vector<std::int32_t>;
using Ops = std::vector<OpId>;

constexpr OpId kA(0), kB(1), kC(2), kD(3), kE(4);

// b reads a, d reads b, e reads a.
Graph graph() {
  return GraphBuilder()
      .add_op("a", {}, 1)
      .add_op("b", {"a"}, 1)
      .add_op("c", {}, 1)
      .add_op("d", {"b"}, 1)
      .add_op("e", {"a"}, 1)
      .build()
      .value();
}

const Ops kSequence = {kA, kB, kC, kA, kB, kD, kE};

TEST(WindowFrame, LeavesOutTheRerunsOfFreeOps) {
  const WindowFrame frame = window_frame(graph(), kSequence, Ops{kB});
  EXPECT_EQ(frame.runs, (Ops{kA, kB, kC, kA, kD, kE}));
  EXPECT_EQ(frame.slots[kA], (Slots{0, 3}));
  EXPECT_EQ(frame.reruns[kB], (Slots{4}));
}

TEST(WindowFrame, PlacesRerunsBeforeReadsAndWhereInputsAre) {
  const WindowFrame frame = window_frame(graph(), kSequence, Ops{kB});
  // Before d, and before e, the last to read the second copy of a.
  EXPECT_EQ(frame.places[kB], (Slots{4, 5}));
}

TEST(WindowFrame, PlacesRerunsWhereReadersRunAgain) {
  const WindowFrame frame = window_frame(graph(), kSequence, Ops{kA, kB});
  EXPECT_EQ(frame.runs, (Ops{kA, kB, kC, kD, kE}));
  EXPECT_EQ(frame.places[kA], (Slots{3, 4}));
}

TEST(WindowFrame, KeepsOpsThatRunOnce) {
  OpSpec once;
  once.op.name = "once";
  once.op.recomputable = false;
  once.outputs = {
      {.name = "once", .bytes = 1, .storage_of = {}, .is_output = false}};
  const Graph graph = GraphBuilder().add_op(once).build().value();
  EXPECT_TRUE(window_frame(graph, Ops{kA}, Ops{kA}).free.empty());
}

TEST(WindowFrame, PutsRerunsOfOneSlotInOrder) {
  const WindowFrame frame = window_frame(graph(), kSequence, Ops{kA, kB});
  const auto runs =
      place_reruns(frame, [](OpId, std::size_t i) { return i == 0; });
  Ops ops;
  for (const PlacedRun& run : runs) ops.push_back(run.op);
  EXPECT_EQ(ops, kSequence);
}

TEST(WindowFrame, FindsOpsThatRunAgainAtOtherStages) {
  const Ops other = {kA, kB, kC, kA, kB, kD, kA, kE};
  EXPECT_EQ(differing_ops(graph(), kSequence, other), (Ops{kA}));
  EXPECT_TRUE(differing_ops(graph(), other, other).empty());
}

TEST(WindowFrame, KeepsPlacesOfEitherSequence) {
  const Ops other = {kA, kB, kC, kD, kA, kE};
  WindowFrame frame = window_frame(graph(), other, Ops{kA, kB});
  keep_places_of(graph(), other, kSequence, frame);
  EXPECT_EQ(frame.places[kA], (Slots{3, 4}));
  EXPECT_EQ(frame.places[kB], (Slots{3}));
}

}  // namespace
}  // namespace rematch
