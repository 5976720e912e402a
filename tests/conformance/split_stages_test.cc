// SPDX-License-Identifier: Apache-2.0
// The search of single stages against brute force over all sets of what is
// live.
#include <algorithm>
#include <limits>
#include <queue>
#include <vector>

#include <gtest/gtest.h>

#include "rematch/plan/floor.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/split/stage_fit.h"
#include "rematch/solve/split/stage_oracle.h"
#include "support/graphs.h"
#include "support/split_points.h"

namespace rematch {
namespace {

constexpr Cost kNone = std::numeric_limits<Cost>::infinity();
constexpr int kManyStates = 1'000'000;

struct Stage {
  std::int32_t number = 0;
  LiveSet available;
  LiveSet wanted;
};

// Graph outputs stay, so they are both.
Stage random_stage(Random& random, const Graph& graph, const Lives& lives) {
  Stage stage{static_cast<std::int32_t>(
                  random.between(1, static_cast<int>(graph.num_ops()))),
              LiveSet(lives.all.size()), LiveSet(lives.all.size())};
  for (LifeId id : lives.all.ids()) {
    const Life& life = lives.all[id];
    if (life.birth() >= stage.number) continue;
    stage.available[id] = life.pinned || random.below(3) == 0;
    stage.wanted[id] = life.pinned || random.below(3) == 0;
  }
  return stage;
}

using Mask = std::uint32_t;

Mask mask_of(const LiveSet& set) {
  Mask mask = 0;
  for (LifeId id : set.ids()) {
    if (set[id]) mask |= Mask{1} << id.index();
  }
  return mask;
}

Mask mask_of(const std::vector<LifeId>& list) {
  Mask mask = 0;
  for (LifeId id : list) mask |= Mask{1} << id.index();
  return mask;
}

// Forwards over sets of lives, by cost.
class BruteForce {
 public:
  BruteForce(const Problem& problem, const Lives& lives, const Stage& stage)
      : problem_(problem), lives_(lives), stage_(stage) {}

  Cost least() {
    best_.assign(std::size_t{1} << lives_.all.size(), kNone);
    reach(mask_of(stage_.available), 0);
    const Mask wanted = mask_of(stage_.wanted);
    while (!queue_.empty()) {
      const auto [cost, live] = queue_.top();
      queue_.pop();
      if (cost > best_[live]) continue;
      if ((live & wanted) == wanted) return cost;
      for (LifeId id : lives_.all.ids()) {
        if (!lives_.all[id].pinned) {
          reach(live & ~(Mask{1} << id.index()), cost);
        }
      }
      for (OpId op : IdRange<OpId>(OpId(0), OpId(stage_.number))) {
        run(op, live, cost);
      }
    }
    return kNone;
  }

 private:
  using Entry = std::pair<Cost, Mask>;

  void reach(Mask live, Cost cost) {
    if (cost >= best_[live]) return;
    best_[live] = cost;
    queue_.emplace(cost, live);
  }

  void run(OpId op, Mask live, Cost cost) {
    const Mask read = mask_of(lives_.read_by[op]);
    if (!problem_.graph.op(op).recomputable || (live & read) != read) return;
    const Mask after = live | mask_of(lives_.written_by[op]);
    Bytes bytes =
        problem_.graph.fixed_bytes() + problem_.graph.op(op).workspace;
    for (StorageId storage : problem_.graph.storages()) {
      if ((after & mask_of(lives_.lives_in[storage])) != 0) {
        bytes += problem_.graph.storage(storage).bytes;
      }
    }
    if (bytes <= problem_.budget) {
      reach(after, cost + problem_.graph.op(op).cost);
    }
  }

  const Problem& problem_;
  const Lives& lives_;
  const Stage& stage_;
  std::vector<Cost> best_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

class Stages : public testing::Test {
 protected:
  template <class Check>
  void for_stages(int count, const Check& check) {
    for (int i = 0; i < count && !HasFailure(); ++i) {
      const int ops = static_cast<int>(random_.between(2, 8));
      const Graph graph =
          random_graph(random_, {.ops = ops, .many_outputs = ops <= 6});
      const Lives lives = find_lives(graph);
      if (lives.all.size() > 12) continue;
      const Bytes floor = peak_floor(graph, OrderRule::kFixed).bytes;
      const Problem problem{graph, random_.between(floor, keep_all_peak(graph)),
                            OrderRule::kFixed};
      const Stage stage = random_stage(random_, graph, lives);
      SCOPED_TRACE("stage " + std::to_string(stage.number) + ", budget " +
                   std::to_string(problem.budget) + ", available " +
                   std::to_string(mask_of(stage.available)) + ", wanted " +
                   std::to_string(mask_of(stage.wanted)) + "\n" + show(graph));
      check(problem, lives, stage);
    }
  }

