// SPDX-License-Identifier: Apache-2.0
// Each family of rows of the split program is needed, and two rows that look
// right are not: without the former the program promises too little, with the
// latter too much.
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/lp/lp_session.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/gap/gap_model.h"
#include "rematch/solve/split/path_cuts.h"
#include "rematch/solve/split/split_program.h"
#include "rematch/solve/split/stage_cuts.h"
#include "rematch/solve/strategies/exhaustive.h"
#include "support/graphs.h"

namespace rematch {
namespace {

using Families = std::set<std::string, std::less<>>;

struct Variant {
  Families omitted = {};
  // Takes what is touched before and after a stage for live between.
  bool hold_between_touches = false;
};

// The finest program: every stage is a point and looked at one by one.
class FinestProgram {
 public:
  FinestProgram(const Problem& problem, Variant variant)
      : problem_(problem),
        variant_(std::move(variant)),
        lives_(find_lives(problem.graph)),
        points_(every_stage(problem.graph)),
        program_(problem, lives_, points_),
        session_(program_.take_model()) {
    LinearModel& model = session_.model();
    for (OpId op : problem_.graph.ops()) {
      program_.memory(op.value).add_row("memory", model);
    }
    for (std::int32_t stage : points_.detailed) {
      for (OpId op : IdRange<OpId>(OpId(0), OpId(stage))) {
        const auto use = program_.rerun_memory(op, stage);
        if (use) use->add_row("rerun", model);
      }
    }
    if (variant_.hold_between_touches) hold_between_touches();
    omit();
  }

  // The optimum over integers as the cost of a plan; infinite if there is none.
  Cost optimum() {
    while (true) {
      const LpSolution answer = session_.solve_integers({});
      if (answer.status != LpStatus::kOptimal) return kInfinity;
      if (!add_rows(answer.columns, true)) return cost(answer.objective);
    }
  }

  Cost relaxation() {
    while (true) {
      const LpSolution answer = session_.solve_relaxation({});
      if (answer.status != LpStatus::kOptimal) return kInfinity;
      if (!add_rows(answer.columns, false)) return cost(answer.objective);
    }
  }

 private:
  static SplitPoints every_stage(const Graph& graph) {
    SplitPoints points;
    for (OpId op : graph.ops()) {
      points.moments.push_back(op.value);
      if (op.value > 0) points.detailed.insert(op.value);
    }
    return points;
  }

  Cost cost(double objective) const {
    return problem_.graph.base_cost() + objective * program_.cost_scale();
  }

  bool is_omitted(std::string_view family) const {
    return variant_.omitted.contains(family);
  }

  void omit() {
    LinearModel& model = session_.model();
    for (RowId row : model.rows()) {
      if (is_omitted(model.families()[model.family_of(row).index()].name)) {
        model.set_row_bounds(row, -kInfinity, kInfinity);
      }
    }
  }

  void hold_between_touches() {
    for (LifeId id : lives_.all.ids()) {
      const Life& life = lives_.all[id];
      const auto points = program_.points(id);
      for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const Binary keep = program_.keep(id, i);
        if (keep.is_constant() || points[i + 1] - points[i] != 1) continue;
        if (!life.is_touched_at(points[i])) continue;
        if (!life.is_touched_at(points[i + 1])) continue;
        session_.model().set_bounds(keep.column(), 1, 1);
      }
    }
  }

  // Rows that the point breaks; false if there are none.
  bool add_rows(const std::vector<double>& columns, bool whole) {
    LinearModel& model = session_.model();
    const std::size_t before = model.num_rows();
    if (!is_omitted("path")) {
      for (const PathCut& cut :
           path_cuts(program_, points_.moments, columns, 1e-4)) {
        model.add_row(model.family("path"), 1 - cut.sum.constant, kInfinity,
                      cut.sum.terms);
      }
    }
    if (whole && !is_omitted("stage")) {
      for (std::int32_t stage : points_.detailed) {
        const auto cut =
            stage_cut(problem_, program_, columns, stage, kInfinity);
        if (cut) add_stage_row(problem_.graph, program_, *cut, extra_, model);
      }
    }
    return model.num_rows() > before;
  }

