// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/slope.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/gap/tails.h"

namespace rematch {
namespace {

// To bring back c, which is cheap, takes b and a as well; e stands alone.
Graph waiting() {
  return GraphBuilder()
      .add_op("a", {}, 1, 10)
      .add_op("b", {"a"}, 1, 10)
      .add_op("c", {"b"}, 10, 2)
      .add_op("e", {}, 10, 5)
      .add_op("big", {}, 30)
      .add_op("end", {"c", "e"}, 1)
      .build()
      .value();
}

std::size_t gap_of(const Graph& graph, const GapProgram& program,
                   std::string_view tensor) {
  for (std::size_t g = 0; g < program.gaps.size(); ++g) {
    for (TensorId id : graph.tensors()) {
      const Tensor& one = graph.tensor(id);
      if (one.name == tensor && one.storage == program.gaps[g].storage)
        return g;
    }
  }
  ADD_FAILURE() << "no gap of " << tensor;
  return 0;
}

Plan plan_of(const Graph& graph, std::initializer_list<int> ops) {
  std::vector<OpId> sequence;
  for (int op : ops) sequence.emplace_back(op);
  return plan_from_sequence(graph, sequence);
}

TEST(WithPaidCosts, ChargesAGapWithWhatItsRerunNeeds) {
  const Graph graph = waiting();
  const GapProgram program = gap_program({graph, 42, OrderRule::kFixed});
  const std::size_t c = gap_of(graph, program, "c");
  std::vector<bool> evicted(program.gaps.size(), false);
  evicted[c] = true;
  const GapProgram paid = with_paid_costs(
      graph, program, evicted, plan_of(graph, {0, 1, 2, 3, 4, 0, 1, 2, 5}));
  // 2 in the program, 22 in the plan: half of the way.
  EXPECT_DOUBLE_EQ(program.gaps[c].cost, 2);
  EXPECT_DOUBLE_EQ(paid.gaps[c].cost, 12);
  const std::size_t e = gap_of(graph, program, "e");
  EXPECT_DOUBLE_EQ(paid.gaps[e].cost, program.gaps[e].cost);
}

TEST(WithPaidCosts, RaisesThePriceThatTheRelaxationSees) {
  const Graph graph = waiting();
  const GapProgram program = gap_program({graph, 42, OrderRule::kFixed});
  const std::size_t c = gap_of(graph, program, "c");
  std::vector<bool> evicted(program.gaps.size(), false);
  evicted[c] = true;
  const GapProgram paid = with_paid_costs(
      graph, program, evicted, plan_of(graph, {0, 1, 2, 3, 4, 0, 1, 2, 5}));
  // At multipliers so high that holding c is out of the question.
  EXPECT_DOUBLE_EQ(Tails(graph, program).price(program.gaps[c]).at(100), 2);
  EXPECT_DOUBLE_EQ(Tails(graph, paid).price(paid.gaps[c]).at(100), 12);
}

TEST(WithPaidCosts, SharesWhatSeveralGapsPayTogether) {
  const Graph graph = waiting();
  const GapProgram program = gap_program({graph, 32, OrderRule::kFixed});
  std::vector<bool> evicted(program.gaps.size(), false);
  const std::size_t c = gap_of(graph, program, "c");
  const std::size_t e = gap_of(graph, program, "e");
  evicted[c] = evicted[e] = true;
  const GapProgram paid = with_paid_costs(
      graph, program, evicted, plan_of(graph, {0, 1, 2, 3, 4, 0, 1, 2, 3, 5}));
  // 7 in the program, 27 in the plan.
  EXPECT_DOUBLE_EQ(paid.gaps[c].cost, 2 * (1 + 27.0 / 7) / 2);
  EXPECT_DOUBLE_EQ(paid.gaps[e].cost, 5 * (1 + 27.0 / 7) / 2);
}

}  // namespace
}  // namespace rematch
