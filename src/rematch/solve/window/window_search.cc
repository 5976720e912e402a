// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/window/window_search.h"

#include <algorithm>

namespace rematch {
namespace {

constexpr std::size_t kMostOpsOfGraph = 20'000;
constexpr std::int64_t kStepsOfCross = 1'000;

}  // namespace

bool WindowSearch::takes(const Graph& graph) {
  return graph.num_ops() <= kMostOpsOfGraph;
}

void WindowSearch::begin(std::span<const OpId> sequence, Cost cost) {
  if (!sequence_.empty() && cost == cost_) return;
  sequence_.assign(sequence.begin(), sequence.end());
  cost_ = cost;
  width_ = kFewestOps;
  steps_per_op_ = kFewestSteps;
  got_better_ = false;
  line_up();
}

// Each begins in the middle of the one before it.
void WindowSearch::line_up() {
  starts_.clear();
  IdVector<OpId, bool> ran(problem_.graph.num_ops());
  std::size_t first = problem_.graph.num_ops();
  std::size_t last = 0;
  for (OpId op : sequence_) {
    if (ran[op]) {
      first = std::min(first, op.index());
      last = std::max(last, op.index());
    }
    ran[op] = true;
  }
  const std::size_t step = width_ / 2;
  for (std::size_t at = first - std::min(first, dice_.below(step)); at <= last;
       at += step) {
    starts_.push_back(at);
  }
  for (std::size_t i = starts_.size(); i > 1; --i) {
    std::swap(starts_[i - 1], starts_[dice_.below(i)]);
  }
}

void WindowSearch::widen() {
  width_ += width_ / 2;
  if (width_ <= kMostOps) return;
  width_ = kFewestOps;
  steps_per_op_ *= 4;
}

std::vector<OpId> WindowSearch::next_window() {
  const std::size_t begin = starts_.back();
  starts_.pop_back();
  std::vector<OpId> free;
  for (std::size_t i = begin;
       i < std::min(begin + width_, problem_.graph.num_ops()); ++i) {
    free.emplace_back(i);
  }
  return free;
}

bool WindowSearch::take(WindowAnswer answer) {
  work_ += 1 + answer.work;
  if (!answer.sequence) return false;
  sequence_ = *std::move(answer.sequence);
  cost_ = answer.cost;
  got_better_ = true;
  return true;
}

bool WindowSearch::cross(std::span<const OpId> other, double seconds,
                         const std::atomic<bool>* interrupt) {
  LpLimits limits;
  limits.seconds = seconds;
  limits.interrupt = interrupt;
  limits.iterations = kStepsOfCross;
  return take(solve_cross(problem_, sequence_, other, limits));
}

bool WindowSearch::advance(double seconds, const std::atomic<bool>* interrupt) {
  if (is_exhausted()) return false;
  LpLimits limits;
  limits.seconds = seconds;
  limits.interrupt = interrupt;
  limits.iterations = steps_per_op_ * static_cast<std::int64_t>(width_);
  WindowAnswer answer;
  if (!starts_.empty()) {
    answer = solve_window(problem_, sequence_, next_window(), limits);
  }
  const bool is_better = take(std::move(answer));
  if (starts_.empty()) {
    if (!got_better_) widen();
    got_better_ = false;
    line_up();
  }
  return is_better;
}

}  // namespace rematch
