// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/max_batch.h"

#include <algorithm>
#include <bit>
#include <chrono>

#include <fmt/format.h>

#include "rematch/base/check.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/gap/gap_bound.h"

namespace rematch {
namespace {

__extension__ using Wide = __int128;

// What the activations of a batch of one sample may take, times the graph's
// batch.
Wide room(const Graph& graph, const BatchQuestion& question) {
  const Wide left =
      Wide{question.memory} - graph.fixed_bytes() - question.extra_fixed;
  return std::max(Wide{0}, left) * question.graph_batch;
}

class BatchSearch {
 public:
  BatchSearch(const Graph& graph, const BatchQuestion& question,
              const Strategy& strategy, const Request& request,
              const OnBatch& on_batch)
      : graph_(graph),
        question_(question),
        strategy_(strategy),
        request_(request),
        on_batch_(on_batch),
        keep_all_(keep_all_peak(graph)) {
    // What is known within one budget is not news within another.
    request_.on_progress = nullptr;
    request_.limits.gap = 0;
    request_.target = question.cost_cap;
    gap_ = request.limits.gap;
    last_.strategy = strategy.name;
    last_.seed = request.limits.seed;
    answer_.batch_bound =
        batch_at_peak(peak_floor(graph, question.order).bytes);
    answer_.keep_all_batch = batch_at_peak(keep_all_);
  }

  BatchAnswer run() {
    if (answer_.batch_bound > 0) {
      tell();
      bound_by_gaps();
      start();
      if (strategy_.can.uses_budget) search();
    }
    conclude();
    return std::move(answer_);
  }

 private:
  std::int64_t batch_at_peak(Bytes peak) const {
    return batch_for(graph_, question_, peak - graph_.fixed_bytes());
  }
  Bytes budget_for(std::int64_t batch) const {
    return graph_.fixed_bytes() + activations_for(graph_, question_, batch);
  }
  double seconds() const {
    const std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start_;
    return spent.count();
  }
  double seconds_left() const {
    return std::max(0.0, request_.limits.seconds - seconds());
  }
  bool is_interrupted() const {
    const auto* interrupt = request_.limits.interrupt;
    return interrupt != nullptr && interrupt->load();
  }
  bool is_done() const {
    return is_close_enough() || seconds_left() == 0 || is_interrupted();
  }
  bool is_close_enough() const {
    return static_cast<double>(answer_.batch_bound) <=
           static_cast<double>(answer_.batch) * (1 + gap_);
  }

  void tell() const {
    if (on_batch_) on_batch_(answer_.batch, answer_.batch_bound);
  }

  // Batches that the gap program rules out; takes milliseconds each.
  void bound_by_gaps() {
    if (question_.order == OrderRule::kFree) return;
    if (question_.cost_cap < graph_.base_cost()) return;
    std::int64_t open = answer_.keep_all_batch;
    while (answer_.batch_bound > open) {
      const std::int64_t middle = open + (answer_.batch_bound - open + 1) / 2;
      const Problem problem{graph_, budget_for(middle), question_.order};
      Limits limits = request_.limits;
      limits.seconds = seconds_left();
      Meter meter(limits);
      const GapBound bound = gap_bound(problem, gap_program(problem), meter);
      if (bound.lower_bound > question_.cost_cap) {
        answer_.batch_bound = middle - 1;
        tell();
      } else {
        open = middle;
      }
    }
  }

  // Any plan within the cap, so that there is something to improve.
  void start() {
    const Bytes enough = strategy_.can.uses_budget ? keep_all_ : kMaxBytes;
    const Solution first = probe(enough, seconds_left());
    // A plan may recompute and still need more than keeping everything.
    if (!first.has_plan() && strategy_.can.uses_budget) {
      probe(kMaxBytes, seconds_left());
    }
    if (!best_.has_plan()) keep_all();
  }

  // What the strategy did not find is there all the same.
  void keep_all() {
    undecided_ = last_.stop_reason;
    const std::string why = last_.message;
    take(solve({graph_, keep_all_, question_.order}, *find_strategy("keep_all"),
               Request{}));
    if (best_.has_plan()) best_.message = why;
  }

  void search() {
    // What proofs leave open is often what there is.
    std::int64_t first = answer_.batch_bound;
    while (!is_done() && halve(first)) {
      first = answer_.batch + (answer_.batch_bound + 1 - answer_.batch) / 2;
    }
  }

