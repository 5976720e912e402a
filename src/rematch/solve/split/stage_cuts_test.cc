// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/stage_cuts.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

constexpr Cost kAny = std::numeric_limits<Cost>::infinity();

// Two pairs, something that needs all memory, then a reader of both pairs.
Graph two_pairs() {
  return GraphBuilder()
      .add_op("a0", {}, 2, 3)
      .add_op("b0", {}, 2, 5)
      .add_op("a1", {"a0"}, 1, 1)
      .add_op("b1", {"b0"}, 1, 1)
      .add_op("big", {}, 4)
      .add_op("end", {"a1", "b1"}, 1)
      .build()
      .value();
}

constexpr std::int32_t kStage = 5;

class StageCuts : public testing::Test {
 protected:
  explicit StageCuts(Bytes budget = 4)
      : problem_{graph_, budget, OrderRule::kFixed} {}

  std::optional<StageCut> cut(Cost limit = kAny) const {
    return stage_cut(problem_, program_, columns_, kStage, limit);
  }
  // Runs the op in the stage.
  void run(OpId op) {
    const auto points = program_.run_points(op);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i] == kStage - 1) {
        columns_[program_.run(op, i).column().index()] = 1;
      }
    }
  }
  void live(LifeId id, std::int32_t stage) {
    columns_[program_.surely_live(id, stage).column().index()] = 1;
  }

  const Graph graph_ = two_pairs();
  const Problem problem_;
  const Lives lives_ = find_lives(graph_);
  SplitProgram program_{problem_, lives_, {{4, 5}, {kStage}}};
  LinearModel model_ = program_.take_model();
  std::vector<double> columns_ = std::vector<double>(model_.num_columns());
};

class TightStageCuts : public StageCuts {
 protected:
  TightStageCuts() : StageCuts(3) {}
};

TEST_F(StageCuts, SayWhatAStageCostsAtLeast) {
  const auto found = cut();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->stage, kStage);
  EXPECT_EQ(found->cost, 10);
  EXPECT_EQ(found->wanted, (std::vector<LifeId>{LifeId(2), LifeId(3)}));
  EXPECT_EQ(found->dead.size(), 4u);
}

TEST_F(StageCuts, AreNotNeededIfThePointPays) {
  for (int op : {0, 1, 2, 3}) run(OpId(op));
  EXPECT_FALSE(cut().has_value());
}

TEST_F(StageCuts, LeaveOutWhatChangesNothing) {
  live(LifeId(2), kStage - 1);
  const auto found = cut();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->cost, 6);
  EXPECT_EQ(found->wanted, (std::vector<LifeId>{LifeId(3)}));
  EXPECT_EQ(found->dead, (std::vector<LifeId>{LifeId(1), LifeId(3)}));
}

TEST_F(StageCuts, AreInfiniteBeyondTheLimit) {
  const auto found = cut(9);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->cost, kAny);
}

TEST_F(TightStageCuts, AreInfiniteIfThereIsNoWay) {
  for (int op : {0, 1, 2, 3}) run(OpId(op));
  const auto found = cut();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->cost, kAny);
}

TEST_F(StageCuts, BecomeRowsThatThePointBreaks) {
  const auto found = cut();
  ASSERT_TRUE(found.has_value());
  std::map<std::int32_t, ColumnId> extra;
  add_stage_row(graph_, program_, *found, extra, model_);
  ASSERT_EQ(extra.size(), 1u);
  const RowId row(model_.num_rows() - 1);
  const auto slack = [&] {
    columns_.resize(model_.num_columns());
    double sum = -model_.row_lower(row);
    for (std::size_t i = 0; i < model_.row_columns(row).size(); ++i) {
      sum += model_.row_values(row)[i] *
             columns_[ColumnId(model_.row_columns(row)[i]).index()];
    }
    return sum;
  };
  EXPECT_NEAR(slack(), -1, 1e-6);
  // Paying for the runs, or for what is not counted, or keeping something.
  columns_[extra.at(kStage).index()] = 10 / program_.cost_scale();
  EXPECT_NEAR(slack(), 0, 1e-6);
  columns_[extra.at(kStage).index()] = 0;
  for (int op : {0, 1, 2, 3}) run(OpId(op));
  EXPECT_NEAR(slack(), 0, 1e-6);
}

}  // namespace
}  // namespace rematch