  const Problem problem_;
  const Variant variant_;
  const Lives lives_;
  const SplitPoints points_;
  SplitProgram program_;
  LpSession session_;
  std::map<std::int32_t, ColumnId> extra_;
};

Cost truth(const Graph& graph, Bytes budget) {
  const Problem problem{graph, budget, OrderRule::kFixed};
  const Proposal proposal = propose_exhaustive(problem, {});
  if (proposal.infeasible) return kInfinity;
  return replay(graph, *proposal.plan, OrderRule::kFixed)->cost;
}

Cost optimum(const Graph& graph, Bytes budget, Variant variant = {}) {
  return FinestProgram({graph, budget, OrderRule::kFixed}, std::move(variant))
      .optimum();
}

Cost relaxation(const Graph& graph, Bytes budget, Variant variant = {}) {
  return FinestProgram({graph, budget, OrderRule::kFixed}, std::move(variant))
      .relaxation();
}

TensorSpec tensor(std::string name, Bytes bytes) {
  return {.name = std::move(name),
          .bytes = bytes,
          .storage_of = {},
          .is_output = false};
}

OpSpec op(std::string name, std::vector<std::string> inputs,
          std::vector<TensorSpec> outputs, Cost cost = 1) {
  OpSpec spec;
  spec.op.name = std::move(name);
  spec.op.cost = cost;
  spec.inputs = std::move(inputs);
  spec.outputs = std::move(outputs);
  return spec;
}

// The finest program is exact, without any other bound or search beside it.
TEST(SplitAblation, HasTheOptimumOfBruteForceWithAllRows) {
  Random random(95);
  for (int i = 0; i < 1000 && !HasFailure(); ++i) {
    const int ops = static_cast<int>(random.between(2, 7));
    const Graph graph =
        random_graph(random, {.ops = ops, .many_outputs = ops <= 5});
    const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
    const Bytes budget = random.between(floor, keep_all_peak(graph));
    const Cost expected = truth(graph, budget);
    const Cost got = optimum(graph, budget);
    if (expected == kInfinity) {
      EXPECT_EQ(got, kInfinity) << "budget " << budget << "\n" << show(graph);
    } else {
      EXPECT_NEAR(got, expected, 1e-5) << "budget " << budget << "\n"
                                       << show(graph);
    }
  }
}

// The rows that say what happens between stages; those below only repeat it for
// the relaxation, or look into stages.
const Families kStrengthening = {"path", "rerun", "last_rerun", "stage"};

Variant core_without(const std::string& family) {
  Variant variant{.omitted = kStrengthening};
  variant.omitted.insert(family);
  return variant;
}

TEST(SplitAblation, IsWrongWithoutAnyOfTheRowsBetweenStages) {
  const Graph chain = unit_chain(6);
  ASSERT_EQ(truth(chain, 4), 18);
  EXPECT_NEAR(optimum(chain, 4), 18, 1e-6);
  EXPECT_NEAR(optimum(chain, 4, {.omitted = kStrengthening}), 18, 1e-6);
  for (const char* family : {"keep_ends", "restore", "inputs", "memory"}) {
    EXPECT_LT(optimum(chain, 4, core_without(family)), 17.5) << family;
  }
}

// A view that shares the storage of what it shows: one block of memory while
// either is live.
TEST(SplitAblation, IsWrongWithoutBlockLives) {
  TensorSpec shown = tensor("v", 4);
  shown.storage_of = "a";
  const Graph graph = GraphBuilder()
                          .add_op("a", {}, 4, 5)
                          .add_op(op("v", {"a"}, {shown}))
                          .add_op("big", {}, 5)
                          .add_op("end", {"a", "v"}, 1)
                          .build()
                          .value();
  ASSERT_EQ(truth(graph, 8), 14);
  EXPECT_NEAR(optimum(graph, 8, {.omitted = kStrengthening}), 14, 1e-6);
  EXPECT_NEAR(optimum(graph, 8, core_without("block_lives")), 8, 1e-6);
}

// a2 is cheap to rerun, but not while the expensive h is held: a0 is large. The
// last of the reruns does not see a0.
TEST(SplitAblation, IsWeakerWithoutRerun) {
  const Graph graph = GraphBuilder()
                          .add_op("a0", {}, 4)
                          .add_op("a1", {"a0"}, 1)
                          .add_op("a2", {"a1"}, 1)
                          .add_op("h", {}, 2, 10)
                          .add_op("big", {}, 3)
                          .add_op("read_a", {"a1", "a2"}, 1)
                          .add_op("read_h", {"h"}, 1)
                          .build()
                          .value();
  ASSERT_EQ(truth(graph, 5), 26);
  EXPECT_NEAR(optimum(graph, 5, {.omitted = {"stage"}}), 26, 1e-6);
  EXPECT_NEAR(optimum(graph, 5, {.omitted = {"stage", "rerun"}}), 19, 1e-6);
}

// Whichever of a1 and b1 is made last, the other one is there already.
TEST(SplitAblation, IsWeakerWithoutLastRerun) {
  const Graph graph = GraphBuilder()
                          .add_op("a0", {}, 4)
                          .add_op("a1", {"a0"}, 2)
                          .add_op("b0", {}, 4)
                          .add_op("b1", {"b0"}, 2)
                          .add_op("big", {}, 5)
                          .add_op("end", {"a1", "b1"}, 1)
                          .build()
                          .value();
  ASSERT_EQ(truth(graph, 6), kInfinity);
  EXPECT_EQ(optimum(graph, 6, {.omitted = {"stage"}}), kInfinity);
  EXPECT_LT(optimum(graph, 6, {.omitted = {"stage", "last_rerun"}}), kInfinity);
}

// Each rerun fits on its own, and the last one beside what it finds, but not
// those before it.
TEST(SplitAblation, IsWrongWithoutStage) {
  const Graph graph = GraphBuilder()
                          .add_op("a0", {}, 2)
                          .add_op("a1", {"a0"}, 1)
                          .add_op("a2", {"a1"}, 1)
                          .add_op("b0", {}, 2)
                          .add_op("b1", {"b0"}, 1)
                          .add_op("b2", {"b1"}, 1)
                          .add_op("big", {}, 3)
                          .add_op("end", {"a2", "b2"}, 1)
                          .build()
                          .value();
  ASSERT_EQ(truth(graph, 3), kInfinity);
  EXPECT_EQ(optimum(graph, 3), kInfinity);
  EXPECT_LT(optimum(graph, 3, {.omitted = {"stage"}}), kInfinity);
}

// Path rows change no optimum; they are for the relaxation.
TEST(SplitAblation, HasAWeakerRelaxationWithoutPath) {
  const Graph chain = unit_chain(8);
  const Cost with = relaxation(chain, 4);
  EXPECT_LE(with, 26);
  EXPECT_GT(with, relaxation(chain, 4, {.omitted = {"path"}}) + 1);
}

// x is read before and after a stage in which it has to make room for q, from
// which p is made again.
TEST(SplitAblation, IsWrongIfWhatIsTouchedOnBothSidesIsTakenForLive) {
  const Graph graph = GraphBuilder()
                          .add_op("q", {}, 4)
                          .add_op("p", {"q"}, 1)
                          .add_op("x", {}, 4)
                          .add_op("big", {"x"}, 3)
                          .add_op("end", {"x", "p"}, 1)
                          .build()
                          .value();
  ASSERT_EQ(truth(graph, 7), 8);
  EXPECT_NEAR(optimum(graph, 7), 8, 1e-6);
  EXPECT_EQ(optimum(graph, 7, {.hold_between_touches = true}), kInfinity);
}

// The integer gap program with charges as given.
Cost gap_optimum(const Problem& problem, const GapProgram& program) {
  const ProgramUnits units = program_units(problem.graph);
  const LpSolution answer =
      solve_integers(gap_model(problem.graph, program, units), {});
  return units.cost_from(answer.objective);
}

// One rerun of p brings back both outputs.
TEST(GapAblation, IsWrongIfSiblingsAreChargedARerunEach) {
  const Graph graph = GraphBuilder()
                          .add_op(op("p", {}, {tensor("a", 3), tensor("b", 3)}))
                          .add_op("big", {}, 5)
                          .add_op("end", {"a", "b"}, 1)
                          .build()
                          .value();
  const Problem problem{graph, 7, OrderRule::kFixed};
  ASSERT_EQ(truth(graph, 7), 4);
  GapProgram program = gap_program(problem);
  EXPECT_NEAR(gap_optimum(problem, program), 4, 1e-6);
  for (Gap& gap : program.gaps) gap.cost = graph.op(*gap.root).cost;
  EXPECT_NEAR(gap_optimum(problem, program), 5, 1e-6);
}

}  // namespace
}  // namespace rematch
