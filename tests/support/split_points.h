// SPDX-License-Identifier: Apache-2.0
// Plans as points of a split program: the test that a program cuts off no plan
// is that every row holds there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rematch/base/random.h"
#include "rematch/lp/linear_model.h"
#include "rematch/plan/plan.h"
#include "rematch/solve/split/reruns.h"
#include "rematch/solve/split/split_program.h"

namespace rematch {

// What a valid plan in the fixed order does between first computations.
class PlanTrace {
 public:
  PlanTrace(const Graph& graph, const Plan& plan);

  // During the first computation of op `stage`.
  bool is_live(TensorId tensor, std::int32_t stage) const;
  // Without a break from the first computation of op `begin` to that of `end`.
  bool is_kept(TensorId tensor, std::int32_t begin, std::int32_t end) const;
  // Whether the op runs again after op `after` and before op `by` ran first.
  bool reruns(OpId op, std::int32_t after, std::int32_t by) const;
  // The last rerun before the first computation of op `stage`, after that of
  // the op before it.
  std::optional<OpId> last_rerun(std::int32_t stage) const;
  const std::vector<Rerun>& all_reruns() const { return reruns_; }
  Cost rerun_cost() const;

 private:
  const Graph& graph_;
  std::vector<Rerun> reruns_;
  // By tensor, then stage.
  IdVector<TensorId, std::vector<bool>> live_;
  IdVector<TensorId, std::vector<int>> drops_;  // So far.
};

// A plan in the fixed order with random reruns, all of which are of use: some
// output is read before the op runs again. Nothing runs again for the sake of
// tensors that take no memory.
Plan random_plan(Random& random, const Graph& graph);

// The plan without reruns that are of no use, which only makes it smaller.
Plan with_useful_reruns(const Graph& graph, const Plan& plan);

// What the plan spends on reruns that restore nothing between two touches that
// are apart: what find_lives() calls spare.
Cost spare_of(const Graph& graph, const Lives& lives, const PlanTrace& trace);

// Random moments and detailed stages.
SplitPoints random_points(Random& random, const Graph& graph);

// The values that the plan gives to all columns of the program's model, rows
// that were added later included.
std::vector<double> point_of(const SplitProgram& program,
                             const LinearModel& model, const Graph& graph,
                             const PlanTrace& trace);

// The first row that the point breaks by more than rounding, as text; empty if
// all hold.
std::string broken_row(const LinearModel& model,
                       std::span<const double> columns);

}  // namespace rematch
