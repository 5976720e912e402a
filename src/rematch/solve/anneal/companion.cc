// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/companion.h"

#include <utility>

#include "rematch/solve/anneal/anneal.h"
#include "rematch/solve/anneal/search.h"

namespace rematch {
namespace {

// What begins with nothing takes longer to come to anything.
constexpr double kFewSeconds = 0.05;

bool begins_with_nothing(const Problem& problem, const Limits& limits) {
  return limits.seconds >= kFewSeconds && is_training_with_room(problem);
}

}  // namespace

Companion::Companion(const Problem& problem, const Request& request)
    : problem_(problem) {
  request_.limits.seed = request.limits.seed;
  request_.limits.interrupt = &stop_;
  request_.target = request.target;
  request_.other_plan = [this] { return take_told(); };
  request_.on_progress = [this](const SearchProgress& progress) {
    const std::lock_guard lock(mutex_);
    news_ = best_ = *progress.plan;
  };
  if (request.start != nullptr) {
    (begins_with_nothing(problem, request.limits) ? told_ : best_) =
        *request.start;
  }
  thread_ = std::thread([this] { run(); });
}

Companion::~Companion() { end(); }

void Companion::end() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void Companion::tell(const Plan& plan) {
  const std::lock_guard lock(mutex_);
  told_ = plan;
}

std::optional<Plan> Companion::take_told() {
  const std::lock_guard lock(mutex_);
  return std::exchange(told_, std::nullopt);
}

std::optional<Plan> Companion::news() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  return std::exchange(news_, std::nullopt);
}

std::optional<Plan> Companion::last_news() {
  end();
  return news();
}

void Companion::run() {
  try {
    // A search that stops by itself has not seen everything: another one begins
    // elsewhere, unless there is nothing to find.
    while (!stop_) {
      request_.limits.seed += 1;
      const std::optional<Plan> start = best_;
      request_.start = start ? &*start : nullptr;
      const AnnealResult found = anneal(problem_, request_);
      if (!found.stop && found.moves == 0) return;
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
}

}  // namespace rematch
