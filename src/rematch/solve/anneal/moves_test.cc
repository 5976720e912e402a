// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/moves.h"

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

std::vector<OpId> every_op(const Graph& graph) {
  std::vector<OpId> sequence;
  for (OpId op : graph.ops()) sequence.push_back(op);
  return sequence;
}

class MovesTest : public testing::Test {
 protected:
  Graph graph_ = synthetic_graph(
                     {.family = Family::kChain, .length = 30, .training = true})
                     .value();
  TouchTable table_{graph_};
  Schedule schedule_{graph_, table_, 20, every_op(graph_)};
  Dice dice_{1};
  Moves moves_{schedule_, dice_};
};

TEST_F(MovesTest, EvictsUntilItFits) {
  EXPECT_FALSE(schedule_.fits());
  EXPECT_TRUE(moves_.make_fit(1'000, 4));
  EXPECT_TRUE(schedule_.fits());
  EXPECT_GT(schedule_.extra_cost(), 0);
  const auto plan = plan_from_sequence(graph_, schedule_.sequence());
  EXPECT_LE(replay(graph_, plan, OrderRule::kFixed)->peak, 20);
}

TEST_F(MovesTest, EvictsNothingThatCostsTooMuch) {
  moves_.allow(0.5);
  moves_.make_fit(100, 4);
  EXPECT_EQ(schedule_.extra_cost(), 0);
}

TEST_F(MovesTest, TakesOutWhatOnlyServedARerun) {
  ASSERT_TRUE(moves_.make_fit(1'000, 4));
  while (!schedule_.reruns().empty()) {
    moves_.remove(schedule_.reruns().back());
    for (RunId rerun : schedule_.reruns()) {
      EXPECT_FALSE(schedule_.is_useless(rerun));
    }
  }
  EXPECT_EQ(schedule_.sequence(), every_op(graph_));
}

TEST_F(MovesTest, EveryMoveLeavesAValidSequence) {
  ASSERT_TRUE(moves_.make_fit(1'000, 4));
  moves_.set_looseness(0.5);
  moves_.set_earliness(0.5);
  for (int i = 0; i < 2'000; ++i) {
    if (schedule_.reruns().size() > 200) moves_.ruin(5);
    switch (dice_.below(5)) {
      case 0:
        moves_.evict_anywhere();
        break;
      case 1:
        moves_.ruin(3);
        break;
      case 2:
        moves_.make_fit(3, 2);
        break;
      case 3:
        moves_.reorder();
        break;
      default:
        if (!schedule_.reruns().empty()) moves_.shift(moves_.any_rerun());
    }
    if (dice_.below(2) == 0) schedule_.undo_to(0);
    schedule_.commit();
    const auto plan = plan_from_sequence(graph_, schedule_.sequence());
    const auto measured = replay(graph_, plan, OrderRule::kFree);
    ASSERT_TRUE(measured.ok()) << measured.error().message;
    ASSERT_EQ(measured->peak, schedule_.peak());
  }
}

}  // namespace
}  // namespace rematch
