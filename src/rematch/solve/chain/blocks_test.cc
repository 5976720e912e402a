// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/chain/blocks.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/graph/synthetic/synthetic.h"

namespace rematch {
namespace {

Graph unit_chain(std::int64_t n) {
  return synthetic_graph(
             {.family = Family::kChain, .length = n, .training = true})
      .value();
}

TEST(BlockChain, HasABlockPerOpOfAChainAndOneForTheTurn) {
  const BlockChain chain = block_chain(unit_chain(3), 100).value();
  ASSERT_EQ(chain.blocks.size(), 4u);
  EXPECT_EQ(chain.blocks[0].forward.size(), 1u);
  EXPECT_TRUE(chain.blocks[3].forward.empty());
  // The loss and the last backward op belong to the turn.
  EXPECT_EQ(chain.blocks[3].backward.size(), 2u);
  EXPECT_EQ(chain.blocks[1].backward.size(), 1u);
  EXPECT_TRUE(chain.blocks[0].backward.empty());
  EXPECT_EQ(chain.blocks[1].output, 1);
  EXPECT_EQ(chain.blocks[2].gradient, 1);
  EXPECT_EQ(chain.blocks[1].gradient, 0);
  EXPECT_FALSE(chain.blocks[1].backward_reads_block);
}

TEST(BlockChain, MergesNeighboursWhenThereAreTooMany) {
  const BlockChain chain = block_chain(unit_chain(100), 10).value();
  EXPECT_EQ(chain.blocks.size(), 11u);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(chain.blocks[i].forward.size(), 10u);
    EXPECT_TRUE(i == 9 || chain.blocks[i].saved > chain.blocks[i].output);
  }
}

TEST(BlockChain, MeasuresWhatABlockTakes) {
  // in (2) -> x (10, workspace 5) -> y (3) | z (4); backward reads x.
  OpSpec x;
  x.op = {.name = "x",
          .kind = {},
          .cost = 7,
          .workspace = 5,
          .phase = Phase::kForward};
  x.inputs = {"in"};
  x.outputs = {{.name = "x", .bytes = 10, .storage_of = {}}};
  const Graph graph = GraphBuilder()
                          .add_op("in", {}, 2, 1, Phase::kForward)
                          .add_op(x)
                          .add_op("side", {"in"}, 1, 1, Phase::kForward)
                          .add_op("y", {"x", "side"}, 3, 1, Phase::kForward)
                          .add_op("z", {"y"}, 4, 1, Phase::kForward)
                          .add_op("dz", {"z"}, 4, 1, Phase::kBackward)
                          .add_op("dx", {"dz", "x"}, 6, 1, Phase::kBackward)
                          .build()
                          .value();
  const BlockChain chain = block_chain(graph, 100).value();
  ASSERT_EQ(chain.blocks.size(), 4u);  // in | x side y | z | turn.
  const Block& middle = chain.blocks[1];
  EXPECT_EQ(middle.forward_cost, 9);
  EXPECT_EQ(middle.output, 3);
  EXPECT_EQ(middle.saved, 13);
  EXPECT_EQ(middle.forward_peak, 15);             // x and its workspace.
  EXPECT_EQ(middle.forward_peak_with_input, 17);  // ... and in.
  EXPECT_TRUE(middle.backward_reads_block);
  // x, dz, dx: z's gradient comes from the turn.
  EXPECT_EQ(middle.backward_peak, 10 + 4 + 6);
}

TEST(BlockChain, SaysWhyAGraphIsNone) {
  const Graph parallel = GraphBuilder()
                             .add_op("0", {}, 1, 1, Phase::kForward)
                             .add_op("1", {}, 1, 1, Phase::kForward)
                             .add_op("b", {"0", "1"}, 1, 1, Phase::kBackward)
                             .build()
                             .value();
  EXPECT_EQ(block_chain(parallel, 10).error().message,
            "no op among its 2 forward ops cuts it in two");
  const Graph mixed = GraphBuilder()
                          .add_op("0", {}, 1, 1, Phase::kForward)
                          .add_op("b", {"0"}, 1, 1, Phase::kBackward)
                          .add_op("1", {"0"}, 1, 1, Phase::kForward)
                          .build()
                          .value();
  EXPECT_EQ(block_chain(mixed, 10).error().message,
            "forward op '1' comes after ops of another phase");
  const Graph empty = GraphBuilder().build().value();
  EXPECT_EQ(block_chain(empty, 10).error().message,
            "it has 0 forward ops and 0 others, and needs both");
}

}  // namespace
}  // namespace rematch
