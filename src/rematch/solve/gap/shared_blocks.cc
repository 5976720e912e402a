// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/shared_blocks.h"

#include <algorithm>
#include <span>
#include <vector>

#include "rematch/plan/floor.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/blocks/small_version.h"
#include "rematch/solve/gap/gap_bound.h"
#include "rematch/solve/gap/realise.h"

namespace rematch {
namespace {

// Of the small version: a multiple of the distances below.
constexpr std::size_t kBlocks = 24;
// A tensor is held in every block, or in every second one, and so on.
constexpr int kLargestDistance = 4;
constexpr int kMostSweeps = 3;
constexpr int kPasses = 3;
constexpr int kBudgetSteps = 10;
// What is cheaper by a smaller share is not worth a change; with more blocks it
// takes more to bring back what is not held.
constexpr double kWorthIt = 1e-6;
constexpr double kWorthLosing = 1e-4;
// Recomputations need room of their own: shares of the room, of 256.
constexpr int kPartsOfSmall[] = {256, 252, 246, 236};
constexpr int kPartsOfAll[] = {256, 255, 254, 252, 248, 242, 232};

// An output of an op of a block.
struct Position {
  std::size_t op = 0;  // In the block.
  std::size_t output = 0;
};

StorageId storage_at(const Graph& graph, const Repeat& repeat,
                     std::size_t block, const Position& position) {
  const OpId op(repeat.first + block * repeat.period + position.op);
  return graph.tensor(graph.outputs(op)[position.output]).storage;
}

// By position: in every how manieth block it is held; 0: nowhere for certain.
using Holding = std::vector<int>;

IdVector<StorageId, bool> held_storages(const Graph& graph,
                                        const Repeat& repeat,
                                        const std::vector<Position>& positions,
                                        const Holding& holding) {
  IdVector<StorageId, bool> held(graph.num_storages());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (holding[i] == 0) continue;
    for (std::size_t block = 0; block < repeat.count;
         block += static_cast<std::size_t>(holding[i])) {
      held[storage_at(graph, repeat, block, positions[i])] = true;
    }
  }
  return held;
}

// Offers the plan that holds what it is told to, within the given parts of the
// room until it fits.
void offer_holding(const Problem& problem,
                   const IdVector<StorageId, bool>& held,
                   std::span<const int> parts, BestPlan& incumbent,
                   Meter& meter) {
  const Graph& graph = problem.graph;
  const Bytes room = problem.budget - graph.fixed_bytes();
  for (int part : parts) {
    if (meter.stop()) return;
    const Problem tighter{graph, problem.budget - room / 256 * (256 - part),
                          OrderRule::kFixed};
    const GapProgram program = gap_program_holding(tighter, held);
    const auto evicted = gap_bound(tighter, program, meter, kPasses).evicted;
    auto plan =
        realise(graph, program, rounded_evictions(program, evicted), meter);
    if (!plan) return;
    BestPlan one(problem);
    one.offer(*std::move(plan));
    if (!one.fits()) continue;
    incumbent.offer(
        without_needless_runs(graph, problem.budget, one.plan(), meter), "gap");
    return;
  }
}

// The budget at which the bound on the reruns of the small version is `extra`,
// about.
Bytes budget_for(const Graph& graph, Cost extra, Meter& meter) {
  Bytes low = peak_floor(graph, OrderRule::kFixed).bytes;
  Bytes high = keep_all_peak(graph);
  for (int step = 0; step < kBudgetSteps && low < high; ++step) {
    const Problem problem{graph, low + (high - low) / 2, OrderRule::kFixed};
    const Cost bound =
        gap_bound(problem, gap_program(problem), meter, kPasses).lower_bound;
    (bound - graph.base_cost() > extra ? low : high) = problem.budget;
  }
  return high;
}

// Which positions are of use to hold, by trying.
class HoldingSearch {
 public:
  HoldingSearch(const Problem& problem, const Repeat& forward, Meter& meter)
      : problem_(problem),
        graph_(problem.graph),
        forward_(forward),
        meter_(meter) {
    find_positions();
  }

  const std::vector<Position>& positions() const { return positions_; }

  // The best after so many sweeps over all positions; and others that may be
  // better with more blocks.
  std::vector<Holding> run(int sweeps) {
    Holding best(positions_.size(), 0);
    Cost cost = cost_of(best);
    begin_with_traits(best, cost);
    const Holding begun = best;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      if (!improve(best, cost) || meter_.reason()) break;
    }
    std::vector<Holding> found = {best};
    if (begun != best) found.push_back(begun);
    Holding whole = best;
    for (int& every : whole) every = every > 1 ? 0 : every;
    if (whole != best && whole != begun) found.push_back(whole);
    return found;
  }

 private:
  std::size_t middle() const { return forward_.count / 2; }

  // Those with a gap in a block in the middle.
  void find_positions() {
    IdVector<StorageId, bool> has_gap(graph_.num_storages());
    for (const Gap& gap : gap_program(problem_).gaps) {
      has_gap[gap.storage] = true;
    }
    for (std::size_t i = 0; i < forward_.period; ++i) {
      const OpId op(forward_.first + middle() * forward_.period + i);
      for (std::size_t j = 0; j < graph_.outputs(op).size(); ++j) {
        const Position position{i, j};
        const StorageId storage =
            storage_at(graph_, forward_, middle(), position);
        if (!has_gap[storage]) continue;
        has_gap[storage] = false;  // Views do not count.
        positions_.push_back(position);
      }
    }
  }

