// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/split_program.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

// a is read again after b and c.
Graph one_gap() {
  return GraphBuilder()
      .add_op("a", {}, 10, 7)
      .add_op("b", {}, 20)
      .add_op("c", {}, 30)
      .add_op("d", {"a"}, 1)
      .build()
      .value();
}

std::int32_t rows_of(const LinearModel& model, std::string_view name) {
  for (const LinearFamily& family : model.families()) {
    if (family.name == name) return family.rows;
  }
  return 0;
}

std::int32_t columns_of(const LinearModel& model, std::string_view name) {
  for (const LinearFamily& family : model.families()) {
    if (family.name == name) return family.columns;
  }
  return 0;
}

struct Built {
  Built(const Graph& graph, Bytes budget, SplitPoints points)
      : problem{graph, budget, OrderRule::kFixed},
        lives(find_lives(graph)),
        program(problem, lives, points),
        model(program.take_model()) {}

  Problem problem;
  Lives lives;
  SplitProgram program;
  LinearModel model;
};

TEST(SplitProgram, IsTheGapProgramWithoutMoments) {
  const Graph graph = one_gap();
  Built built(graph, 35, {});
  EXPECT_EQ(built.model.num_columns(), 2u);  // Keep a, or run it.
  EXPECT_EQ(rows_of(built.model, "restore"), 1);
  EXPECT_EQ(built.model.num_rows(), 1u);
  const Binary run = built.program.run(OpId(0), 0);
  EXPECT_NEAR(
      built.model.column(run.column()).cost * built.program.cost_scale(), 7,
      1e-9);
}

TEST(SplitProgram, SplitsLivesAtMoments) {
  const Graph graph = one_gap();
  Built built(graph, 35, {{1, 2}, {}});
  EXPECT_EQ(columns_of(built.model, "live"), 2);
  EXPECT_EQ(columns_of(built.model, "keep"), 3);
  EXPECT_EQ(columns_of(built.model, "run"), 3);
  EXPECT_EQ(rows_of(built.model, "keep_ends"), 4);
  EXPECT_EQ(rows_of(built.model, "restore"), 3);
  EXPECT_EQ(columns_of(built.model, "last"), 0);
}

TEST(SplitProgram, KnowsThePointsOfALife) {
  const Graph graph = one_gap();
  const Built built(graph, 35, {{1}, {}});
  const SplitProgram& program = built.program;
  const LifeId a(0);
  EXPECT_EQ(program.points(a).size(), 3u);
  EXPECT_TRUE(program.is_point(a, 1));
  EXPECT_FALSE(program.is_point(a, 2));
  EXPECT_EQ(program.point_before(a, 2), 1u);
  EXPECT_EQ(program.point_before(LifeId(1), 0), std::nullopt);
  EXPECT_TRUE(program.surely_live(a, 3).is_one());
  // Between points it is what is kept.
  EXPECT_EQ(program.surely_live(a, 2).column(), program.keep(a, 1).column());
  EXPECT_TRUE(program.surely_live(LifeId(1), 3).is_zero());
}

TEST(SplitProgram, CountsWhatIsKeptBesideAnOp) {
  const Graph graph = one_gap();
  Built built(graph, 40, {});
  std::vector<double> columns(built.model.num_columns(), 0);
  const MemoryUse use = built.program.memory(2);
  EXPECT_LT(use.at(columns), 0);  // 30 of 40.
  columns[built.program.keep(LifeId(0), 0).column().index()] = 1;
  EXPECT_EQ(use.at(columns), 0);  // 40 of 40.
  use.add_row("memory", built.model);
  EXPECT_EQ(rows_of(built.model, "memory"), 1);
}

// A storage takes its room once, whichever of its tensors are live.
TEST(SplitProgram, CountsAStorageWithSeveralTensorsOnce) {
  OpSpec view;
  view.op.name = "v";
  view.op.cost = 1;
  view.inputs = {"a"};
  view.outputs = {{.name = "v", .bytes = 4, .storage_of = "a"}};
  const Graph graph = GraphBuilder()
                          .add_op("a", {}, 4)
                          .add_op(view)
                          .add_op("big", {}, 5)
                          .add_op("end", {"a", "v"}, 1)
                          .build()
                          .value();
  Built built(graph, 9, {{2}, {}});
  const std::size_t before = built.model.num_columns();
  const MemoryUse use = built.program.memory(2);
  EXPECT_EQ(use.at(std::vector<double>(before, 1)), 0);
  std::vector<double> one(before, 0);
  one[built.program.live(LifeId(1), 1).column().index()] = 1;
  EXPECT_EQ(use.at(one), 0);
  EXPECT_LT(use.at(std::vector<double>(before, 0)), 0);
  use.add_row("memory", built.model);
  EXPECT_EQ(columns_of(built.model, "block"), 1);
  EXPECT_EQ(rows_of(built.model, "block_lives"), 2);
}

TEST(SplitProgram, AsksForTheInputsOfARun) {
  const Graph graph = GraphBuilder()
                          .add_op("q", {}, 1)
                          .add_op("a", {"q"}, 1)
                          .add_op("big", {}, 5)
                          .add_op("end", {"a"}, 1)
                          .build()
                          .value();
  const Built coarse(graph, 6, {});
  EXPECT_EQ(rows_of(coarse.model, "inputs"), 0);  // q is live where it begins.
  const Built fine(graph, 6, {{2}, {}});
  EXPECT_EQ(rows_of(fine.model, "inputs"), 1);
}

TEST(SplitProgram, LooksAtTheRerunsOfADetailedStage) {
  const Graph graph = one_gap();
  const Built plain(graph, 40, {{1, 2}, {}});
  EXPECT_FALSE(plain.program.rerun_memory(OpId(1), 3).has_value());
  const Built built(graph, 40, {{1, 2, 3}, {3}});
  EXPECT_EQ(columns_of(built.model, "last"), 1);
  EXPECT_GT(rows_of(built.model, "last_rerun"), 0);
  EXPECT_TRUE(built.program.rerun_memory(OpId(0), 3).has_value());
}

// What is read right before and right after a detailed stage may be dropped and
// run again in it; in other stages nobody looks.
TEST(SplitProgram, ModelsWhatIsTouchedOnBothSidesOnlyInDetailedStages) {
  const Graph graph = GraphBuilder()
                          .add_op("x", {}, 1)
                          .add_op("y", {"x"}, 1)
                          .add_op("z", {"x", "y"}, 1)
                          .build()
                          .value();
  const Built plain(graph, 9, {{1, 2}, {}});
  EXPECT_TRUE(plain.program.keep(LifeId(0), 1).is_one());
  EXPECT_TRUE(plain.program.run(OpId(0), 1).is_one());
  const Built detailed(graph, 9, {{1, 2}, {2}});
  EXPECT_FALSE(detailed.program.keep(LifeId(0), 1).is_constant());
  EXPECT_FALSE(detailed.program.run(OpId(0), 1).is_constant());
}

}  // namespace
}  // namespace rematch
