// SPDX-License-Identifier: Apache-2.0
// Every plan is a point of every split program: no row cuts it off, and the
// program asks no more for it than it costs. REMATCH_INSTANCES sets how many
// random instances are tried (default 6,000).
#include <cstdlib>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/split/path_cuts.h"
#include "rematch/solve/split/split_program.h"
#include "rematch/solve/split/stage_cuts.h"
#include "support/graphs.h"
#include "support/split_points.h"

namespace rematch {
namespace {

constexpr Cost kAny = std::numeric_limits<Cost>::infinity();

int instances() {
  const char* wanted = std::getenv("REMATCH_INSTANCES");
  return wanted == nullptr ? 6'000 : std::atoi(wanted);
}

Graph any_graph(Random& random) {
  if (random.below(6) == 0) {
    return random_chain(random, static_cast<int>(random.between(2, 5)));
  }
  const int ops = static_cast<int>(random.between(3, 12));
  const bool all = random.below(3) != 0;
  return random_graph(random, {.ops = ops,
                               .many_outputs = all,
                               .views = all,
                               .run_once = random.below(2) == 0,
                               .kept_outputs = random.below(2) == 0});
}

void add_memory_rows(const SplitProgram& program, const Graph& graph,
                     const SplitPoints& points, LinearModel& model) {
  for (OpId op : graph.ops()) {
    program.memory(op.value).add_row("memory", model);
  }
  for (std::int32_t stage : points.detailed) {
    for (OpId op : IdRange<OpId>(OpId(0), OpId(stage))) {
      const auto use = program.rerun_memory(op, stage);
      if (use) use->add_row("rerun", model);
    }
  }
}

// Any columns will do: the more a point is wrong, the more rows it breaks.
void add_path_rows(Random& random, const SplitProgram& program,
                   const SplitPoints& points, LinearModel& model) {
  for (double most : {0.1, 0.4, 1.0}) {
    std::vector<double> columns(model.num_columns());
    for (double& value : columns) value = most * random.unit();
    for (const PathCut& cut :
         path_cuts(program, points.moments, columns, 0.01)) {
      model.add_row(model.family("path"), 1 - cut.sum.constant, kInfinity,
                    cut.sum.terms);
    }
  }
}

void add_stage_rows(Random& random, const Problem& problem,
                    const SplitProgram& program, const SplitPoints& points,
                    Cost limit, LinearModel& model) {
  std::map<std::int32_t, ColumnId> extra;
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t rare = 1 + random.below(3);
    std::vector<double> columns(model.num_columns());
    for (double& value : columns) value = random.below(rare + 1) == 0 ? 1 : 0;
    for (std::int32_t stage : points.detailed) {
      const auto cut = stage_cut(problem, program, columns, stage, limit);
      if (cut) add_stage_row(problem.graph, program, *cut, extra, model);
    }
  }
}

class SplitRows : public testing::Test {
 protected:
  void check_instance() {
    const Graph graph = any_graph(random_);
    const Plan plan = random_plan(random_, graph);
    const auto measured = replay(graph, plan, OrderRule::kFixed);
    ASSERT_TRUE(measured.ok());
    const Problem problem{graph, measured->peak + random_.between(0, 2),
                          OrderRule::kFixed};
    const PlanTrace trace(graph, plan);
    const bool spared = random_.below(2) == 0;
    const Lives lives = find_lives(
        graph, spared ? spare_of(graph, find_lives(graph), trace) : kAny);
    const SplitPoints points = random_points(random_, graph);
    SplitProgram program(problem, lives, points);
    LinearModel model = program.take_model();
    add_memory_rows(program, graph, points, model);
    add_path_rows(random_, program, points, model);
    const Cost limit = random_.below(2) == 0 ? trace.rerun_cost() : kAny;
    add_stage_rows(random_, problem, program, points, limit, model);
    const auto columns = point_of(program, model, graph, trace);
    const std::string broken = broken_row(model, columns);
    EXPECT_EQ(broken, "") << describe(problem, trace, points, spared);
    EXPECT_LE(violation_at(model, columns), 1e-7) << broken;
    EXPECT_LE(objective_at(model, columns) * program.cost_scale(),
              trace.rerun_cost() + 1e-7)
        << describe(problem, trace, points, spared);
    for (const LinearFamily& family : model.families()) {
      rows_[family.name] += family.rows;
    }
  }

  static std::string describe(const Problem& problem, const PlanTrace& trace,
                              const SplitPoints& points, bool spared) {
    std::string text = "budget " + std::to_string(problem.budget);
    text += spared ? ", spare as small as may be" : "";
    text += "\nreruns (stage: op):";
    for (const Rerun& rerun : trace.all_reruns()) {
      text += " " + std::to_string(rerun.stage) + ":" +
              std::to_string(rerun.op.value);
    }
    text += "\nmoments";
    for (std::int32_t stage : points.moments) {
      text += " " + std::to_string(stage);
      if (points.detailed.contains(stage)) text += "*";
    }
    return text + "\n" + show(problem.graph);
  }

  Random random_{81};
  std::map<std::string, std::int64_t> rows_;
};

TEST_F(SplitRows, HoldForEveryPlan) {
  for (int i = 0; i < instances() && !HasFailure(); ++i) check_instance();
  // The test is about all families.
  for (const char* family :
       {"keep_ends", "restore", "inputs", "memory", "block_lives", "path",
        "rerun", "last_rerun", "stage"}) {
    EXPECT_GT(rows_[family], instances() / 2) << family;
  }
}

}  // namespace
}  // namespace rematch
