// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/tails.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

// p -> i; p dies when i is computed; i is read again after "big".
Graph chain() {
  return GraphBuilder()
      .add_op("p", {}, 10, 5)
      .add_op("i", {"p"}, 4, 3)
      .add_op("big", {}, 100)
      .add_op("end", {"i"}, 1)
      .build()
      .value();
}

TEST(Tails, AreThePlainCostWithoutShares) {
  const Graph graph = chain();
  const GapProgram program = gap_program({graph, 100, OrderRule::kFixed});
  ASSERT_EQ(program.gaps.size(), 1u);
  const Tails tails(graph, program);
  EXPECT_EQ(tails.price(program.gaps[0]).at(1000), 3);
  EXPECT_EQ(tails.price(program.gaps[0]).at(0.5), 2);  // 4 bytes held on.
}

TEST(Tails, AddAnInputWhoseLifeIsOver) {
  const Graph graph = chain();
  const GapProgram program = gap_program({graph, 100, OrderRule::kFixed});
  Tails tails(graph, program);
  tails.move_shares({1}, {1000}, 1);
  // i again, and p again or held on through the gap: 10 bytes a unit.
  EXPECT_NEAR(tails.price(program.gaps[0]).at(1000), 3 + 5, 1e-6);
  EXPECT_NEAR(tails.price(program.gaps[0]).at(1), 4, 1e-6);
}

TEST(Tails, LeaveOutAnInputThatIsStillNeeded) {
  const Graph graph = GraphBuilder()
                          .add_op("p", {}, 10, 5)
                          .add_op("i", {"p"}, 4, 3)
                          .add_op("big", {}, 100)
                          .add_op("end", {"i"}, 1)
                          .add_op("later", {"p"}, 1)
                          .build()
                          .value();
  const GapProgram program = gap_program({graph, 100, OrderRule::kFixed});
  Tails tails(graph, program);
  std::vector<double> all(program.gaps.size(), 1);
  std::vector<double> inside(program.gaps.size(), 1000);
  tails.move_shares(all, inside, 1);
  for (const Gap& gap : program.gaps) {
    if (gap.root != OpId(1)) continue;
    EXPECT_EQ(tails.price(gap).at(1000), 3);
  }
}

TEST(Tails, ShareAnInputAmongItsReaders) {
  const Graph graph = GraphBuilder()
                          .add_op("p", {}, 10, 6)
                          .add_op("i", {"p"}, 4, 3)
                          .add_op("k", {"p"}, 4, 3)
                          .add_op("big", {}, 100)
                          .add_op("end", {"i", "k"}, 1)
                          .build()
                          .value();
  const GapProgram program = gap_program({graph, 100, OrderRule::kFixed});
  ASSERT_EQ(program.gaps.size(), 2u);
  Tails tails(graph, program);
  tails.move_shares({1, 1}, {1000, 1000}, 1);
  // One rerun of p serves both.
  EXPECT_NEAR(tails.price(program.gaps[0]).at(1000) +
                  tails.price(program.gaps[1]).at(1000),
              3 + 3 + 6, 1e-6);
}

}  // namespace
}  // namespace rematch
