// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/search.h"

#include <algorithm>
#include <cmath>

#include "rematch/plan/floor.h"
#include "rematch/solve/anneal/crossover.h"

namespace rematch {
namespace {

// A move takes microseconds.
constexpr std::int64_t kMovesPerLookAtClock = 256;
constexpr std::size_t kFewestElites = 4;
constexpr std::size_t kMostElites = 12;
// One round in so many is of the style that has found less.
constexpr std::size_t kOtherStyle = 12;
// The round that tries what hardly ever suits: calm ones have filled the
// population by then.
constexpr int kLateWildRound = kFewestElites;
constexpr std::int64_t kMovesPerOp = 100;
constexpr std::int64_t kLongestRound = 50;  // In units of the first.
// The logarithms of what the price may change by in a round, times 16.
constexpr double kPriceRise = 250;
constexpr double kPriceFall = 150;
// A budget of so many times the floor.
constexpr double kMuchRoom = 1.5;
// How many rounds begin with more than the budget, and with how much more.
constexpr double kSlackChance = 0.3;
constexpr double kSlackChanceUnfit = 0.7;  // While nothing fits.
constexpr double kMostSlack = 0.3;
// Populations that begin with nothing lead to different ends: one in so many
// begins with those ends instead, and with longer rounds.
constexpr std::size_t kMostChampions = 6;
constexpr int kPopulationsPerMerge = 3;
constexpr std::int64_t kMergeLength = 3;  // In units of the first.
// Rounds of the first length without success before a population may end.
constexpr std::int64_t kStaleRounds = 20;
// Rounds without success before they get longer and the elites more.
constexpr int kPatience = 8;
// How much goes into solving for parts, of all work: at most, at least, how
// that changes with each one that helps, and with those that do not, for the
// work of a first round. A unit of that counts as so many moves, since it takes
// about as long.
constexpr double kMostForParts = 0.5;
constexpr double kLeastForParts = 0.1;
constexpr double kRiseForParts = 1.5;
constexpr double kFallForParts = 0.88;
constexpr std::int64_t kMovesPerPartWork = 80;
// How much more than the best may cost what is crossed with it in that way.
constexpr double kMostExtraToCross = 1.03;
// Rounds of the first length before it is worth it to look through windows.
constexpr std::int64_t kRoundsToRipen = 30;

// Where to begin to cool down in a calm round: from nothing, and from what is
// good already. Near the least peak much heat only takes time, and on graphs
// without a backward pass such rounds are a trial only. A cross of two good
// sequences is better than what one begins with.
constexpr double kFreshHeat = 0.3;
constexpr double kFreshHeatWithRoom = 0.8;
constexpr double kHeat = 0.1;
constexpr double kCrossHeatWithRoom = 0.05;

}  // namespace

bool is_training_with_room(const Problem& problem) {
  const Graph& graph = problem.graph;
  const bool is_training = std::ranges::any_of(graph.ops(), [&](OpId op) {
    return graph.op(op).phase == Phase::kBackward;
  });
  const auto floor =
      static_cast<double>(peak_floor(graph, problem.order).bytes);
  return is_training &&
         static_cast<double>(problem.budget) >= kMuchRoom * floor;
}

Search::Search(const Problem& problem, const TouchTable& table,
               std::uint64_t seed, std::vector<OpId> first,
               std::vector<OpId> fresh, const Limits& limits)
    : graph_(problem.graph),
      is_training_with_room_(is_training_with_room(problem)),
      interrupt_(limits.interrupt),
      dice_(seed ^ 0x5DEECE66Du),
      chain_(problem, table, seed, first),
      meter_(limits, kMovesPerLookAtClock),
      first_(std::move(first)),
      fresh_(std::move(fresh)),
      population_(kFewestElites, 0),
      champions_(kMostChampions),
      length_(first_length()),
      clock_(limits),
      share_for_parts_(kMostForParts),
      windows_(problem, seed) {}

std::int64_t Search::first_length() const {
  return kMovesPerOp * static_cast<std::int64_t>(graph_.num_ops());
}

void Search::take_over(const Incumbent& found) {
  if (!found.better_than(best_)) return;
  best_ = found;
  work_at_best_ = meter_.work();
}

// Later populations are to find something else.
void Search::offer(const Incumbent& found) {
  champions_.offer(found);
  if (populations_ == 0) population_.join(found);
  take_over(found);
}

void Search::begin_population() {
  champions_.offer(population_.elites().best());
  ++populations_;
  idle_rounds_ = 0;
  const bool merge =
      populations_ % kPopulationsPerMerge == 0 && champions_.size() > 1;
  length_ = merge ? kMergeLength * first_length() : first_length();
  population_ = merge ? Population(champions_, meter_.work())
                      : Population(kFewestElites, meter_.work());
}

double Search::calm_heat(bool fresh) const {
  if (!is_training_with_room_) return fresh ? kFreshHeat : kHeat;
  if (fresh) return kFreshHeatWithRoom;
  return rounds_ == 0 ? kHeat : kCrossHeatWithRoom;
}

// Random graphs need much heat, inputs that are held though that does not fit
// yet, and a price that rises slowly: else evictions become too dear to be
// undone. On training graphs that only takes time.
Round Search::round_of(Style style, bool fresh) {
  Round round;
  round.slack = next_slack();
  round.moves = length_;
  round.cold = 3e-3;
  if (style == Style::kCalm) {
    round.hot = calm_heat(fresh);
    round.looseness = 0.05;
    return round;
  }
  round.hot = fresh ? 3 : 0.1;
  round.looseness = 0.5;
  round.earliness = 0.5;
  const auto moves = static_cast<double>(std::max<std::int64_t>(length_, 1));
  round.price_rise = std::min(1.1, std::exp(kPriceRise / moves));
  round.price_fall = std::max(0.95, std::exp(-kPriceFall / moves));
  round.price_starts_low = true;
  return round;
}

// What fits into more is easier to find, and often leads to what fits.
double Search::next_slack() {
  if (rounds_ < 2) return 0;
  const double chance = best_.fits ? kSlackChance : kSlackChanceUnfit;
  return dice_.unit() < chance ? kMostSlack * dice_.unit() : 0;
}

Search::Style Search::next_style() {
  const int first_wild = is_training_with_room_ ? kLateWildRound : 1;
  if (rounds_ < first_wild) return Style::kCalm;
  if (rounds_ == first_wild) return Style::kWild;
  const bool wild = best_wild_.better_than(best_calm_);
  const bool other = dice_.below(kOtherStyle) == 0;
  return wild != other ? Style::kWild : Style::kCalm;
}

void Search::begin_fresh_round() {
  if (rounds_ > 0) {
    chain_.begin(fresh_, round_of(style_, true));
    return;
  }
  // A good plan to begin with would not survive much heat.
  chain_.begin(first_, round_of(style_, first_ == fresh_));
  chain_.descend(meter_);
}

// So that both parents leave something to the child: some of the stages in
// which they differ, but not all.
std::pair<std::size_t, std::size_t> Search::part_of(
    const std::vector<std::size_t>& differing) {
  if (differing.size() < 2) return {0, 0};
  const std::size_t count = 1 + dice_.below(differing.size() - 1);
  const std::size_t from = dice_.below(differing.size() - count + 1);
  return {differing[from], differing[from + count - 1] + 1};
}

void Search::begin_crossed_round() {
  const Elites& elites = population_.elites();
  const std::size_t a = dice_.below(elites.size());
  const std::size_t other = dice_.below(elites.size() - 1);
  const std::size_t b = other < a ? other : other + 1;
  const auto [begin, end] =
      part_of(differing_stages(graph_, elites[a].sequence, elites[b].sequence));
  chain_.begin(
      crossover(graph_, elites[a].sequence, elites[b].sequence, begin, end),
      round_of(style_, false));
}

void Search::begin_round() {
  in_round_ = true;
  style_ = next_style();
  if (!population_.elites().full() || dice_.below(8) == 0) {
    begin_fresh_round();
  } else {
    begin_crossed_round();
  }
  take_over(chain_.best());
}

void Search::end_round() {
  in_round_ = false;
  ++rounds_;
  ++idle_rounds_;
  const Incumbent& found = chain_.best();
  take_over(found);
  if (population_.offer(found, meter_.work())) idle_rounds_ = 0;
  Incumbent& of_style = style_ == Style::kCalm ? best_calm_ : best_wild_;
  if (found.better_than(of_style)) {
    of_style = {{}, found.extra, found.peak, found.fits};
  }
  if (population_.is_stale(meter_.work(), kStaleRounds * first_length())) {
    begin_population();
    return;
  }
  if (idle_rounds_ < kPatience) return;
  idle_rounds_ = 0;
  population_.grow(kMostElites);
  length_ = std::min(kLongestRound * first_length(), length_ + length_ / 2);
}

bool Search::may_solve_parts() const {
  return !meter_.reason() &&
         static_cast<double>(work_in_parts_) <
             share_for_parts_ * static_cast<double>(meter_.work());
}

// What differs much takes long and seldom leads anywhere; and the same two lead
// to the same.
bool Search::cross(const Incumbent& best, const Incumbent& other) {
  if (!may_solve_parts() || !other.fits || other.extra == best.extra ||
      other.extra > kMostExtraToCross * best.extra ||
      !crossed_.emplace(best.extra, other.extra).second) {
    return false;
  }
  return solve_part([&](double seconds) {
    return windows_.cross(other.sequence, seconds, interrupt_);
  });
}

bool Search::solve_part(const std::function<bool(double)>& solve) {
  const std::int64_t before = windows_.work();
  const bool is_better = solve(clock_.seconds_left());
  const std::int64_t work = kMovesPerPartWork * (windows_.work() - before);
  work_in_parts_ += work;
  meter_.stop(work);
  const double rounds =
      static_cast<double>(work) / static_cast<double>(first_length());
  share_for_parts_ = std::clamp(
      share_for_parts_ *
          (is_better ? kRiseForParts : std::pow(kFallForParts, rounds)),
      kLeastForParts, kMostForParts);
  return is_better;
}

void Search::solve_parts() {
  const Elites& elites = population_.elites();
  const std::int64_t rounds = population_.age(meter_.work()) / first_length();
  if (!WindowSearch::takes(graph_) || elites.size() < 2 ||
      !elites.best().fits || !may_solve_parts()) {
    return;
  }
  Incumbent best = elites.best();
  windows_.begin(best.sequence, graph_.base_cost() + best.extra);
  bool is_better = cross(best, chain_.best());
  for (std::size_t i = 1; i < elites.size() && !is_better; ++i) {
    is_better = cross(best, elites[i]);
  }
  while (rounds >= kRoundsToRipen && may_solve_parts() &&
         !windows_.is_exhausted()) {
    is_better = solve_part([&](double seconds) {
                  return windows_.advance(seconds, interrupt_);
                }) ||
                is_better;
  }
  if (!is_better) return;
  best.sequence = windows_.sequence();
  best.extra = windows_.cost() - graph_.base_cost();
  take_over(best);
  if (population_.offer(best, meter_.work())) idle_rounds_ = 0;
}

void Search::advance(std::int64_t moves) {
  if (!in_round_) {
    begin_round();
    // The first plan that fits is worth telling at once.
    if (rounds_ == 0) return;
  }
  if (!meter_.reason()) chain_.advance(moves, meter_);
  if (chain_.best().better_than(best_)) take_over(chain_.best());
  if (!chain_.round_is_over()) return;
  end_round();
  solve_parts();
}

}  // namespace rematch