  // Whether later blocks read it.
  bool reaches_out(const Position& position) const {
    const StorageId storage = storage_at(graph_, forward_, middle(), position);
    const OpId end(forward_.first + (middle() + 1) * forward_.period);
    const auto tensors = graph_.tensors_in(storage);
    return std::ranges::any_of(tensors, [&](TensorId tensor) {
      return std::ranges::any_of(graph_.readers(tensor), [&](OpId reader) {
        return end <= reader && reader.index() < forward_.end();
      });
    });
  }

  // Whether several ops of the forward pass read it, as they do the stream past
  // which a block works.
  bool is_read_often(const Position& position) const {
    const OpId op(forward_.first + middle() * forward_.period + position.op);
    const TensorId tensor = graph_.outputs(op)[position.output];
    return std::ranges::count_if(graph_.readers(tensor), [&](OpId reader) {
             return reader.index() < forward_.end();
           }) > 1;
  }

  // Whether another output of the op is larger.
  bool is_by_product(const Position& position) const {
    const OpId op(forward_.first + middle() * forward_.period + position.op);
    const auto outputs = graph_.outputs(op);
    return std::ranges::any_of(outputs, [&](TensorId tensor) {
      return graph_.tensor(tensor).bytes >
             graph_.tensor(outputs[position.output]).bytes;
    });
  }

  Cost cost_of(const Holding& holding) {
    BestPlan found(problem_);
    const auto held = held_storages(graph_, forward_, positions_, holding);
    offer_holding(problem_, held, kPartsOfSmall, found, meter_);
    return found.cost();
  }

  // What later blocks read, what is read often, by-products: holds them, too,
  // unless that is dearer.
  void begin_with_traits(Holding& best, Cost& cost) {
    Holding held = best;
    for (const auto trait :
         {&HoldingSearch::reaches_out, &HoldingSearch::is_read_often,
          &HoldingSearch::is_by_product}) {
      for (std::size_t i = 0; i < held.size(); ++i) {
        if ((this->*trait)(positions_[i])) held[i] = 1;
      }
      const Cost now = cost_of(held);
      if (now > cost * (1 + kWorthIt)) continue;
      cost = std::min(now, cost);
      best = held;
    }
  }

  // Changes one position after the other, if that makes it cheaper.
  bool improve(Holding& best, Cost& cost) {
    bool is_better = false;
    for (std::size_t i = 0; i < best.size(); ++i) {
      Holding trial = best;
      for (int every = 0; every <= kLargestDistance; ++every) {
        if (every == best[i] || (every > 1 && !reaches_out(positions_[i]))) {
          continue;
        }
        trial[i] = every;
        const Cost now = cost_of(trial);
        const bool holds_more = best[i] == 0 || (every > 0 && every < best[i]);
        if (now > cost * (1 - (holds_more ? kWorthIt : kWorthLosing))) continue;
        cost = now;
        best = trial;
        is_better = true;
      }
    }
    return is_better;
  }

  const Problem& problem_;
  const Graph& graph_;
  Repeat forward_;
  Meter& meter_;
  std::vector<Position> positions_;
};

// What to hold, best first.
struct SharedSearch {
  std::vector<Position> positions;
  std::vector<Holding> holdings;
};

SharedSearch run_search(const Problem& problem, const Repeat& forward,
                        int sweeps, Meter& meter) {
  HoldingSearch search(problem, forward, meter);
  auto holdings = search.run(sweeps);
  return {search.positions(), std::move(holdings)};
}

// On the graph itself if it has few blocks: then other searches do as well, and
// little time is spent here.
SharedSearch search_shared(const Problem& problem, const BlockPair& pair,
                           Cost bound, Meter& meter) {
  const std::size_t count = pair.forward.count;
  if (count <= 2 * kBlocks) return run_search(problem, pair.forward, 0, meter);
  const auto small = with_fewer_blocks(problem.graph, pair, kBlocks);
  if (!small) return {};
  const double share =
      static_cast<double>(kBlocks) / static_cast<double>(count);
  const Cost extra = share * (bound - problem.graph.base_cost());
  const Problem reduced{small->graph, budget_for(small->graph, extra, meter),
                        OrderRule::kFixed};
  return run_search(reduced, small->forward, kMostSweeps, meter);
}

}  // namespace

void try_shared_blocks(const Problem& problem, Cost bound, BestPlan& incumbent,
                       Meter& meter) {
  const Graph& graph = problem.graph;
  const auto pair = find_block_pair(graph, find_repeats(graph));
  if (!pair || 2 * pair->num_ops() < graph.num_ops()) return;
  const SharedSearch found = search_shared(problem, *pair, bound, meter);
  for (const Holding& holding : found.holdings) {
    offer_holding(problem,
                  held_storages(graph, pair->forward, found.positions, holding),
                  kPartsOfAll, incumbent, meter);
  }
}

}  // namespace rematch
