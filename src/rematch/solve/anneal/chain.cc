// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/chain.h"

#include <algorithm>
#include <cmath>

namespace rematch {
namespace {

constexpr std::int64_t kMovesPerLook = 16;
constexpr std::int64_t kMovesPerRatchet = 256;
constexpr double kRatchetShare = 0.6;  // Of a round.
constexpr double kHighestPrice = 1e9;  // In units of the lowest.
// Evictions in a row that do not help, before a descent gives up.
constexpr int kMostFailures = 30;

// The mean; 1 if nothing costs anything.
double mean_cost(const Graph& graph) {
  if (graph.num_ops() == 0 || graph.base_cost() == 0) return 1;
  return graph.base_cost() / static_cast<double>(graph.num_ops());
}

// What excess costs at least: as if everything could be had again at the cost
// of everything, and were held for an eighth of the time.
double lowest_price(const Graph& graph) {
  double bytes = 1;
  for (StorageId storage : graph.storages()) {
    if (graph.storage(storage).resident) continue;
    bytes += static_cast<double>(graph.storage(storage).bytes);
  }
  return mean_cost(graph) * 8 / bytes;
}

}  // namespace

bool Incumbent::better_than(const Incumbent& other) const {
  if (fits != other.fits) return fits;
  return fits ? extra < other.extra : peak < other.peak;
}

Chain::Chain(const Problem& problem, const TouchTable& table,
             std::uint64_t seed, std::span<const OpId> start)
    : free_order_(problem.order == OrderRule::kFree),
      budget_(problem.budget),
      dice_(seed),
      schedule_(problem.graph, table, problem.budget, start),
      moves_(schedule_, dice_),
      least_price_(lowest_price(problem.graph)),
      unit_(mean_cost(problem.graph)) {
  price_ = 4 * least_price_;
}

void Chain::begin(std::span<const OpId> sequence, const Round& round) {
  schedule_.assign(sequence);
  round_ = round;
  moves_in_round_ = 0;
  temperature_ = round.hot * unit_;
  const auto moves =
      static_cast<double>(std::max<std::int64_t>(1, round.moves));
  cooling_ = std::pow(round.cold / round.hot, 1 / moves);
  moves_.set_looseness(round.looseness);
  moves_.set_earliness(round.earliness);
  if (round.price_starts_low) price_ = least_price_;
  ratchet();
  best_ = {};
  take_as_best();
}

const Incumbent& Chain::best() {
  if (!best_is_saved_) save();
  return best_;
}

double Chain::energy() const {
  return schedule_.extra_cost() +
         price_ * static_cast<double>(schedule_.excess());
}

// Within the budget, not only within what a round begins with.
bool Chain::fits() const {
  return schedule_.budget() == budget_ ? schedule_.fits()
                                       : schedule_.peak() <= budget_;
}

// As good as the best, or better.
bool Chain::is_new_best() const {
  const bool fits_now = fits();
  if (fits_now != best_.fits) return fits_now;
  return best_.fits ? schedule_.extra_cost() <= best_.extra
                    : schedule_.peak() <= best_.peak;
}

void Chain::take_as_best() {
  best_.fits = fits();
  best_.extra = schedule_.extra_cost();
  best_.peak = schedule_.peak();
  best_is_saved_ = false;
}

// Keeps the present schedule, which is the best.
void Chain::save() {
  best_.sequence = schedule_.sequence();
  best_is_saved_ = true;
  moves_since_save_ = 0;
}

// The price of excess falls while the schedule fits and rises while it does
// not.
void Chain::adapt() {
  price_ *= schedule_.fits() ? round_.price_fall : round_.price_rise;
  price_ = std::clamp(price_, least_price_, kHighestPrice * least_price_);
}

// Down to the budget, step by step, in the first part of the round.
void Chain::ratchet() {
  const double way =
      static_cast<double>(moves_in_round_) /
      (kRatchetShare *
       static_cast<double>(std::max<std::int64_t>(1, round_.moves)));
  const double share = round_.slack * std::max(0.0, 1 - way);
  const Bytes budget =
      budget_ + static_cast<Bytes>(share * static_cast<double>(budget_));
  if (budget != schedule_.budget()) schedule_.set_budget(budget);
}

bool Chain::descend(Meter& meter) {
  moves_.allow(std::numeric_limits<Cost>::infinity());
  moves_.set_looseness(0);
  moves_.set_earliness(0);
  int failures = 0;
  while (!schedule_.fits() && failures < kMostFailures && !meter.stop()) {
    const std::int64_t before = schedule_.excess();
    moves_.make_fit(1, 4);
    if (schedule_.excess() < before) {
      schedule_.commit();
      failures = 0;
    } else {
      schedule_.undo_to(0);
      ++failures;
    }
  }
  if (is_new_best()) take_as_best();
  moves_.set_looseness(round_.looseness);
  moves_.set_earliness(round_.earliness);
  return !meter.reason();
}

void Chain::try_change(double allowance) {
  const double gain = price_ * static_cast<double>(schedule_.excess());
  moves_.allow(schedule_.extra_cost() + allowance + gain);
  if (free_order_ && dice_.below(2) == 0) {
    moves_.reorder();
    return;
  }
  if (!schedule_.fits() && dice_.below(5) < 3) {
    moves_.evict_at(schedule_.profile().slot_at_excess(dice_.unit()), 3);
    return;
  }
  change_what_fits();
}

void Chain::change_what_fits() {
  const std::size_t kind = dice_.below(20);
  if (kind < 2 || schedule_.reruns().empty()) {
    moves_.evict_anywhere();
  } else if (kind < 4) {
    moves_.remove(moves_.any_rerun());
  } else if (kind < 8) {
    moves_.shift(moves_.any_rerun());
    if (kind < 6) moves_.make_fit(2, 2);
  } else if (kind == 8) {
    // Takes as long as many others, and is kept less often.
    moves_.ruin(dice_.between(2, 5));
    moves_.make_fit(8, dice_.between(1, 4));
  } else {
    moves_.remove(moves_.any_rerun());
    moves_.make_fit(4, dice_.between(1, 4));
  }
}

void Chain::one_move() {
  const double before = energy();
  // Drawn first, so that a change can be given up as soon as it costs too much.
  const double allowance = -temperature_ * std::log(1 - dice_.unit());
  try_change(allowance);
  if (schedule_.mark() == 0) return;
  if (energy() - before > allowance) {
    schedule_.undo_to(0);
    return;
  }
  if (is_new_best()) {
    take_as_best();
  } else if (!best_is_saved_) {
    // The last moment at which the best can be kept; this change must wait.
    schedule_.undo_to(0);
    save();
    return;
  }
  schedule_.commit();
}

bool Chain::advance(std::int64_t moves, Meter& meter) {
  for (; moves > 0 && !round_is_over(); --moves) {
    if (meter.stop()) return false;
    if (++moves_in_round_ % kMovesPerLook == 0) adapt();
    if (moves_in_round_ % kMovesPerRatchet == 0) ratchet();
    one_move();
    temperature_ *= cooling_;
  }
  return true;
}

}  // namespace rematch
