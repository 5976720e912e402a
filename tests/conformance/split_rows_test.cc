// SPDX-License-Identifier: Apache-2.0
// Every plan is a point of every split program: no row cuts it off, and the
// program asks no more for it than it costs. REMATCH_INSTANCES sets how many
// random instances are tried (default 6,000).
#include <cstdlib>
#include <limits>
#include <map>

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/gap/gap_bound.h"
#include "rematch/solve/split/memory_covers.h"
#include "rematch/solve/split/path_cuts.h"
#include "rematch/solve/split/split_program.h"
#include "rematch/solve/split/stage_cuts.h"
#include "rematch/solve/strategies/exhaustive.h"
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

// Those that another program breaks, whose lives are split less.
void add_paths_of_coarser(Random& random, const Problem& problem,
                          const SplitProgram& program,
                          const SplitPoints& points, LinearModel& model) {
  SplitProgram coarse(problem, program.lives(),
                      {points.moments, points.detailed, {}});
  std::vector<double> columns(coarse.take_model().num_columns());
  for (double& value : columns) value = 0.3 * random.unit();
  for (const PathCut& cut : path_cuts(coarse, points.moments, columns, 0.01)) {
    const auto sum = path_sum(program, cut.path);
    if (!sum) continue;
    model.add_row(model.family("old_path"), 1 - sum->constant, kInfinity,
                  sum->terms);
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

void add_cover_rows(Random& random, const Problem& problem,
                    const SplitProgram& program, LinearModel& model) {
  std::vector<double> columns(model.num_columns());
  for (double& value : columns) value = 1 - 0.3 * random.unit();
  for (OpId op : problem.graph.ops()) {
    const auto cover = broken_cover(problem, program, columns, op.value, 0.01);
    if (cover) add_cover_row(program, *cover, model);
  }
}

class SplitRows : public testing::Test {
 protected:
  // `plan` has only reruns that are of use.
  void check(const Problem& problem, const Plan& plan) {
    const Graph& graph = problem.graph;
    const PlanTrace trace(graph, plan);
    const Cost spare = choose_spare(problem, trace);
    const Lives lives = find_lives(graph, spare);
    const SplitPoints points = random_points(random_, graph);
    SplitProgram program(problem, lives, points);
    LinearModel model = program.take_model();
    add_memory_rows(program, graph, points, model);
    add_path_rows(random_, program, points, model);
    add_paths_of_coarser(random_, problem, program, points, model);
    add_cover_rows(random_, problem, program, model);
    const Cost limit = random_.below(2) == 0 ? trace.rerun_cost() : kAny;
    add_stage_rows(random_, problem, program, points, limit, model);
    const auto columns = point_of(program, model, graph, trace);
    const std::string broken = broken_row(model, columns);
    EXPECT_EQ(broken, "") << describe(problem, trace, points, spare);
    EXPECT_LE(violation_at(model, columns), 1e-7) << broken;
    EXPECT_LE(objective_at(model, columns) * program.cost_scale(),
              trace.rerun_cost() + 1e-7)
        << describe(problem, trace, points, spare);
    for (const LinearFamily& family : model.families()) {
      rows_[family.name] += family.rows;
    }
  }

  // As little as may be, in both ways in which a search knows it.
  Cost choose_spare(const Problem& problem, const PlanTrace& trace) {
    const Graph& graph = problem.graph;
    const auto way = random_.below(3);
    if (way == 0) return kAny;
    if (way == 1) return spare_of(graph, find_lives(graph), trace);
    Meter meter{Limits{}};
    const GapBound gaps = gap_bound(problem, gap_program(problem), meter, 1);
    return graph.base_cost() + trace.rerun_cost() - gaps.plain_bound;
  }

  static std::string describe(const Problem& problem, const PlanTrace& trace,
                              const SplitPoints& points, Cost spare) {
    std::string text = "budget " + std::to_string(problem.budget);
    text += ", spare " + std::to_string(spare);
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

TEST_F(SplitRows, HoldForAnyPlan) {
  for (int i = 0; i < instances() && !HasFailure(); ++i) {
    const Graph graph = any_graph(random_);
    const Plan plan = random_plan(random_, graph);
    const auto measured = replay(graph, plan, OrderRule::kFixed);
    ASSERT_TRUE(measured.ok());
    const Bytes budget = measured->peak + random_.between(0, 2);
    check({graph, budget, OrderRule::kFixed}, plan);
  }
  // The test is about all families.
  for (const char* family :
       {"keep_ends", "restore", "inputs", "memory", "block_lives", "path",
        "old_path", "rerun", "last_rerun", "stage", "cover"}) {
    EXPECT_GT(rows_[family], instances() / 2) << family;
  }
}

// Here the gap bound leaves little to spare.
TEST_F(SplitRows, HoldForTheCheapestPlan) {
  for (int i = 0; i < instances() && !HasFailure(); ++i) {
    const int ops = static_cast<int>(random_.between(3, 8));
    const Graph graph =
        random_graph(random_, {.ops = ops, .many_outputs = ops <= 6});
    const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
    const Problem problem{graph, random_.between(floor, keep_all_peak(graph)),
                          OrderRule::kFixed};
    const Proposal truth = propose_exhaustive(problem, {});
    if (truth.infeasible) continue;
    check(problem, with_useful_reruns(graph, *truth.plan));
  }
}

// A view is read long after the tensor that it shows. When their storage is
// evicted, the gap program charges for `a`, although that is not touched any
// more: what is left of its bound must not pay for `a` again.
TEST_F(SplitRows, ChargeTheRerunBehindAViewOnce) {
  OpSpec view;
  view.op.name = "v";
  view.op.cost = 1;
  view.inputs = {"a"};
  view.outputs = {
      {.name = "v", .bytes = 4, .storage_of = "a", .is_output = false}};
  const Graph graph = GraphBuilder()
                          .add_op("q", {}, 1, 2)
                          .add_op("a", {"q"}, 4, 10)
                          .add_op(view)
                          .add_op("big", {}, 5)
                          .add_op("end", {"v"}, 1)
                          .build()
                          .value();
  const std::vector<Rerun> reruns = {{OpId(1), 4}, {OpId(2), 4}};
  const Plan plan = plan_with_reruns(graph, reruns);
  for (int i = 0; i < 100; ++i) check({graph, 6, OrderRule::kFixed}, plan);
}

}  // namespace
}  // namespace rematch
