// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/chain.h"

#include <algorithm>
#include <cmath>

namespace rematch {
namespace {

constexpr std::int64_t kMovesPerLook = 16;
// The price of excess falls while the schedule fits and rises while it does not.
constexpr double kPriceDown = 0.97;
constexpr double kPriceUp = 1.1;
// Evictions in a row that do not help, before a descent gives up.
constexpr int kMostFailures = 30;

}  // namespace

bool Incumbent::better_than(const Incumbent& other) const {
  if (fits != other.fits) return fits;
  return fits ? extra < other.extra : peak < other.peak;
}

Chain::Chain(const Problem& problem, const TouchTable& table,
             std::uint64_t seed, std::span<const OpId> start)
    : problem_(problem),
      dice_(seed),
      schedule_(problem.graph, table, problem.budget, start),
      moves_(schedule_, dice_) {
  const Graph& graph = problem.graph;
  const auto ops = static_cast<double>(std::max<std::size_t>(
      1, graph.num_ops()));
  unit_ = graph.base_cost() / ops;
  double held = 1;
  for (StorageId storage : graph.storages()) {
    if (graph.storage(storage).resident) continue;
    held += static_cast<double>(graph.storage(storage).bytes);
  }
  // As if everything were held for an eighth of the time.
  least_price_ = graph.base_cost() / (held * ops / 8);
  price_ = 4 * least_price_;
  note();
}

void Chain::restart(std::span<const OpId> sequence) {
  schedule_.assign(sequence);
  best_ = {};
  note();
}

double Chain::energy() const {
  return schedule_.extra_cost() +
         price_ * static_cast<double>(schedule_.excess());
}

void Chain::note() {
  if (schedule_.fits()) {
    if (best_.fits && schedule_.extra_cost() >= best_.extra) return;
  } else {
    if (best_.fits || schedule_.peak() >= best_.peak) return;
  }
  best_.fits = schedule_.fits();
  best_.extra = schedule_.extra_cost();
  best_.peak = schedule_.peak();
  best_.sequence = schedule_.sequence();
}

void Chain::adapt() {
  if (schedule_.fits()) {
    price_ = std::max(least_price_, price_ * kPriceDown);
  } else {
    price_ = std::min(1e9 * least_price_, price_ * kPriceUp);
  }
}

void Chain::try_change(double allowance) {
  const double gain = price_ * static_cast<double>(schedule_.excess());
  const Cost most = schedule_.extra_cost() + allowance + gain;
  moves_.allow(most);
  const bool any = !schedule_.reruns().empty();
  const std::size_t kind = dice_.below(100);
  if (!schedule_.fits() && kind < 60) {
    moves_.evict_at(schedule_.profile().slot_at_excess(dice_.unit()), 3);
  } else if (!any || kind < 10) {
    moves_.evict_anywhere();
  } else if (kind < 30) {
    moves_.remove(moves_.any_rerun());
  } else if (kind < 60) {
    moves_.remove(moves_.any_rerun());
    moves_.make_fit(4, dice_.between(1, 4));
  } else if (kind < 80) {
    moves_.shift(moves_.any_rerun());
    if (kind < 70) moves_.make_fit(2, 2);
  } else {
    moves_.ruin(dice_.between(2, 5));
    moves_.make_fit(8, dice_.between(1, 4));
  }
}

void Chain::one_move(double temperature) {
  const double before = energy();
  const double allowance = -temperature * std::log(1 - dice_.unit());
  try_change(allowance);
  if (energy() - before > allowance) {
    schedule_.undo_to(0);
    return;
  }
  schedule_.commit();
  note();
}

bool Chain::descend(Meter& meter) {
  moves_.allow(std::numeric_limits<Cost>::infinity());
  moves_.set_looseness(0);
  std::int64_t least = schedule_.excess();
  int failures = 0;
  while (!schedule_.fits() && failures < kMostFailures) {
    if (meter.stop()) break;
    moves_.make_fit(1, 4);
    failures = schedule_.excess() < least ? 0 : failures + 1;
    if (schedule_.excess() < least) {
      schedule_.commit();
    } else {
      schedule_.undo_to(0);
    }
    least = std::min(least, schedule_.excess());
  }
  note();
  return !meter.reason();
}

bool Chain::anneal(const Round& round, Meter& meter) {
  const double cooling = std::pow(
      round.cold / round.hot,
      1 / static_cast<double>(std::max<std::int64_t>(1, round.moves)));
  moves_.set_looseness(round.looseness);
  moves_.set_earliness(round.earliness);
  double temperature = round.hot * unit_;
  for (std::int64_t i = 0; i < round.moves && !done(); ++i) {
    if (meter.stop()) return false;
    if (++moves_done_ % kMovesPerLook == 0) adapt();
    one_move(temperature);
    temperature *= cooling;
  }
  return true;
}

}  // namespace rematch
