// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/window/window_search.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

using Ops = std::vector<OpId>;

// Of a and b, read at the end, one has to go while `big` runs.
Graph graph() {
  return GraphBuilder()
      .add_op("a", {}, 2, 3)
      .add_op("b", {}, 2, 5)
      .add_op("big", {}, 4)
      .add_op("end", {"a", "b"}, 1)
      .build()
      .value();
}

constexpr OpId kA(0), kB(1), kBig(2), kEnd(3);

class WindowSearchTest : public testing::Test {
 protected:
  const Graph graph_ = graph();
  const Problem problem_{graph_, 6, OrderRule::kFixed};
  const Ops dear_ = {kA, kB, kBig, kB, kEnd};
  const Ops cheap_ = {kA, kB, kBig, kA, kEnd};
  const Ops both_ = {kA, kB, kBig, kA, kB, kEnd};
};

TEST_F(WindowSearchTest, FindsTheCheaperRerun) {
  WindowSearch search(problem_, 1);
  search.begin(dear_, 15);
  while (!search.is_exhausted()) search.advance(kInfinity, nullptr);
  EXPECT_EQ(search.sequence(), cheap_);
  EXPECT_EQ(search.cost(), 13);
  EXPECT_GT(search.work(), 0);
}

TEST_F(WindowSearchTest, EndsWithoutAnythingToRunAgain) {
  WindowSearch search(problem_, 1);
  search.begin(Ops{kA, kB, kBig, kEnd}, 10);
  for (int i = 0; i < 100; ++i) search.advance(kInfinity, nullptr);
  EXPECT_TRUE(search.is_exhausted());
}

TEST_F(WindowSearchTest, GoesOnWhereItWas) {
  WindowSearch search(problem_, 1);
  search.begin(cheap_, 13);
  while (!search.is_exhausted()) search.advance(kInfinity, nullptr);
  search.begin(cheap_, 13);
  EXPECT_TRUE(search.is_exhausted());
  search.begin(dear_, 15);
  EXPECT_FALSE(search.is_exhausted());
}

TEST_F(WindowSearchTest, CrossesTwoSequences) {
  WindowSearch search(problem_, 1);
  search.begin(dear_, 15);
  EXPECT_FALSE(search.cross(both_, kInfinity, nullptr));  // Differs in a alone.
  EXPECT_TRUE(search.cross(cheap_, kInfinity, nullptr));
  EXPECT_EQ(search.sequence(), cheap_);
  EXPECT_FALSE(search.cross(cheap_, kInfinity, nullptr));
}

TEST_F(WindowSearchTest, StopsAtOnceWithoutTime) {
  WindowSearch search(problem_, 1);
  search.begin(dear_, 15);
  EXPECT_FALSE(search.advance(0, nullptr));
  EXPECT_EQ(search.sequence(), dear_);
}

// In the window of b alone, a stays as it is: nothing is cheaper.
TEST_F(WindowSearchTest, LeavesTheRestAsItIs) {
  const WindowAnswer answer =
      solve_window(problem_, both_, Ops{kB}, LpLimits{});
  ASSERT_TRUE(answer.sequence);
  EXPECT_EQ(*answer.sequence, cheap_);
  const WindowAnswer none = solve_window(problem_, dear_, Ops{kB}, LpLimits{});
  EXPECT_FALSE(none.sequence);
  EXPECT_TRUE(none.is_complete);
}

TEST_F(WindowSearchTest, TakesOutWhatIsNotRead) {
  const Ops sequence = {kA, kB, kA, kBig, kB, kA, kEnd, kA};
  EXPECT_EQ(without_useless_reruns(graph_, sequence),
            (Ops{kA, kB, kBig, kB, kA, kEnd}));
}

}  // namespace
}  // namespace rematch
