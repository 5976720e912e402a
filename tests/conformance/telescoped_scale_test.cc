// SPDX-License-Identifier: Apache-2.0
// The telescoped program, and the paper's with it, where costs are so far apart
// that a solver's tolerances hide the small ones. What is claimed must hold;
// not everything can be proved.
#include <gtest/gtest.h>

#include "rematch/io/graph_json.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/solve.h"
#include "support/remade.h"

namespace rematch {
namespace {

void expect_holds(const Problem& problem, Formulation formulation) {
  const std::string where =
      "budget " + std::to_string(problem.budget) + "\n" + show(problem.graph);
  const Solution truth = solve(problem, *find_strategy("exhaustive"), {});
  Request request;
  request.formulation = formulation;
  const Solution got = solve(problem, *find_strategy("milp"), request);
  if (!truth.has_plan()) {
    EXPECT_FALSE(got.has_plan()) << where;
    return;
  }
  EXPECT_NE(got.outcome, Outcome::kInfeasible) << where;
  EXPECT_LE(got.lower_bound, truth.cost) << where;
  if (got.has_plan()) {
    EXPECT_GE(got.cost, truth.cost) << where;
  }
}

void expect_holds(const char* json, Bytes budget) {
  const Graph graph = graph_from_json(json).value();
  for (auto formulation :
       {Formulation::kPaper, Formulation::kTelescoped, Formulation::kSplit}) {
    expect_holds({graph, budget, OrderRule::kFixed}, formulation);
  }
}

class TelescopedScale : public testing::Test {
 protected:
  void check_many(int count, Formulation formulation) {
    for (int i = 0; i < count && !HasFailure(); ++i) {
      const Cost large = i % 2 == 0 ? 1e5 : 1e7;
      const Graph graph = remade(
          small_graph(random_),
          [&](Bytes bytes) {
            return random_.below(2) == 0 ? bytes : bytes * 10'000'000'000;
          },
          [&](Cost cost) {
            return random_.below(3) == 0 ? cost * 0.3
                                         : cost * large * random_.unit();
          });
      const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
      const Bytes budget = random_.between(floor, keep_all_peak(graph));
      expect_holds({graph, budget, OrderRule::kFixed}, formulation);
    }
  }

