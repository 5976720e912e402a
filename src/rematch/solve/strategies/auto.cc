// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/auto.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "rematch/base/check.h"
#include "rematch/plan/replay.h"
#include "rematch/solve/anneal/companion.h"
#include "rematch/solve/chain/uniform.h"
#include "rematch/solve/split/split.h"

namespace rematch {
namespace {

// Brute force is worth a try only while it takes well under a second.
constexpr std::int64_t kExhaustiveWork = 200'000;
// More ops are more than it can look at.
constexpr std::size_t kExhaustiveOps = 24;
// Moves of a search that is to find any plan.
constexpr std::int64_t kFirstMoves = 20'000;
// keep_last takes a quadratic number of steps.
constexpr std::size_t kKeepLastOps = 2'000;
// From here on the gap program comes before dtr.
constexpr std::size_t kGapFirstOps = 2'000;

// Where dtr does not get along it thrashes, and what searches on from here is
// worth more.
constexpr std::int64_t kDtrWork = 300'000;

std::int64_t most_work(std::string_view strategy) {
  if (strategy == "exhaustive") return kExhaustiveWork;
  if (strategy == "anneal") return kFirstMoves;
  return strategy == "dtr" ? kDtrWork : Limits().work;
}

constexpr Cost kNone = std::numeric_limits<Cost>::infinity();

bool is_for_proof(const Problem& problem) {
  return problem.order == OrderRule::kFixed && is_within_split(problem.graph);
}

// A strategy within a budget, which may be less than there is.
struct Attempt {
  std::string_view strategy;
  Bytes budget = 0;
};

// One strategy's proposal, measured.
struct Trial {
  std::string_view strategy;
  Proposal proposal;
  Bytes peak = kMaxBytes;
  Cost cost = 0;

  bool fits(Bytes budget) const { return proposal.plan && peak <= budget; }
};

class Trials {
 public:
  Trials(const Problem& problem, const Request& request)
      : problem_(problem), request_(request), limits_(request.limits) {}

  // A plan that the caller has.
  void add_start(const Plan& plan) {
    Proposal given;
    given.plan = plan;
    add(measured("start", std::move(given)));
  }

  // Tries one strategy after the other until the answer is good enough.
  bool try_in_turn(std::span<const Attempt> attempts) {
    for (const Attempt& attempt : attempts) {
      add(run(attempt));
      if (is_good_enough()) return true;
    }
    return false;
  }

  // Tries all of them, on several threads; the order of the results is that of
  // the attempts, so that the answer does not depend on timing.
  void try_all(std::span<const Attempt> attempts) {
    std::vector<Trial> done(attempts.size());
    std::vector<std::exception_ptr> failures(attempts.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < attempts.size(); i = next++) {
        try {
          done[i] = run(attempts[i]);
        } catch (...) {
          failures[i] = std::current_exception();
        }
      }
    };
    std::vector<std::thread> threads;
    const auto extra =
        std::min(attempts.size(),
                 static_cast<std::size_t>(std::max(1, limits_.threads))) -
        1;
    for (std::size_t i = 0; i < extra; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
    for (Trial& trial : done) add(std::move(trial));
    is_good_enough();  // Says so if the gap was reached.
  }

  // Good enough, or out of time.
  bool is_over() {
    return is_good_enough() || out_of_time() ||
           stop_reason_ == StopReason::kInterrupted;
  }

  bool has_plan() const { return best_.fits(problem_.budget); }

  // Searches on from the best plan so far for as long as there is time: for a
  // better plan, and, where the size and the order allow it, for a proof.
  void search_on() {
    std::optional<Plan> start;
    if (best_.proposal.plan) start = *best_.proposal.plan;
    Request request = request_;
    request.limits.seconds = seconds_left();
    request.start = start ? &*start : nullptr;
    if (is_for_proof(problem_)) {
      prove(request);
    } else {
      add(measured("anneal",
                   find_strategy("anneal")->propose(problem_, request)));
    }
    is_good_enough();  // Says so if the gap was reached.
  }

