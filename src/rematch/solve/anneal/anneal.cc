// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/anneal.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "rematch/base/check.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/anneal/chain.h"
#include "rematch/solve/anneal/crossover.h"
#include "rematch/solve/anneal/elites.h"

namespace rematch {
namespace {
double env(const char* n, double d) {
  return std::getenv(n) ? std::atof(std::getenv(n)) : d;
}
}  // namespace

AnnealResult anneal(const Problem& problem, const Request& request) {
  Meter meter(request.limits);
  const Graph& graph = problem.graph;
  const TouchTable table(graph);
  std::vector<OpId> start = computed_ops(keep_all_plan(graph));
  if (request.start) start = computed_ops(*request.start);
  Chain chain(problem, table, request.limits.seed, start);
  Dice dice(request.limits.seed + 77);
  Elites elites(static_cast<std::size_t>(env("POOL", 8)));
  Incumbent best = chain.best();
  const auto trace = [&](const char* what) {
    if (std::getenv("TRACE"))
      std::fprintf(stderr, "%lld %d %.5f %s round %.5f\n",
                   (long long)meter.work(), best.fits,
                   1 + best.extra / graph.base_cost(), what,
                   1 + chain.best().extra / graph.base_cost());
  };
  chain.descend(meter);
  trace("descend");
  const double scale = env("SCALE", 50);
  auto length = static_cast<std::int64_t>(
      5000 + scale * static_cast<double>(graph.num_ops()));
  const double hots[] = {0.3, 3, 1, 8, 0.1, 1};
  int k = 0;
  while (!meter.reason()) {
    const char* what = "fresh";
    Round round;
    round.moves = length;
    if (!elites.full() || dice.below(8) == 0) {
      if (k > 0) chain.restart(start);
      round.hot = hots[k % 6];
      if (std::getenv("HEAT")) round.hot = env("HEAT", 1);
      round.looseness = std::getenv("LOOSE") ? env("LOOSE", 0.5) : (k / 1) % 2 ? 0.5 : 0.05;
      ++k;
    } else {
      what = "cross";
      const std::size_t a = dice.below(elites.size());
      std::size_t b = dice.below(elites.size() - 1);
      if (b >= a) ++b;
      const std::size_t n = graph.num_ops();
      const std::size_t width = 1 + dice.below(n);
      const std::size_t at = dice.below(n);
      chain.restart(crossover(graph, elites[a].sequence, elites[b].sequence,
                              at, at + width));
      round.hot = env("XHOT", 0.1);
      round.looseness = std::getenv("LOOSE") ? env("LOOSE", 0.5) : dice.below(2) ? 0.05 : 0.5;
      round.moves = static_cast<std::int64_t>(static_cast<double>(length) * env("XLEN", 0.5));
    }
    round.cold = env("COLD", 3e-3);
    round.earliness = env("EARLY", 0.1);
    chain.anneal(round, meter);
    elites.offer(chain.best());
    if (elites.best().better_than(best)) best = elites.best();
    trace(what);
    if (best.fits && best.extra == 0) break;
  }
  AnnealResult result;
  result.plan = plan_from_sequence(graph, best.sequence);
  result.stop = meter.reason();
  result.moves = meter.work();
  return result;
}

}  // namespace rematch
