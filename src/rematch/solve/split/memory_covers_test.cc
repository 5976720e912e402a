// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/memory_covers.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

// Tensors of 4, 3, 2 and 2 bytes that are read at the end; an op of one byte in
// between.
Graph four_lives() {
  return GraphBuilder()
      .add_op("a", {}, 4)
      .add_op("b", {}, 3)
      .add_op("c", {}, 2)
      .add_op("d", {}, 2)
      .add_op("mid", {}, 1)
      .add_op("end", {"a", "b", "c", "d"}, 1)
      .build()
      .value();
}

class MemoryCoversTest : public testing::Test {
 protected:
  static constexpr std::int32_t kMid = 4;

  // The point at which these shares are live at `mid`.
  std::vector<double> point(std::vector<double> shares) {
    std::vector<double> columns(model_.num_columns());
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const Binary live = program_.surely_live(LifeId(i), kMid);
      columns[live.column().index()] = shares[i];
    }
    return columns;
  }
  std::optional<MemoryCover> broken(std::vector<double> shares) {
    return broken_cover(problem_, program_, point(std::move(shares)), kMid,
                        0.02);
  }

  const Graph graph_ = four_lives();
  const Problem problem_{graph_, 7, OrderRule::kFixed};  // Six beside `mid`.
  const Lives lives_ = find_lives(graph_);
  const SplitPoints points_{{kMid}, {}, {}};
  SplitProgram program_{problem_, lives_, points_};
  LinearModel model_ = program_.take_model();
  const LifeId a_{0}, b_{1}, c_{2}, d_{3};
};

TEST_F(MemoryCoversTest, ThoseThatHardlyMissDoNotFit) {
  EXPECT_EQ(broken({1, 0.6, 0, 0}), (MemoryCover{kMid, {a_, b_}, 1}));
}

TEST_F(MemoryCoversTest, LargeOnesJoinAsTheyFitNoBetter) {
  EXPECT_EQ(broken({0, 0.9, 0.9, 0.9}),
            (MemoryCover{kMid, {a_, b_, c_, d_}, 2}));
}

TEST_F(MemoryCoversTest, NothingIsBrokenThatMissesAWhole) {
  EXPECT_EQ(broken({1, 0, 1, 0}), std::nullopt);
  EXPECT_EQ(broken({0.5, 0.5, 0, 0}), std::nullopt);
}

TEST_F(MemoryCoversTest, TheRowAllowsAsManyAsFit) {
  add_cover_row(program_, {kMid, {a_, b_, c_, d_}, 2}, model_);
  const RowId row(model_.num_rows() - 1);
  EXPECT_EQ(model_.row_upper(row), 2);
  EXPECT_EQ(model_.row_columns(row).size(), 4u);
}

}  // namespace
}  // namespace rematch