  Proposal answer() {
    Proposal result;
    result.lower_bound = bound_;
    result.infeasible = infeasible_;
    result.stop_reason = stop_reason_;
    if (infeasible_) {
      result.message = std::move(best_.proposal.message);
      return result;
    }
    if (best_.fits(problem_.budget)) {
      result.message = fmt::format("found by {}", best_.strategy);
      if (!bound_finder_.empty() && bound_finder_ != best_.strategy) {
        result.message += fmt::format(", bound by {}", bound_finder_);
      }
      result.proves_plan = best_.proposal.proves_plan;
      result.plan = std::move(best_.proposal.plan);
      return result;
    }
    if (result.stop_reason == StopReason::kFinished) {
      result.stop_reason = StopReason::kOverBudget;
    }
    result.message = fmt::format("no strategy found a plan within {}",
                                 format_bytes(problem_.budget));
    if (best_.proposal.plan) {
      result.message +=
          fmt::format("; the least peak found is {} ({} bytes), by {}",
                      format_bytes(best_.peak), best_.peak, best_.strategy);
    }
    return result;
  }

 private:
  // Two searches, for a proof and for plans, which tell each other; only one
  // where time must not decide: what comes from another thread comes at another
  // moment every time.
  void prove(Request request) {
    const bool beside = limits_.threads > 1 && std::isfinite(limits_.seconds) &&
                        limits_.work == Limits().work;
    std::optional<Companion> companion;
    if (beside) {
      companion.emplace(problem_, request);
      request.other_plan = [&] { return companion->news(); };
    }
    Cost told = best_.fits(problem_.budget) ? best_.cost : kNone;
    request.on_progress = [&](const SearchProgress& progress) {
      report(progress);
      if (!companion || progress.plan == nullptr || progress.cost >= told) {
        return;
      }
      told = progress.cost;
      companion->tell(*progress.plan);
    };
    add(measured("milp", find_strategy("milp")->propose(problem_, request)));
    if (!companion) return;
    if (auto last = companion->last_news()) {
      Proposal found;
      found.plan = std::move(last);
      add(measured("anneal", std::move(found)));
    }
  }

  bool out_of_time() const {
    const std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start_;
    return tried_.load() && spent.count() >= limits_.seconds;
  }

  double seconds_left() const {
    const std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start_;
    return std::max(0.0, limits_.seconds - spent.count());
  }

  Trial measured(std::string_view strategy, Proposal proposal) const {
    Trial trial{.strategy = strategy, .proposal = std::move(proposal)};
    if (!trial.proposal.plan_finder.empty()) {
      trial.strategy = trial.proposal.plan_finder;
    }
    if (trial.proposal.bound_finder.empty()) {
      trial.proposal.bound_finder = strategy;
    }
    if (!trial.proposal.plan) return trial;
    const auto replayed =
        replay(problem_.graph, *trial.proposal.plan, problem_.order);
    REMATCH_CHECK(replayed.ok(),
                  "strategy " + std::string(strategy) +
                      " proposed an invalid plan: " + replayed.error().message);
    trial.peak = replayed->peak;
    trial.cost = replayed->cost;
    return trial;
  }

  Trial run(const Attempt& attempt) const {
    Limits limits = limits_;
    limits.threads = 1;
    if (out_of_time()) {
      return {.strategy = attempt.strategy, .proposal = stopped(Stop::kTime)};
    }
    limits.seconds = seconds_left();
    limits.work = std::min(limits.work, most_work(attempt.strategy));
    const Problem tighter{problem_.graph, attempt.budget, problem_.order};
    Request request(limits);
    if (attempt.budget == problem_.budget) {
      request.on_progress = [this](const SearchProgress& progress) {
        const std::lock_guard lock(telling_);
        report(progress);
      };
    }
    Trial trial =
        measured(attempt.strategy,
                 find_strategy(attempt.strategy)->propose(tighter, request));
    if (attempt.budget < problem_.budget) {
      // What holds within less memory says nothing about this budget.
      trial.proposal.infeasible = false;
      trial.proposal.proves_plan = false;
      trial.proposal.lower_bound = 0;
    }
    if (!trial.proposal.plan) return trial;
    tried_ = true;
    return trial;
  }

  bool is_better(const Trial& trial) const {
    const bool fits = trial.fits(problem_.budget);
    const bool best_fits = best_.fits(problem_.budget);
    if (fits != best_fits) return fits;
    if (fits && trial.cost == best_.cost) {
      return trial.proposal.proves_plan && !best_.proposal.proves_plan;
    }
    if (fits) return trial.cost < best_.cost;
    return trial.proposal.plan && trial.peak < best_.peak;
  }

