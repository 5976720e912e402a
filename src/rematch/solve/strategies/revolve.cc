// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/revolve.h"

#include "rematch/base/check.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/chain/forward_part.h"
#include "rematch/solve/chain/reversal.h"
#include "rematch/solve/chain/uniform.h"

namespace rematch {
namespace {

struct Candidate {
  Plan plan;
  Replay measured;
};

// None if a limit was hit.
std::optional<Candidate> with_slots(const Graph& graph, const ChainSteps& chain,
                                    std::int64_t slots, Meter& meter) {
  const auto sequence = reversal_sequence(chain, slots, meter);
  if (!sequence) return std::nullopt;
  Candidate candidate{.plan = plan_from_sequence(graph, *sequence),
                      .measured = {}};
  auto measured = replay(graph, candidate.plan, OrderRule::kFixed);
  REMATCH_CHECK(measured.ok(), "a reversal of a chain is a valid plan");
  candidate.measured = *std::move(measured);
  return candidate;
}

bool can_repeat_forward(const Graph& graph, const ChainSteps& chain) {
  for (OpId op : chain.forward) {
    if (!graph.op(op).recomputable) return false;
  }
  return true;
}

// On a uniform chain the least number of runs is known.
bool is_optimal(const Problem& problem, const Plan& plan) {
  const auto uniform = uniform_chain(problem.graph);
  if (!uniform) return false;
  const std::int64_t slots =
      uniform_slots(*uniform, problem.budget - problem.graph.fixed_bytes());
  const auto runs = static_cast<std::int64_t>(computed_ops(plan).size());
  return slots >= 1 && runs == uniform_optimum(*uniform, slots);
}

}  // namespace

Proposal propose_revolve(const Problem& problem, const Request& request) {
  const Graph& graph = problem.graph;
  if (const auto why = why_not_chain(graph)) {
    return not_applicable("revolve takes only chains: " + *why);
  }
  const ChainSteps chain = chain_steps(graph);
  if (!can_repeat_forward(graph, chain)) {
    return not_applicable(
        "revolve recomputes every forward op, and some op "
        "of this chain must run once");
  }
  // More slots take more memory, so the largest number that fits is found by
  // halving; the plan with the least peak is kept for the message.
  Meter meter(request.limits);
  Proposal proposal;
  Bytes least_peak = kMaxBytes;
  std::int64_t low = 1;
  auto high = static_cast<std::int64_t>(chain.forward.size());
  bool fits = false;
  while (low <= high) {
    const std::int64_t slots = low + (high - low) / 2;
    auto candidate = with_slots(graph, chain, slots, meter);
    if (!candidate) {
      // What was found before the limit is still a plan.
      proposal.stop_reason = stopped(*meter.reason()).stop_reason;
      break;
    }
    const Bytes peak = candidate->measured.peak;
    if (peak <= problem.budget) {
      proposal.plan = std::move(candidate->plan);
      fits = true;
      low = slots + 1;
    } else {
      if (!fits && peak < least_peak)
        proposal.plan = std::move(candidate->plan);
      high = slots - 1;
    }
    least_peak = std::min(least_peak, peak);
  }
  proposal.proves_plan = fits && is_optimal(problem, *proposal.plan);
  return proposal;
}

}  // namespace rematch