  static StageAnswer solve(const Problem& problem, const Lives& lives,
                           const Stage& stage, Cost limit = kNone,
                           int states = kManyStates) {
    return solve_stage(problem, lives, stage.number, stage.available,
                       stage.wanted, limit, states);
  }

  Random random_{85};
};

TEST_F(Stages, AreSolvedAsBruteForceDoes) {
  int with_reruns = 0;
  int without_way = 0;
  for_stages(4000, [&](const Problem& problem, const Lives& lives,
                       const Stage& stage) {
    const Cost truth = BruteForce(problem, lives, stage).least();
    const StageAnswer answer = solve(problem, lives, stage);
    EXPECT_EQ(answer.least, truth);
    EXPECT_EQ(answer.solved, truth < kNone);
    Cost cost = 0;
    for (OpId op : answer.order) cost += problem.graph.op(op).cost;
    if (answer.solved) {
      EXPECT_EQ(cost, truth);
    }
    with_reruns += answer.order.empty() ? 0 : 1;
    without_way += answer.solved ? 0 : 1;
  });
  EXPECT_GT(with_reruns, 500);
  EXPECT_GT(without_way, 300);
}

// What is proved before the search is cut off is below the truth.
TEST_F(Stages, AreBoundedFromBelowWithinAnyLimit) {
  for_stages(4000, [&](const Problem& problem, const Lives& lives,
                       const Stage& stage) {
    const Cost truth = solve(problem, lives, stage).least;
    const auto limit = static_cast<Cost>(random_.between(0, 12));
    const StageAnswer limited = solve(problem, lives, stage, limit);
    EXPECT_LE(limited.least, truth);
    EXPECT_EQ(limited.solved, truth <= limit);
    EXPECT_EQ(limited.least > limit, truth > limit);
    const int states = static_cast<int>(random_.between(1, 4));
    const StageAnswer hurried = solve(problem, lives, stage, kNone, states);
    EXPECT_LE(hurried.least, truth);
    if (hurried.solved) {
      EXPECT_EQ(hurried.least, truth);
    }
  });
}

TEST_F(Stages, CostNoMoreIfMoreIsAvailableOrLessIsWanted) {
  for_stages(4000, [&](const Problem& problem, const Lives& lives,
                       const Stage& stage) {
    const StageAnswer answer = solve(problem, lives, stage);
    for (LifeId id : lives.all.ids()) {
      if (lives.all[id].birth() >= stage.number || lives.all[id].pinned) {
        continue;
      }
      Stage easier = stage;
      easier.available[id] = true;
      easier.wanted[id] = false;
      EXPECT_LE(solve(problem, lives, easier).least, answer.least);
      // Whether it is available matters only to those that are listed.
      if (std::find(answer.relevant.begin(), answer.relevant.end(), id) !=
          answer.relevant.end()) {
        continue;
      }
      Stage other = stage;
      other.available[id] = !other.available[id];
      EXPECT_EQ(solve(problem, lives, other).least, answer.least);
    }
  });
}

// Rearranging the reruns of single stages never makes a plan larger.
TEST(WithFittingStages, NeverRaisesThePeakOfAPlan) {
  Random random(86);
  int fixed = 0;
  for (int i = 0; i < 3000; ++i) {
    const Graph graph =
        random_graph(random, {.ops = static_cast<int>(random.between(4, 9))});
    const Plan plan = random_plan(random, graph);
    const Bytes peak = replay(graph, plan, OrderRule::kFixed)->peak;
    const Problem problem{graph, peak - 1, OrderRule::kFixed};
    const Plan other = with_fitting_stages(problem, find_lives(graph), plan);
    const auto measured = replay(graph, other, OrderRule::kFixed);
    ASSERT_TRUE(measured.ok()) << show(graph);
    EXPECT_LE(measured->peak, peak) << show(graph);
    if (measured->peak < peak) ++fixed;
    const Overflow overflow = overflow_of(problem, plan);
    EXPECT_FALSE(overflow.first_runs.empty() && overflow.reruns.empty());
  }
  EXPECT_GT(fixed, 50);
}

}  // namespace
}  // namespace rematch
