// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/chen.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "rematch/base/check.h"
#include "rematch/plan/replay.h"
#include "rematch/solve/chain/forward_part.h"
#include "rematch/solve/strategies/chen_segments.h"

namespace rematch {
namespace {

enum class Candidates { kArticulation, kEveryForwardOp };

std::vector<OpId> candidate_ops(const Graph& graph, Candidates kind) {
  return kind == Candidates::kArticulation ? articulation_ops(graph)
                                           : forward_ops(graph);
}

// Candidates number k, 2k, ..., counted from one.
std::vector<OpId> every_sqrt(const std::vector<OpId>& candidates) {
  const auto spacing = static_cast<std::size_t>(
      std::sqrt(static_cast<double>(candidates.size())));
  std::vector<OpId> chosen;
  if (spacing == 0) return chosen;
  for (std::size_t i = spacing - 1; i < candidates.size(); i += spacing) {
    chosen.push_back(candidates[i]);
  }
  return chosen;
}

// Walks the forward part; a candidate that brings the sum since the last
// checkpoint above `segment_bytes` becomes the next one.
std::vector<OpId> greedy_checkpoints(const Graph& graph,
                                     const std::vector<OpId>& forward,
                                     const std::vector<OpId>& candidates,
                                     Bytes segment_bytes) {
  std::vector<OpId> chosen;
  Bytes since_last = 0;
  auto next = candidates.begin();
  for (OpId op : forward) {
    for (TensorId tensor : graph.outputs(op)) {
      since_last += graph.tensor(tensor).bytes;
    }
    if (next == candidates.end() || *next != op) continue;
    ++next;
    if (since_last <= segment_bytes) continue;
    chosen.push_back(op);
    since_last = 0;
  }
  return chosen;
}

Replay measure(const Graph& graph, const Plan& plan) {
  auto measured = replay(graph, plan, OrderRule::kFixed);
  REMATCH_CHECK(measured.ok(), "a staged plan is valid");
  return *std::move(measured);
}

Proposal no_backward(const char* strategy) {
  return not_applicable(std::string(strategy) +
                        " needs forward ops and ops of another phase; this "
                        "graph does not have both");
}

Proposal chen_sqrt(const Problem& problem, const Limits& limits,
                   Candidates kind) {
  const ChenSegments segments(problem.graph);
  if (segments.forward().empty() || !segments.has_backward()) {
    return no_backward("chen_sqrt");
  }
  Meter meter(limits);
  Proposal proposal;
  proposal.plan =
      segments.plan(every_sqrt(candidate_ops(problem.graph, kind)), meter);
  if (!proposal.plan) return stopped(*meter.reason());
  return proposal;
}

// The plan that is cheapest within the budget, or, without one, has the least
// peak.
class Best {
 public:
  explicit Best(Bytes budget) : budget_(budget) {}

  void offer(Plan plan, const Replay& measured) {
    const bool fits = measured.peak <= budget_;
    const bool better = !plan_ || (fits != fits_ ? fits
                                   : fits        ? measured.cost < cost_
                                                 : measured.peak < peak_);
    if (!better) return;
    plan_ = std::move(plan);
    fits_ = fits;
    cost_ = measured.cost;
    peak_ = measured.peak;
  }
  std::optional<Plan> take() { return std::move(plan_); }

 private:
  Bytes budget_;
  std::optional<Plan> plan_;
  bool fits_ = false;
  Cost cost_ = 0;
  Bytes peak_ = 0;
};

// As in Checkmate's experiments, b goes from 0 to three times the peak of the
// linear sqrt(n) plan in steps of 1/100 of that peak.
Proposal chen_greedy(const Problem& problem, const Limits& limits,
                     Candidates kind) {
  const Graph& graph = problem.graph;
  const ChenSegments segments(graph);
  if (segments.forward().empty() || !segments.has_backward()) {
    return no_backward("chen_greedy");
  }
  Meter meter(limits);
  const auto reference = segments.plan(every_sqrt(segments.forward()), meter);
  if (!reference) return stopped(*meter.reason());
  const Bytes unit = measure(graph, *reference).peak - graph.fixed_bytes();
  const std::vector<OpId> candidates = candidate_ops(graph, kind);
  std::set<std::vector<OpId>> tried;
  Best best(problem.budget);
  Proposal proposal;
  for (int percent = 0; percent < 300; ++percent) {
    auto checkpoints =
        greedy_checkpoints(graph, segments.forward(), candidates,
                           unit / 100 * percent + unit % 100 * percent / 100);
    if (!tried.insert(checkpoints).second) continue;
    auto plan = segments.plan(checkpoints, meter);
    if (!plan) {
      proposal.stop_reason = stopped(*meter.reason()).stop_reason;
      break;
    }
    const Replay measured = measure(graph, *plan);
    best.offer(*std::move(plan), measured);
  }
  proposal.plan = best.take();
  return proposal;
}

}  // namespace

Proposal propose_chen_sqrt(const Problem& problem, const Request& request) {
  return chen_sqrt(problem, request.limits, Candidates::kArticulation);
}

Proposal propose_chen_sqrt_linear(const Problem& problem,
                                  const Request& request) {
  return chen_sqrt(problem, request.limits, Candidates::kEveryForwardOp);
}

Proposal propose_chen_greedy(const Problem& problem, const Request& request) {
  return chen_greedy(problem, request.limits, Candidates::kArticulation);
}

Proposal propose_chen_greedy_linear(const Problem& problem,
                                    const Request& request) {
  return chen_greedy(problem, request.limits, Candidates::kEveryForwardOp);
}

}  // namespace rematch
