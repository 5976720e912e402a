// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/blocks/repeats.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/graph/synthetic/synthetic.h"

namespace rematch {
namespace {

Graph transformer(std::int64_t layers) {
  return synthetic_graph({.family = Family::kTransformer,
                          .length = layers,
                          .training = true})
      .value();
}

TEST(FindRepeats, FindsTheLayersOfATransformerInBothPasses) {
  const auto found = find_repeats(transformer(12));
  ASSERT_EQ(found.size(), 2u);
  for (const Repeat& repeat : found) {
    EXPECT_EQ(repeat.period, 20u);
    EXPECT_GE(repeat.count, 10u);
  }
  EXPECT_GE(found[1].first, found[0].end());
}

TEST(FindRepeats, BeginsBlocksWhereOnlyTheStreamIsReadOn) {
  const Graph graph = transformer(12);
  const Repeat repeat = find_repeats(graph).front();
  const OpId before(repeat.first - 1);
  EXPECT_TRUE(graph.op(before).name.ends_with("residual"))
      << graph.op(before).name;
}

TEST(FindRepeats, FindsNothingInRandomGraphs) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Graph graph = synthetic_graph({.family = Family::kRandom,
                                         .ops = 500,
                                         .training = true,
                                         .seed = seed})
                            .value();
    EXPECT_TRUE(find_repeats(graph).empty()) << "seed " << seed;
  }
}

TEST(FindRepeats, FindsNothingInNoOps) {
  EXPECT_TRUE(find_repeats(GraphBuilder().build().value()).empty());
}

// Blocks of 5 ops; `different` has another size in one of them.
Graph blocks_of_five(int count, int different) {
  GraphBuilder builder;
  builder.add_op("start", {}, 7);
  std::string last = "start";
  for (int i = 0; i < 5 * count; ++i) {
    const std::string name = "op" + std::to_string(i);
    builder.add_op(name, {last}, 10 + i % 5 + (i == different ? 100 : 0),
                   1 + i % 5);
    last = name;
  }
  return builder.build().value();
}

TEST(FindRepeats, EndsAStretchWhereABlockDiffers) {
  const auto found = find_repeats(blocks_of_five(12, 31));
  ASSERT_EQ(found.size(), 2u);
  // Op 32 is the one that differs.
  EXPECT_LE(found[0].end(), 32u);
  EXPECT_GE(found[0].end(), 26u);
  EXPECT_GT(found[1].first, 32u);
}

TEST(FindRepeats, WantsFourBlocks) {
  EXPECT_TRUE(find_repeats(blocks_of_five(3, -1)).empty());
  EXPECT_EQ(find_repeats(blocks_of_five(5, -1)).size(), 1u);
}

}  // namespace
}  // namespace rematch