  // With what is known from elsewhere.
  void report(SearchProgress progress) const {
    if (!request_.on_progress) return;
    if (best_.fits(problem_.budget)) {
      progress.cost = std::min(progress.cost, best_.cost);
    }
    progress.lower_bound = std::max(progress.lower_bound, bound_);
    request_.on_progress(progress);
  }

  void add(Trial trial) {
    if (trial.proposal.lower_bound > bound_) {
      bound_ = trial.proposal.lower_bound;
      bound_finder_ = trial.proposal.bound_finder;
    }
    const StopReason reason = trial.proposal.stop_reason;
    const bool ours = reason == StopReason::kWorkLimit &&
                      limits_.work > most_work(trial.strategy);
    if (!ours &&
        (reason == StopReason::kTimeLimit || reason == StopReason::kWorkLimit ||
         reason == StopReason::kInterrupted)) {
      stop_reason_ = reason;
    }
    if (trial.proposal.infeasible) {
      infeasible_ = true;
      best_ = std::move(trial);
    } else if (is_better(trial)) {
      best_ = std::move(trial);
    }
    report({});
  }

  bool is_good_enough() {
    if (infeasible_) return true;
    const bool fits = best_.fits(problem_.budget);
    const Cost bound = std::max(bound_, problem_.graph.base_cost());
    if (fits && (best_.proposal.proves_plan || best_.cost <= bound))
      return true;
    const Cost cost = fits ? best_.cost : kNone;
    if (cost > bound * (1 + limits_.gap) && !request_.is_decided(cost, bound)) {
      return false;
    }
    stop_reason_ = StopReason::kGapReached;
    return true;
  }

  const Problem& problem_;
  const Request& request_;
  const Limits& limits_;
  mutable std::atomic<bool> tried_ = false;  // Something ran to its end.
  mutable std::mutex telling_;               // Attempts run side by side.
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
  Trial best_;
  Cost bound_ = 0;
  std::string_view bound_finder_;
  bool infeasible_ = false;
  StopReason stop_reason_ = StopReason::kFinished;
};

// Quick, or may prove their plan, so they go first.
std::vector<Attempt> first_attempts(const Problem& problem) {
  std::vector<std::string_view> names = {"keep_all"};
  // The search for a proof begins with the gap program anyway; but on large
  // graphs its first plan is often good enough, and dtr takes as long.
  const bool large = problem.graph.num_ops() > kGapFirstOps;
  if (large) names.emplace_back("gap");
  names.emplace_back("dtr");
  if (!large && !is_for_proof(problem)) names.emplace_back("gap");
  if (problem.graph.num_ops() <= kExhaustiveOps) {
    names.emplace_back("exhaustive");
  }
  if (uniform_chain(problem.graph)) names.emplace_back("chain_dp");
  std::vector<Attempt> attempts;
  attempts.reserve(names.size());
  for (std::string_view name : names)
    attempts.push_back({name, problem.budget});
  return attempts;
}

// What may find a plan where those did not.
std::vector<Attempt> other_attempts(const Problem& problem) {
  const Bytes budget = problem.budget;
  std::vector<Attempt> attempts;
  for (std::string_view name : {"chen_sqrt", "chen_sqrt_linear", "chen_greedy",
                                "chen_greedy_linear", "revolve", "chain_dp"}) {
    attempts.push_back({name, budget});
  }
  if (problem.graph.num_ops() <= kKeepLastOps) {
    attempts.push_back({"keep_last", budget});
  }
  // Being greedy, dtr often does better within a little less than it has.
  const Bytes room = budget - problem.graph.fixed_bytes();
  for (int part : {31, 30, 29, 28, 26, 24}) {
    attempts.push_back({"dtr", budget - room / 32 * (32 - part)});
  }
  return attempts;
}

}  // namespace

Proposal propose_auto(const Problem& problem, const Request& request) {
  Trials trials(problem, request);
  if (request.start != nullptr) trials.add_start(*request.start);
  if (trials.try_in_turn(first_attempts(problem))) return trials.answer();
  if (!trials.has_plan()) {
    const Attempt attempt{"anneal", problem.budget};
    trials.try_in_turn({&attempt, 1});
  }
  if (!trials.has_plan()) trials.try_all(other_attempts(problem));
  if (!trials.is_over()) trials.search_on();
  return trials.answer();
}

}  // namespace rematch
