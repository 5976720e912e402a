// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/realise.h"

#include <gtest/gtest.h>

#include "rematch/base/random.h"
#include "rematch/graph/graph_builder.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/gap/slack_tree.h"

namespace rematch {
namespace {

// a is needed again at the end; b and c need room in between.
Graph waiting() {
  return GraphBuilder()
      .add_op("a", {}, 10, 7)
      .add_op("b", {}, 20)
      .add_op("c", {}, 30)
      .add_op("d", {"a"}, 1)
      .build()
      .value();
}

TEST(Realise, RecomputesWhatIsEvicted) {
  const Graph graph = waiting();
  const GapProgram program = gap_program({graph, 35, OrderRule::kFixed});
  Meter meter{Limits{}};
  const auto held = realise(graph, program, {false}, meter);
  const auto evicted = realise(graph, program, {true}, meter);
  EXPECT_EQ(replay(graph, *held, OrderRule::kFixed)->peak, 40);
  EXPECT_EQ(replay(graph, *evicted, OrderRule::kFixed)->peak, 30);
  EXPECT_EQ(replay(graph, *evicted, OrderRule::kFixed)->cost, 10 + 7);
}

TEST(RoundedEvictions, TakeBackWhatIsNotNeeded) {
  const Graph graph = GraphBuilder()
                          .add_op("dear", {}, 10, 9)
                          .add_op("cheap", {}, 10, 1)
                          .add_op("big", {}, 30)
                          .add_op("end", {"dear", "cheap"}, 1)
                          .build()
                          .value();
  const GapProgram program = gap_program({graph, 40, OrderRule::kFixed});
  ASSERT_EQ(program.gaps.size(), 2u);
  EXPECT_EQ(rounded_evictions(program, {0.5, 0.5}),
            (std::vector<bool>{false, true}));
}

// One rerun of an op brings back all its outputs: it does not pay to evict the
// small one here and the large one there.
TEST(RoundedEvictions, TakeBackWhatOneRerunBringsBackTogether) {
  GraphBuilder builder;
  for (const char* op : {"a", "b"}) {
    OpSpec spec;
    spec.op.name = op;
    spec.op.cost = 5;
    for (const auto& [part, bytes] : {std::pair(".large", 10), {".small", 1}}) {
      spec.outputs.emplace_back().name = spec.op.name + part;
      spec.outputs.back().bytes = bytes;
    }
    builder.add_op(spec);
  }
  builder.add_op("big", {}, 30)
      .add_op("end", {"a.large", "b.large"}, 1)
      .add_op("last", {"a.small", "b.small"}, 1);
  const Graph graph = builder.build().value();
  const GapProgram program = gap_program({graph, 41, OrderRule::kFixed});
  ASSERT_EQ(program.gaps.size(), 4u);
  // The large one of a, the small one of b.
  EXPECT_EQ(rounded_evictions(program, {1, 0, 0, 1}),
            (std::vector<bool>{false, false, true, true}));
}

TEST(WithoutNeedlessRuns, HoldsInsteadWhereThereIsRoom) {
  const Graph graph = waiting();
  const std::vector<OpId> twice = {OpId(0), OpId(1), OpId(2), OpId(0), OpId(3)};
  Meter meter{Limits{}};
  const Plan plan = plan_from_sequence(graph, twice);
  const Plan roomy = without_needless_runs(graph, 40, plan, meter);
  EXPECT_EQ(replay(graph, roomy, OrderRule::kFixed)->cost, 10);
  EXPECT_EQ(without_needless_runs(graph, 39, plan, meter), plan);
}

TEST(SlackTree, AgreesWithAPlainArray) {
  Random random(31);
  std::vector<Bytes> plain;
  for (int i = 0; i < 23; ++i) plain.push_back(random.between(-50, 50));
  SlackTree tree(plain);
  for (int i = 0; i < 500; ++i) {
    std::size_t a = random.below(plain.size());
    std::size_t b = random.below(plain.size());
    if (a > b) std::swap(a, b);
    const Bytes change = random.between(-9, 9);
    tree.add(a, b, change);
    for (std::size_t k = a; k <= b; ++k) plain[k] += change;
    std::size_t c = random.below(plain.size());
    std::size_t d = random.below(plain.size());
    if (c > d) std::swap(c, d);
    EXPECT_EQ(
        tree.least(c, d),
        *std::min_element(plain.begin() + static_cast<std::ptrdiff_t>(c),
                          plain.begin() + static_cast<std::ptrdiff_t>(d) + 1));
  }
}

}  // namespace
}  // namespace rematch