  // Looks for batches between what was found and what is proved, beginning with
  // `next`. Whether more time might help.
  bool halve(std::int64_t next) {
    bool more_time_helps = false;
    std::int64_t end = answer_.batch_bound + 1;  // Of what is looked for.
    while (answer_.batch + 1 < end && !is_done()) {
      // The last one gets all the time that is left.
      const auto open = static_cast<std::uint64_t>(end - answer_.batch - 1);
      const auto probes = static_cast<double>(std::bit_width(open));
      const Solution found = probe(budget_for(next), seconds_left() / probes);
      if (answer_.batch < next) {
        end = next;
        if (is_ruled_out(found)) {
          answer_.batch_bound = next - 1;
          tell();
        } else {
          undecided_ = found.stop_reason;
          more_time_helps |= undecided_ == StopReason::kTimeLimit;
        }
      }
      next = answer_.batch + (end - answer_.batch) / 2;
    }
    return more_time_helps;
  }

  bool is_ruled_out(const Solution& found) const {
    return found.outcome == Outcome::kInfeasible ||
           found.lower_bound > question_.cost_cap;
  }

  // Takes the plan over if it is within the cap and better.
  Solution probe(Bytes budget, double seconds) {
    Request request = request_;
    request.limits.seconds = seconds;
    if (best_.has_plan()) request.start = &*best_.plan;
    Solution found =
        solve({graph_, budget, question_.order}, strategy_, request);
    if (!best_.has_plan()) last_ = found;
    take(found);
    return found;
  }

  void take(const Solution& found) {
    if (!found.has_plan() || found.cost > question_.cost_cap) return;
    if (best_.has_plan() && found.peak >= best_.peak) return;
    best_ = found;
    answer_.batch = std::max(answer_.batch, batch_at_peak(found.peak));
    tell();
  }

  void conclude() {
    REMATCH_CHECK(answer_.batch <= answer_.batch_bound,
                  "no plan allows more than what is proved");
    answer_.solution = answer_.batch > 0 ? std::move(best_) : std::move(last_);
    if (answer_.batch == 0) answer_.solution.plan.reset();
    answer_.seconds = seconds();
    if (answer_.batch == answer_.batch_bound) {
      answer_.outcome =
          answer_.batch > 0 ? Outcome::kOptimal : Outcome::kInfeasible;
      answer_.stop_reason = StopReason::kProved;
      return;
    }
    answer_.outcome =
        answer_.batch > 0 ? Outcome::kFeasible : Outcome::kUnknown;
    if (is_interrupted()) {
      answer_.stop_reason = StopReason::kInterrupted;
    } else if (is_close_enough()) {
      answer_.stop_reason = StopReason::kGapReached;
    } else if (seconds_left() == 0) {
      answer_.stop_reason = StopReason::kTimeLimit;
    } else if (answer_.batch == 0) {
      answer_.stop_reason = answer_.solution.stop_reason;
    } else {
      answer_.stop_reason = undecided_;
    }
  }

  const Graph& graph_;
  const BatchQuestion& question_;
  const Strategy& strategy_;
  Request request_;
  const OnBatch& on_batch_;
  Bytes keep_all_;
  double gap_ = 0;
  BatchAnswer answer_;
  Solution best_;                                 // Within the cap.
  Solution last_;                                 // While there is none.
  StopReason undecided_ = StopReason::kFinished;  // Of the last such probe.
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

}  // namespace

Bytes activations_for(const Graph& graph, const BatchQuestion& question,
                      std::int64_t batch) {
  const Wide most = room(graph, question) / batch;
  return static_cast<Bytes>(
      std::min(most, Wide{kMaxBytes} - graph.fixed_bytes()));
}

std::int64_t batch_for(const Graph& graph, const BatchQuestion& question,
                       Bytes activations) {
  const Wide most = room(graph, question) / activations;
  return static_cast<std::int64_t>(std::min(most, Wide{kMaxBytes}));
}

Result<BatchAnswer> max_batch(const Graph& graph, const BatchQuestion& question,
                              const Strategy& strategy, const Request& request,
                              const OnBatch& on_batch) {
  if (question.graph_batch < 1) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("a graph for a batch of {} makes no sense: it is "
                             "not 1 or more",
                             question.graph_batch)};
  }
  const Bytes floor =
      peak_floor(graph, question.order).bytes - graph.fixed_bytes();
  if (floor <= 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "what the graph computes takes no memory, so that any batch "
                 "fits"};
  }
  if (batch_for(graph, question, floor) == kMaxBytes) {
    return Error{
        ErrorCode::kOutOfRange,
        fmt::format("the largest batch may be above {}, which is too large to "
                    "work with: of {} bytes, a batch of {} takes {} at least",
                    kMaxBytes, question.memory, question.graph_batch,
                    format_bytes(floor))};
  }
  return BatchSearch(graph, question, strategy, request, on_batch).run();
}

}  // namespace rematch
