// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/chain_dp.h"

#include <algorithm>
#include <cmath>

#include "rematch/base/check.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/chain/block_table.h"
#include "rematch/solve/chain/blocks.h"
#include "rematch/solve/chain/reversal.h"
#include "rematch/solve/chain/uniform.h"

namespace rematch {
namespace {

constexpr std::size_t kMostBlocks = 160;
constexpr std::int64_t kMemoryUnits = 500;

Proposal solve_uniform(const Problem& problem, const UniformChain& chain,
                       Meter& meter) {
  const Bytes room = problem.budget - problem.graph.fixed_bytes();
  Proposal proposal;
  const std::int64_t slots = uniform_slots(chain, room);
  if (slots < 1) {
    proposal.infeasible = true;
    return proposal;
  }
  const auto sequence =
      reversal_sequence(chain_steps(problem.graph), slots, meter);
  if (!sequence) return stopped(*meter.reason());
  const auto runs = static_cast<std::int64_t>(sequence->size());
  REMATCH_CHECK(runs == uniform_optimum(chain, slots),
                "the reversal of a uniform chain has the optimal length");
  proposal.plan = plan_from_sequence(problem.graph, *sequence);
  proposal.proves_plan = true;
  return proposal;
}

// The table counts more than a plan takes (it does not know what dies early),
// so up to twice the budget is tried, most first; replay says which plan fits.
Proposal solve_blocks(const Problem& problem, const BlockChain& chain,
                      Meter& meter) {
  const Graph& graph = problem.graph;
  const Bytes room = problem.budget - graph.fixed_bytes();
  const Bytes unit =
      std::max<Bytes>(1, (room + kMemoryUnits - 1) / kMemoryUnits);
  const std::int64_t most_units = 2 * (room / unit);
  BlockTable table(chain, unit, most_units);
  if (!table.fill(meter)) return stopped(*meter.reason());
  Proposal proposal;
  Bytes least_peak = kMaxBytes;
  for (std::int64_t units = most_units; units >= 0; --units) {
    const Cost cost = table.cost(units);
    if (!std::isfinite(cost)) break;
    // Of schedules that cost the same, the one with the least memory.
    if (units > 0 && table.cost(units - 1) == cost) continue;
    Plan plan = plan_from_sequence(graph, table.sequence(graph, units));
    const auto measured = replay(graph, plan, OrderRule::kFixed);
    REMATCH_CHECK(measured.ok(), "a schedule of blocks is a valid plan");
    const bool fits = measured->peak <= problem.budget;
    if (fits || measured->peak < least_peak) {
      least_peak = measured->peak;
      proposal.plan = std::move(plan);
    }
    if (fits) break;
    if (meter.stop(static_cast<std::int64_t>(graph.num_ops()))) {
      proposal.stop_reason = stopped(*meter.reason()).stop_reason;
      break;
    }
  }
  if (!proposal.plan) {
    proposal.stop_reason = StopReason::kOverBudget;
    proposal.message =
        "chain_dp found no persistent schedule of the blocks within the budget";
  }
  return proposal;
}

}  // namespace

Proposal propose_chain_dp(const Problem& problem, const Request& request) {
  Meter meter(request.limits);
  if (const auto chain = uniform_chain(problem.graph)) {
    return solve_uniform(problem, *chain, meter);
  }
  const auto chain = block_chain(problem.graph, kMostBlocks);
  if (!chain) {
    return not_applicable("chain_dp takes only chains of blocks: " +
                          chain.error().message);
  }
  return solve_blocks(problem, *chain, meter);
}

}  // namespace rematch
