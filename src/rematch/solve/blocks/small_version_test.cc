// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/blocks/small_version.h"

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

Graph transformer(std::int64_t layers) {
  return synthetic_graph({.family = Family::kTransformer,
                          .length = layers,
                          .training = true})
      .value();
}

BlockPair pair_of(const Graph& graph) {
  return find_block_pair(graph, find_repeats(graph)).value();
}

TEST(FindBlockPair, PairsFirstForwardWithLastBackwardBlocks) {
  const Graph graph = transformer(20);
  const BlockPair pair = pair_of(graph);
  EXPECT_LT(pair.forward.first, pair.backward.first);
  EXPECT_EQ(pair.pair_sum + 1, pair.forward.count);
}

TEST(FindBlockPair, FindsNoneInAnInferenceGraph) {
  const Graph graph =
      synthetic_graph({.family = Family::kTransformer, .length = 20}).value();
  EXPECT_FALSE(find_block_pair(graph, find_repeats(graph)));
}

TEST(WithFewerBlocks, IsTheTransformerWithFewerLayers) {
  const Graph graph = transformer(40);
  const BlockPair pair = pair_of(graph);
  const auto small = with_fewer_blocks(graph, pair, pair.forward.count - 28);
  ASSERT_TRUE(small);
  const Graph expected = transformer(12);
  EXPECT_EQ(small->graph.num_ops(), expected.num_ops());
  EXPECT_EQ(small->graph.num_edges(), expected.num_edges());
  EXPECT_EQ(small->graph.num_storages(), expected.num_storages());
  EXPECT_EQ(small->graph.fixed_bytes(), expected.fixed_bytes());
  EXPECT_DOUBLE_EQ(small->graph.base_cost(), expected.base_cost());
  EXPECT_EQ(keep_all_peak(small->graph), keep_all_peak(expected));
  EXPECT_EQ(peak_floor(small->graph, OrderRule::kFixed).bytes,
            peak_floor(expected, OrderRule::kFixed).bytes);
}

TEST(WithFewerBlocks, SaysNoToAsManyBlocksAsThereAre) {
  const Graph graph = transformer(20);
  const BlockPair pair = pair_of(graph);
  EXPECT_FALSE(with_fewer_blocks(graph, pair, pair.forward.count));
}

}  // namespace
}  // namespace rematch
