// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/gap_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>

#include "rematch/solve/gap/relaxation.h"

namespace rematch {
namespace {

constexpr double kIntegral = 1e-7;
constexpr int kMostRowRounds = 6;
// The first nodes are realised even if they evict gaps in part.
constexpr std::int64_t kAlwaysRealised = 40;
// Of the way from the root to the best plan.
constexpr double kHope = 0.1;

struct Decision {
  std::size_t gap = 0;
  bool evicted = false;
};

// A part of the search: what was decided, and what is known about it.
struct Node {
  Cost bound = 0;  // On any plan that agrees with the decisions.
  std::int64_t number = 0;
  std::vector<Decision> decisions;
  std::optional<std::size_t> branch;  // A gap evicted in part; none: integral.

  friend bool operator>(const Node& a, const Node& b) {
    return a.bound != b.bound ? a.bound > b.bound : a.number > b.number;
  }
};

// Whether evicting every gap makes every stage fit.
bool can_be_covered(const GapProgram& program) {
  std::vector<Bytes> most(program.need.size() + 1);
  for (const Gap& gap : program.gaps) {
    most[static_cast<std::size_t>(gap.first)] += gap.bytes;
    most[static_cast<std::size_t>(gap.last) + 1] -= gap.bytes;
  }
  Bytes covered = 0;
  for (std::size_t t = 0; t < program.need.size(); ++t) {
    covered += most[t];
    if (covered < program.need[t]) return false;
  }
  return true;
}

class Search {
 public:
  Search(const Problem& problem, const GapProgram& program,
         const GapBound& root, Meter& meter, const OnEvictions& on_evictions)
      : problem_(problem),
        program_(program),
        root_(root),
        stages_(root.stages),
        meter_(meter),
        on_evictions_(on_evictions) {}

  Cost run(GapSearchSize size) {
    Cost proved = root_.lower_bound;
    open_.push(solved({}, root_.lower_bound));
    for (int nodes = 1; nodes < size.most_nodes && !open_.empty(); nodes += 2) {
      const Node node = open_.top();
      // What was left out costs no less than the best plan.
      proved = std::max(proved, std::min(least(node.bound), best_cost_));
      if (!node.branch || proved >= best_cost_) return proved;
      if (meter_.stop()) return proved;
      if (nodes > size.patience && is_hopeless(proved)) return proved;
      open_.pop();
      for (bool evicted : {true, false}) {
        std::vector<Decision> decisions = node.decisions;
        decisions.push_back({*node.branch, evicted});
        Node child = solved(std::move(decisions), node.bound);
        if (least(child.bound) < best_cost_) open_.push(std::move(child));
      }
    }
    if (open_.empty()) return std::max(proved, best_cost_);
    return std::max(proved, std::min(least(open_.top().bound), best_cost_));
  }

 private:
  // Never while there is no plan: any bound is welcome then.
  bool is_hopeless(Cost proved) const {
    return std::isfinite(best_cost_) &&
           proved - root_.lower_bound <
               kHope * (best_cost_ - root_.lower_bound);
  }

  Cost least(Cost bound) const {
    return least_cost_from(problem_.graph, bound);
  }

  // The program that is left: a gap that is not evicted is held, and one that
  // is evicted costs nothing more.
  GapProgram remaining(const std::vector<Decision>& decisions,
                       std::vector<std::size_t>& gap_of, Cost& paid) const {
    std::vector<char> state(program_.gaps.size(), 0);
    for (const Decision& decision : decisions) {
      state[decision.gap] = decision.evicted ? 1 : 2;
    }
    GapProgram rest;
    rest.need = program_.need;
    for (std::size_t g = 0; g < program_.gaps.size(); ++g) {
      if (state[g] == 2) continue;
      Gap gap = program_.gaps[g];
      if (state[g] == 1) {
        paid += gap.cost;
        gap.cost = 0;
        gap.root = std::nullopt;
      }
      rest.gaps.push_back(gap);
      gap_of.push_back(g);
    }
    return rest;
  }

  // Solves the relaxation of a node, adding stages that it does not cover.
  Node solved(std::vector<Decision> decisions, Cost parent_bound) {
    Cost paid = 0;
    std::vector<std::size_t> gap_of;
    const GapProgram rest = remaining(decisions, gap_of, paid);
    if (!can_be_covered(rest)) {
      Node nothing;
      nothing.bound = std::numeric_limits<Cost>::infinity();
      return nothing;
    }
    Relaxation relaxation(rest, root_.tails);
    for (int round = 0; round < kMostRowRounds; ++round) {
      relaxation.solve(stages_, meter_);
      const auto worst = worst_stages(relaxation.violations(), 8,
                                      stage_tolerance(problem_.budget));
      if (!add_stages(worst, stages_)) break;
    }
    Node node;
    node.number = number_++;
    // Sums of doubles: a little lower than their rounding.
    const Cost extra =
        paid * (1 - 1e-12) +
        multiplier_value(rest, relaxation.prices(), relaxation.multipliers());
    node.bound = std::max(
        parent_bound, std::nextafter(problem_.graph.base_cost() + extra, 0.0));
    node.decisions = std::move(decisions);
    std::vector<double> evicted(program_.gaps.size(), 0);
    double most = 0;
    for (std::size_t i = 0; i < gap_of.size(); ++i) {
      const double share = relaxation.evicted()[i];
      evicted[gap_of[i]] = share;
      if (rest.gaps[i].cost == 0) continue;
      if (share < kIntegral || share > 1 - kIntegral) continue;
      const double score = std::min(share, 1 - share) * rest.gaps[i].cost;
      if (score <= most) continue;
      most = score;
      node.branch = gap_of[i];
    }
    const bool worth_it = !node.branch || node.number < kAlwaysRealised;
    if (worth_it && least(node.bound) < best_cost_) {
      best_cost_ = on_evictions_(evicted);
    }
    return node;
  }

  const Problem& problem_;
  const GapProgram& program_;
  const GapBound& root_;
  std::vector<std::int32_t> stages_;
  Meter& meter_;
  const OnEvictions& on_evictions_;
  Cost best_cost_ = std::numeric_limits<Cost>::infinity();
  std::int64_t number_ = 0;
  std::priority_queue<Node, std::vector<Node>, std::greater<>> open_;
};

}  // namespace

Cost search_gaps(const Problem& problem, const GapProgram& program,
                 const GapBound& root, GapSearchSize size, Meter& meter,
                 const OnEvictions& on_evictions) {
  if (program.need.empty() || root.stages.empty()) return root.lower_bound;
  return Search(problem, program, root, meter, on_evictions).run(size);
}

}  // namespace rematch
