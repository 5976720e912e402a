// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/anneal.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "rematch/base/check.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/anneal/chain.h"

namespace rematch {

AnnealResult anneal(const Problem& problem, const Request& request) {
  Meter meter(request.limits);
  const TouchTable table(problem.graph);
  std::vector<OpId> start = computed_ops(keep_all_plan(problem.graph));
  if (request.start) start = computed_ops(*request.start);
  Chain chain(problem, table, request.limits.seed, start);
  const char* h = std::getenv("HEAT");
  double heat = h ? std::atof(h) : 0.3;
  const char* r = std::getenv("ROUND");
  std::int64_t round = r ? std::atoll(r) : 100000;
  std::int64_t since = 0;
  while (!chain.done() && chain.anneal(round, heat, meter)) {
    if (std::getenv("TRACE"))
      std::fprintf(stderr, "%lld %d %.5f\n", (long long)meter.work(),
                   chain.best().fits,
                   1 + chain.best().extra / problem.graph.base_cost());
    chain.restart(chain.best().sequence);
    if (++since > 1000) break;
  }
  if (std::getenv("TRACE"))
      std::fprintf(stderr, "%lld %d %.5f\n", (long long)meter.work(),
                   chain.best().fits,
                   1 + chain.best().extra / problem.graph.base_cost());
  AnnealResult result;
  result.plan = plan_from_sequence(problem.graph, chain.best().sequence);
  result.stop = meter.reason();
  result.moves = meter.work();
  return result;
}

}  // namespace rematch
