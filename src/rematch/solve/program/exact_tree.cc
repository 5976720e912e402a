// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/exact_tree.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "rematch/solve/program/fixings.h"
#include "rematch/solve/program/refined_prices.h"
#include "rematch/solve/program/relaxed_kept.h"

namespace rematch {
namespace {

// Closer to an integer than this is one.
constexpr double kIntegral = 1e-6;
// Far more than rounding does to a price.
constexpr double kPriceMargin = 1e-8;
// Where a bound is short by no more, it may be for a solver's tolerances.
constexpr double kPriceError = 1e-6;

class Tree {
 public:
  Tree(LpSession& session, SolveClock& clock, const ExactTreeHooks& hooks,
       std::size_t most_nodes)
      : session_(session), clock_(clock), hooks_(hooks), left_(most_nodes) {}

  // The node within the bounds as they are. `gain`, if any, is told by how much
  // the relaxation rose above the parent's.
  bool prove(double parent = 0, double* gain = nullptr) {
    Fixings fixings(session_.model());
    while (true) {
      stop_ = clock_.stop();
      if (left_-- == 0 || stop_) {
        left_ = 0;
        return false;
      }
      LpSolution solution = session_.solve_relaxation(clock_.left());
      clock_.spend(solution);
      if (solution.status == LpStatus::kInfeasible) return true;
      if (solution.status != LpStatus::kOptimal || !solution.has_point) {
        stop_ = stop_reason_of(solution.status);
        return false;
      }
      if (gain != nullptr) {
        *gain = std::max(0.0, solution.objective - parent);
        gain = nullptr;
      }
      double bound = proved_bound(session_.model(), solution.row_duals);
      if (hooks_.is_enough(bound)) return true;
      if (hooks_.is_enough(bound + kPriceError * (1 + std::fabs(bound)))) {
        solution = with_refined_prices(session_, clock_, std::move(solution),
                                       hooks_.target);
        bound = proved_bound(session_.model(), solution.row_duals);
        if (hooks_.is_enough(bound)) return true;
      }
      if (hooks_.tighten && hooks_.tighten(solution.columns)) continue;
      fixings.fix_by_price(reduced_costs(session_.model(), solution.row_duals),
                           (hooks_.target - bound) + kPriceMargin);
      if (const auto column = branching_column(solution.columns)) {
        return prove_both(*column, solution.columns[column->index()],
                          solution.objective);
      }
      // The point is from before the last columns were fixed.
      if (!is_integral(solution.columns)) continue;
      // If the point was a better plan, less is enough now.
      if (!hooks_.cut_off(solution.columns)) return hooks_.is_enough(bound);
    }
  }

  // The limit that ended it.
  std::optional<StopReason> stop() const { return stop_; }

 private:
  // What branching on a column gained per unit that it was moved by, so far.
  struct Gains {
    double sum = 0;
    int count = 0;

    double mean(const Gains& all) const {
      if (count > 0) return sum / count;
      return all.count > 0 ? all.sum / all.count : 1;
    }
    void add(double gain) {
      sum += gain;
      ++count;
    }
  };

  static bool is_fraction(double value) {
    const double above = value - std::floor(value);
    return above > kIntegral && above < 1 - kIntegral;
  }

  bool is_integral(const std::vector<double>& point) const {
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (session_.model().integers()[i] != 0 && is_fraction(point[i])) {
        return false;
      }
    }
    return true;
  }

  // The fractional column that promises to raise both sides most, of those that
  // are not fixed.
  std::optional<ColumnId> branching_column(const std::vector<double>& point) {
    down_.resize(point.size());
    up_.resize(point.size());
    std::optional<ColumnId> best;
    double most = -1;
    for (std::size_t i = 0; i < point.size(); ++i) {
      const LinearModel& model = session_.model();
      if (model.integers()[i] == 0 || !is_fraction(point[i])) continue;
      if (model.lowers()[i] == model.uppers()[i]) continue;
      const double above = point[i] - std::floor(point[i]);
      const double score = (kIntegral + above * down_[i].mean(all_down_)) *
                           (kIntegral + (1 - above) * up_[i].mean(all_up_));
      if (score <= most) continue;
      most = score;
      best = ColumnId(i);
    }
    return best;
  }

  bool prove_both(ColumnId column, double value, double objective) {
    const LinearColumn before = session_.model().column(column);
    const double below = std::floor(value);
    const std::size_t at = column.index();
    double gain = 0;
    session_.model().set_bounds(column, before.lower, below);
    bool proved = prove(objective, &gain);
    down_[at].add(gain / (value - below));
    all_down_.add(gain / (value - below));
    if (proved) {
      gain = 0;
      session_.model().set_bounds(column, below + 1, before.upper);
      proved = prove(objective, &gain);
      up_[at].add(gain / (below + 1 - value));
      all_up_.add(gain / (below + 1 - value));
    }
    session_.model().set_bounds(column, before.lower, before.upper);
    return proved;
  }

  LpSession& session_;
  SolveClock& clock_;
  const ExactTreeHooks& hooks_;
  std::size_t left_;
  std::optional<StopReason> stop_;
  std::vector<Gains> down_, up_;  // By column.
  Gains all_down_, all_up_;
};

}  // namespace

ExactTreeAnswer prove_by_branching(LpSession& session, SolveClock& clock,
                                   const ExactTreeHooks& hooks,
                                   std::size_t most_nodes) {
  Tree tree(session, clock, hooks, most_nodes);
  const bool is_proved = tree.prove();
  return {is_proved, tree.stop()};
}

}  // namespace rematch
