// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/refine.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

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

constexpr std::int32_t kBig = 2;

class RefineTest : public testing::Test {
 protected:
  // Refines at the point that keeps everything.
  bool refine() {
    SplitRound round(problem_, lives_, detail_);
    std::vector<double> columns(round.session().model().num_columns());
    for (LifeId id : lives_.all.ids()) {
      for (std::size_t i = 0; i + 1 < round.program().points(id).size(); ++i) {
        set(round.program().live(id, i), columns);
        set(round.program().keep(id, i), columns);
      }
    }
    return refine_at_point(problem_, round, columns, kInfinity, trouble_);
  }

  static void set(Binary binary, std::vector<double>& columns) {
    if (!binary.is_constant()) columns[binary.column().index()] = 1;
  }

  const Graph graph_ = graph();
  const Problem problem_{graph_, 6, OrderRule::kFixed};
  const Lives lives_ = find_lives(graph_);
  SplitDetail detail_;
  std::set<std::int32_t> trouble_ = {7};
};

TEST_F(RefineTest, AStageThatDoesNotFitBecomesAMomentWithItsRow) {
  EXPECT_TRUE(refine());
  EXPECT_EQ(detail_.points.moments, std::vector{kBig});
  EXPECT_TRUE(detail_.memory_rows.contains(kBig));
  EXPECT_EQ(trouble_, std::set{kBig});
}

TEST_F(RefineTest, EverywhereIsEveryStage) {
  EXPECT_TRUE(refine_everywhere(graph_, detail_.points));
  EXPECT_EQ(detail_.points.moments, (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(detail_.points.detailed, (std::set<std::int32_t>{1, 2, 3}));
}

TEST_F(RefineTest, ALargeGraphIsNotLookedAtEverywhere) {
  GraphBuilder builder;
  for (int i = 0; i < 41; ++i) builder.add_op("op" + std::to_string(i), {}, 1);
  SplitPoints points{{3}, {}, {}};
  EXPECT_FALSE(refine_everywhere(builder.build().value(), points));
  EXPECT_EQ(points.moments, std::vector{3});
}

}  // namespace
}  // namespace rematch