  Random random_{97};
};

TEST_F(TelescopedScale, ClaimsOnlyWhatHoldsOfNumbersOfAllMagnitudes) {
  check_many(1000, Formulation::kTelescoped);
}

TEST_F(TelescopedScale, ClaimsOnlyWhatHoldsOfThePapersProgram) {
  check_many(200, Formulation::kPaper);
}

// Where a stage has little room, an op may have to run twice in it; a row that
// lets each op pay only once cuts off the optimum.
TEST(TelescopedSearch, LetsAnOpRunTwiceInAStage) {
  expect_holds(R"({
  "format": "rematch.graph",
  "version": 1,
  "inputs": [
    {"name": "in0", "bytes": 39999999998}
  ],
  "ops": [
    {"name": "op0", "outputs": [{"name": "t0.0", "bytes": 50000000000},
      {"name": "t0.1", "bytes": 60000000000}], "cost": 20043554.88832462,
      "phase": "forward"},
    {"name": "op1", "outputs": [{"name": "t1.0", "bytes": 0},
      {"name": "t1.1", "bytes": 10000000000, "output": true}], "cost": 1,
      "phase": "forward"},
    {"name": "op2", "inputs": ["in0", "t0.0"],
      "outputs": [{"name": "t2.0", "bytes": 40000000001},
      {"name": "t2.1", "bytes": 30000000000},
      {"name": "t2.2", "bytes": 10000000000}], "cost": 0, "phase": "backward"},
    {"name": "op3", "inputs": ["t0.1", "t1.0", "t1.1", "t2.0"],
      "outputs": [{"name": "t3.0", "bytes": 50000000002}], "cost": 0,
      "phase": "backward", "recomputable": false},
    {"name": "op4", "inputs": ["t0.1", "t1.0", "t2.2"],
      "outputs": [{"name": "t4.0", "bytes": 50000000000, "storage_of": "t2.2"},
      {"name": "t4.1", "bytes": 10000000000, "storage_of": "t2.2"}],
      "cost": 40000000, "workspace_bytes": 10000000002, "phase": "backward"}
  ]
})",
               250'000'000'000);
}

// Two plans that differ by less than a millionth of the dearest op.
TEST(TelescopedSearch, ClaimsNoMoreThanToleranceAllows) {
  expect_holds(R"({
  "format": "rematch.graph",
  "version": 1,
  "fixed_bytes": 1,
  "inputs": [
    {"name": "in0", "bytes": 0}
  ],
  "ops": [
    {"name": "op0", "inputs": ["in0"],
      "outputs": [{"name": "t0.0", "bytes": 40000000001, "storage_of": "in0"}],
      "cost": 3, "phase": "forward"},
    {"name": "op1", "inputs": ["in0"],
      "outputs": [{"name": "t1.0", "bytes": 40000000000}], "cost": 3,
      "workspace_bytes": 1, "phase": "forward"},
    {"name": "op2", "outputs": [{"name": "t2.0", "bytes": 50000000000}],
      "cost": 50000000, "phase": "forward"},
    {"name": "op3", "outputs": [{"name": "t3.0", "bytes": 0}], "cost": 3,
      "workspace_bytes": 40000000002, "phase": "backward"},
    {"name": "op4", "inputs": ["in0", "t1.0", "t2.0"],
      "outputs": [{"name": "t4.0", "bytes": 30000000002,
                   "storage_of": "in0", "output": true}],
      "cost": 50000000, "phase": "backward"},
    {"name": "op5", "inputs": ["t0.0", "t3.0", "t4.0"],
      "outputs": [{"name": "t5.0", "bytes": 4}], "cost": 2,
      "phase": "backward"},
    {"name": "op6", "inputs": ["t1.0", "t2.0", "t3.0"],
      "outputs": [{"name": "t6.0", "bytes": 0, "output": true}], "cost": 0,
      "phase": "backward"}
  ]
})",
               130'000'000'006);
}

// Prices that are hardly more than rounding fix a column that is a fraction.
TEST(TelescopedSearch, DoesNotBranchOnAColumnThatIsFixed) {
  expect_holds(R"({
  "format": "rematch.graph",
  "version": 1,
  "ops": [
    {"name": "0", "outputs": [{"name": "0", "bytes": 40000000000}], "cost": 7,
      "phase": "forward"},
    {"name": "1", "inputs": ["0"],
      "outputs": [{"name": "1", "bytes": 10000000000}],
      "cost": 0.8999999999999999, "phase": "forward"},
    {"name": "2", "inputs": ["1"], "outputs": [{"name": "2", "bytes": 9}],
      "cost": 90000000, "phase": "forward"},
    {"name": "3", "inputs": ["2"],
      "outputs": [{"name": "3", "bytes": 10000000000}],
      "cost": 2.6999999999999997, "phase": "forward"},
    {"name": "4", "inputs": ["3"],
      "outputs": [{"name": "4", "bytes": 89999999999}],
      "cost": 2.6999999999999997},
    {"name": "5", "inputs": ["4", "3"],
      "outputs": [{"name": "5", "bytes": 80000000001}], "cost": 8,
      "phase": "backward"},
    {"name": "6", "inputs": ["5", "2"],
      "outputs": [{"name": "6", "bytes": 60000000001}], "cost": 10000000,
      "phase": "backward"},
    {"name": "7", "inputs": ["6", "1"],
      "outputs": [{"name": "7", "bytes": 90000000000}], "cost": 10000000,
      "phase": "backward"},
    {"name": "8", "inputs": ["7", "0"],
      "outputs": [{"name": "8", "bytes": 59999999998}],
      "cost": 0.8999999999999999, "phase": "backward"}
  ]
})",
               223'131'617'189);
}

}  // namespace
}  // namespace rematch
