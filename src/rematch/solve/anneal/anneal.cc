// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/anneal.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <thread>

#include "rematch/base/check.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/anneal/search.h"

namespace rematch {
namespace {

// Searches meet after so many moves.
constexpr std::int64_t kMovesPerEpoch = 8'192;
// Searches learn from each other every so many epochs.
constexpr int kEpochsPerExchange = 8;
// A graph of fewer ops is searched by one thread.
constexpr std::size_t kOpsForThreads = 64;
// Without success for so many moves it stops by itself: per op squared, at
// least and at most.
constexpr std::int64_t kIdlePerOpSquared = 64;
constexpr std::int64_t kLeastIdle = 200;
constexpr std::int64_t kMostIdle = 30'000'000;

std::int64_t most_idle_moves(const Graph& graph) {
  const auto ops =
      static_cast<std::int64_t>(std::min<std::size_t>(graph.num_ops(), 10'000));
  return std::clamp(kIdlePerOpSquared * ops * ops, kLeastIdle, kMostIdle);
}

std::vector<OpId> every_op(const Graph& graph) {
  std::vector<OpId> sequence;
  sequence.reserve(graph.num_ops());
  for (OpId op : graph.ops()) sequence.push_back(op);
  return sequence;
}

// Several searches that take turns to work and to meet.
class Driver {
 public:
  Driver(const Problem& problem, const Request& request)
      : problem_(problem), request_(request), table_(problem.graph) {
    const std::vector<OpId> fresh = every_op(problem.graph);
    std::vector<OpId> first = fresh;
    offer(fresh);
    if (request.start != nullptr && offer(computed_ops(*request.start))) {
      first = computed_ops(*request.start);
    }
    const std::size_t count =
        problem.graph.num_ops() < kOpsForThreads
            ? 1
            : static_cast<std::size_t>(std::max(1, request.limits.threads));
    Limits limits = request.limits;
    if (limits.work != Limits{}.work) {
      limits.work /= static_cast<std::int64_t>(count);
    }
    for (std::size_t i = 0; i < count; ++i) {
      searches_.emplace_back(problem, table_, request.limits.seed * 1000 + i,
                             first, fresh, limits);
    }
  }

  AnnealResult run() {
    const std::int64_t most_idle = most_idle_moves(problem_.graph);
    for (int epoch = 1; !is_done(most_idle); ++epoch) {
      advance_all();
      meet();
      if (request_.other_plan) import();
      if (epoch % kEpochsPerExchange == 0) exchange();
    }
    for (const Search& search : searches_) {
      result_.moves += search.meter().work();
      if (search.meter().reason()) result_.stop = search.meter().reason();
    }
    return std::move(result_);
  }

 private:
  bool fits() const { return result_.plan && result_.peak <= problem_.budget; }

  bool is_done(std::int64_t most_idle) const {
    if (fits() && result_.cost <= problem_.graph.base_cost()) return true;
    if (fits() && request_.is_decided(result_.cost, 0)) return true;
    std::int64_t least = most_idle;
    for (const Search& search : searches_) {
      if (search.meter().reason()) return true;
      least = std::min(least, search.idle_moves());
    }
    return least >= most_idle;
  }

  void advance_all() {
    std::vector<std::exception_ptr> failures(searches_.size());
    const auto work = [&](std::size_t i) {
      try {
        searches_[i].advance(kMovesPerEpoch);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < searches_.size(); ++i) {
      threads.emplace_back(work, i);
    }
    work(0);
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
  }

  // Takes the best of all searches, in their order, if replay agrees.
  void meet() {
    for (const Search& search : searches_) {
      const Incumbent& found = search.best();
      if (found.fits ? fits() && problem_.graph.base_cost() + found.extra >=
                                     result_.cost
                     : result_.plan && (fits() || found.peak >= result_.peak)) {
        continue;
      }
      offer(found.sequence);
    }
  }

  void exchange() {
    for (Search& to : searches_) {
      for (const Search& from : searches_) {
        if (&to != &from) to.offer(from.best());
      }
    }
  }

  // Takes over what was found elsewhere.
  void import() {
    const auto plan = request_.other_plan();
    if (!plan) return;
    Incumbent found;
    found.sequence = computed_ops(*plan);
    const auto measured = replay(
        problem_.graph, plan_from_sequence(problem_.graph, found.sequence),
        problem_.order);
    if (!measured) return;
    found.extra = measured->cost - problem_.graph.base_cost();
    found.peak = measured->peak;
    found.fits = found.peak <= problem_.budget;
    offer(found.sequence);
    for (Search& search : searches_) search.offer(found);
  }

  // Whether the sequence is valid; takes it if it is better.
  bool offer(const std::vector<OpId>& sequence) {
    Plan plan = plan_from_sequence(problem_.graph, sequence);
    const auto measured = replay(problem_.graph, plan, problem_.order);
    if (!measured) return false;
    const bool fits_now = measured->peak <= problem_.budget;
    const bool better =
        !result_.plan || (fits_now != fits() ? fits_now
                          : fits_now         ? measured->cost < result_.cost
                                             : measured->peak < result_.peak);
    if (!better) return true;
    result_.plan = std::move(plan);
    result_.peak = measured->peak;
    result_.cost = measured->cost;
    if (fits() && request_.on_progress) {
      request_.on_progress({result_.cost, 0, &*result_.plan});
    }
    return true;
  }

  const Problem& problem_;
  const Request& request_;
  TouchTable table_;
  std::deque<Search> searches_;
  AnnealResult result_;
};

}  // namespace

AnnealResult anneal(const Problem& problem, const Request& request) {
  return Driver(problem, request).run();
}

}  // namespace rematch
