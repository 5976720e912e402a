// SPDX-License-Identifier: Apache-2.0
// The annealer's schedule agrees with replay after every change, on graphs with
// every feature. REMATCH_MOVES sets how many changes are tried per graph
// (default 1,500).
#include "rematch/solve/anneal/schedule.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "support/graphs.h"

namespace rematch {
namespace {

int moves() {
  const char* wanted = std::getenv("REMATCH_MOVES");
  return wanted == nullptr ? 1'500 : std::atoi(wanted);
}

std::vector<OpId> every_op(const Graph& graph) {
  std::vector<OpId> sequence;
  for (OpId op : graph.ops()) sequence.push_back(op);
  return sequence;
}

// Peak, cost, excess and the footprint of every run.
void expect_as_replayed(const Schedule& schedule) {
  const Graph& graph = schedule.graph();
  const std::vector<OpId> sequence = schedule.sequence();
  const Plan plan = plan_from_sequence(graph, sequence);
  const auto measured = replay(graph, plan, OrderRule::kFree);
  ASSERT_TRUE(measured.ok()) << measured.error().message << show(graph);
  ASSERT_EQ(schedule.peak(), measured->peak) << show(graph);
  ASSERT_NEAR(schedule.extra_cost() + graph.base_cost(), measured->cost, 1e-6)
      << show(graph);
  std::int64_t excess = 0;
  RunId run = schedule.next_from(0);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (!plan.steps[i].is_compute()) continue;
    ASSERT_NE(run, kNoRun);
    ASSERT_EQ(schedule.op(run), plan.steps[i].op());
    ASSERT_EQ(schedule.profile().load(schedule.slot(run)),
              measured->footprint[i])
        << "step " << i << "\n"
        << show(graph);
    excess += std::max<Bytes>(0, measured->footprint[i] - schedule.budget());
    run = schedule.next(run);
  }
  ASSERT_EQ(run, kNoRun);
  ASSERT_EQ(schedule.excess(), excess);
  ASSERT_EQ(schedule.fits(), measured->peak <= schedule.budget());
}

class RandomChanges {
 public:
  RandomChanges(Schedule& schedule, Random& random)
      : schedule_(schedule), graph_(schedule.graph()), random_(random) {}

  void change() {
    switch (random_.below(8)) {
      case 0:
      case 1:
      case 2:
        insert();
        return;
      case 3:
        remove();
        return;
      case 4:
        shift();
        return;
      case 5:
        move_first();
        return;
      case 6:
        schedule_.undo_to(random_.below(schedule_.mark() + 1));
        return;
      default:
        if (random_.below(4) == 0) schedule_.commit();
        if (random_.below(40) == 0) schedule_.assign(schedule_.sequence());
    }
  }

 private:
  // A run after the first run of the op, or the end.
  RunId place_after_first(OpId op) {
    const std::size_t begin = schedule_.slot(RunId(op.value)) + 1;
    const std::size_t slots = schedule_.profile().size();
    return schedule_.next_from(begin + random_.below(slots - begin + 1));
  }

  void insert() {
    if (schedule_.reruns().size() > 20 * graph_.num_ops()) return;
    const OpId op(random_.below(graph_.num_ops()));
    if (!graph_.op(op).recomputable) return;
    schedule_.insert(op, place_after_first(op));
  }

  RunId any_rerun() {
    return schedule_.reruns()[random_.below(schedule_.reruns().size())];
  }

  void remove() {
    if (schedule_.reruns().empty()) return;
    const RunId run = any_rerun();
    const bool useless = schedule_.is_useless(run);
    const Bytes peak = schedule_.peak();
    schedule_.remove(run);
    if (useless) {
      EXPECT_LE(schedule_.peak(), peak);
    }
  }

  void shift() {
    if (schedule_.reruns().empty()) return;
    const RunId run = any_rerun();
    schedule_.move(run, place_after_first(schedule_.op(run)));
  }

  // To anywhere between what it needs and what needs it. What runs once stays.
  void move_first() {
    const OpId op(random_.below(graph_.num_ops()));
    if (!graph_.op(op).recomputable) return;
    std::size_t begin = 0;
    for (TensorId input : graph_.inputs(op)) {
      if (graph_.is_input(input)) continue;
      const RunId producer(graph_.tensor(input).producer->value);
      begin = std::max(begin, schedule_.slot(producer) + 1);
    }
    std::size_t end = schedule_.profile().size();
    for (TensorId output : graph_.outputs(op)) {
      for (OpId reader : graph_.readers(output)) {
        end = std::min(end, schedule_.slot(RunId(reader.value)));
      }
    }
    const auto runs = schedule_.runs(op);
    if (runs.size() > 1) end = std::min(end, schedule_.slot(runs[1]));
    schedule_.move(RunId(op.value),
                   schedule_.next_from(begin + random_.below(end - begin + 1)));
  }

  Schedule& schedule_;
  const Graph& graph_;
  Random& random_;
};

void try_changes(const Graph& graph, Random& random, int count) {
  const TouchTable table(graph);
  const Bytes budget = random.between(0, keep_all_peak(graph));
  Schedule schedule(graph, table, budget, every_op(graph));
  expect_as_replayed(schedule);
  RandomChanges changes(schedule, random);
  for (int i = 0; i < count && !testing::Test::HasFatalFailure(); ++i) {
    changes.change();
    if (random.below(100) == 0) schedule.set_budget(random.between(0, budget));
    expect_as_replayed(schedule);
  }
}

TEST(Schedule, AgreesWithReplayOnSmallGraphs) {
  Random random(21);
  for (int i = 0; i < 20 && !HasFatalFailure(); ++i) {
    const int ops = static_cast<int>(random.between(1, 12));
    try_changes(random_graph(random, {.ops = ops}), random, moves());
  }
}

TEST(Schedule, AgreesWithReplayOnMiddlingGraphs) {
  Random random(22);
  for (int i = 0; i < 4 && !HasFatalFailure(); ++i) {
    try_changes(random_graph(random, {.ops = 60}), random, moves());
  }
}

TEST(Schedule, AgreesWithReplayOnChains) {
  Random random(23);
  for (int i = 0; i < 4 && !HasFatalFailure(); ++i) {
    try_changes(random_chain(random, 40), random, moves());
  }
}

// Undoing everything leads back to the same sequence.
TEST(Schedule, UndoesExactly) {
  Random random(24);
  for (int i = 0; i < 20; ++i) {
    const Graph graph = random_graph(random, {.ops = 20});
    const TouchTable table(graph);
    Schedule schedule(graph, table, 10, every_op(graph));
    RandomChanges changes(schedule, random);
    for (int k = 0; k < 50; ++k) changes.change();
    schedule.commit();
    const std::vector<OpId> before = schedule.sequence();
    for (int k = 0; k < 200; ++k) {
      for (RunId run : std::vector<RunId>(schedule.reruns().begin(),
                                          schedule.reruns().end())) {
        if (random.below(3) == 0) schedule.remove(run);
      }
      for (OpId op : graph.ops()) {
        if (graph.op(op).recomputable) schedule.insert(op, kNoRun);
      }
      schedule.undo_to(0);
      ASSERT_EQ(schedule.sequence(), before);
      expect_as_replayed(schedule);
    }
  }
}

}  // namespace
}  // namespace rematch
