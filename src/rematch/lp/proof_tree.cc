// SPDX-License-Identifier: Apache-2.0
#include "rematch/lp/proof_tree.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include "rematch/lp/dual_bound.h"

namespace rematch {
namespace {

// Values this close to a whole number are one.
constexpr double kWhole = 1e-6;

struct Branch {
  ColumnId column;
  double lower = 0;
  double upper = 0;
};

struct Node {
  std::vector<Branch> path;
  // What the last branch did: how far it moved the column, and from what
  // objective.
  double moved = 0;
  double before = 0;
};

// What moving a column by one cost so far, on average, down and up.
struct Experience {
  double gain[2] = {0, 0};
  int times[2] = {0, 0};
};

class ProofTree {
 public:
  ProofTree(LpSession& session, double target, const LpLimits& limits)
      : session_(session),
        target_(target),
        limits_(limits),
        experience_(session.model().num_columns()) {}

  double run() {
    std::vector<Node> open(1);
    double least = kInfinity;
    for (std::int64_t node = 0; !open.empty(); ++node) {
      if (node >= limits_.nodes) return -kInfinity;
      const Node next = std::move(open.back());
      open.pop_back();
      const auto bound = visit(next, open);
      if (!bound) return -kInfinity;
      least = std::min(least, *bound);
    }
    return least;
  }

 private:
  // The bound of a leaf, or infinity after branching; none if it is neither.
  std::optional<double> visit(const Node& node, std::vector<Node>& open) {
    LinearModel& model = session_.model();
    std::vector<Branch> old;
    for (const Branch& branch : node.path) {
      const LinearColumn column = model.column(branch.column);
      old.push_back({branch.column, column.lower, column.upper});
      model.set_bounds(branch.column, branch.lower, branch.upper);
    }
    LpLimits limits = limits_;
    const std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin_;
    limits.seconds = std::max(0.0, limits_.seconds - spent.count());
    const LpSolution solution = session_.solve_relaxation(limits);
    const double bound = solution.status == LpStatus::kOptimal
                             ? dual_bound(model, solution.row_duals)
                             : -kInfinity;
    for (std::size_t i = old.size(); i-- > 0;) {
      model.set_bounds(old[i].column, old[i].lower, old[i].upper);
    }
    if (solution.status == LpStatus::kInfeasible) return kInfinity;
    if (solution.status != LpStatus::kOptimal) return std::nullopt;
    if (node.moved != 0) learn(node, solution.objective);
    if (bound >= target_) return bound;
    const auto column = fractional(solution.columns);
    if (!column) return std::nullopt;
    const double value = solution.columns[column->index()];
    for (const bool up : {value < 0.5, value >= 0.5}) {
      const double whole = up ? std::ceil(value) : std::floor(value);
      Node child{node.path, whole - value, solution.objective};
      const LinearColumn box = model.column(*column);
      child.path.push_back(up ? Branch{*column, whole, box.upper}
                              : Branch{*column, box.lower, whole});
      open.push_back(std::move(child));
    }
    return kInfinity;
  }

  void learn(const Node& node, double objective) {
    const auto up = static_cast<std::size_t>(node.moved > 0);
    const double gain =
        std::max(0.0, objective - node.before) / std::abs(node.moved);
    Experience& own = experience_[node.path.back().column.index()];
    for (Experience* at : {&own, &all_}) {
      at->gain[up] += gain;
      ++at->times[up];
    }
  }

  double expected(const Experience& own, std::size_t up) const {
    if (own.times[up] > 0) return own.gain[up] / own.times[up];
    return all_.times[up] > 0 ? all_.gain[up] / all_.times[up] : 1;
  }

  // The fractional column of which both branches promise most.
  std::optional<ColumnId> fractional(const std::vector<double>& values) const {
    std::optional<ColumnId> best;
    double most = -1;
    for (ColumnId column : session_.model().columns()) {
      if (session_.model().integers()[column.index()] == 0) continue;
      const double value = values[column.index()];
      const double part = value - std::floor(value);
      if (std::min(part, 1 - part) <= kWhole) continue;
      const Experience& own = experience_[column.index()];
      const double score = std::max(1e-9, expected(own, 0) * part) *
                           std::max(1e-9, expected(own, 1) * (1 - part));
      if (score <= most) continue;
      most = score;
      best = column;
    }
    return best;
  }

  LpSession& session_;
  double target_;
  const LpLimits& limits_;
  std::vector<Experience> experience_;  // By column.
  Experience all_;
  std::chrono::steady_clock::time_point begin_ =
      std::chrono::steady_clock::now();
};

}  // namespace

double proved_minimum(LpSession& session, double target,
                      const LpLimits& limits) {
  return ProofTree(session, target, limits).run();
}

}  // namespace rematch
