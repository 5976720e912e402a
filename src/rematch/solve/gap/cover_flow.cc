// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/cover_flow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace rematch {
namespace {

constexpr std::int32_t kNone = -1;

// Nodes 0..rows; arc `a` of the caller goes from first to last + 1; arc
// num_arcs + r is the excess of row r and goes from r + 1 back to r.
class NetworkSimplex {
 public:
  NetworkSimplex(const std::vector<double>& need,
                 const std::vector<CoverArc>& arcs)
      : rows_(static_cast<std::int32_t>(need.size())),
        num_arcs_(static_cast<std::int32_t>(arcs.size())) {
    const std::size_t total = arcs.size() + need.size();
    arcs_.resize(total);
    capacity_.resize(total, std::numeric_limits<double>::infinity());
    flow_.resize(total);
    for (std::size_t a = 0; a < arcs.size(); ++a) {
      arcs_[a] = {.tail = arcs[a].first,
                  .head = arcs[a].last + 1,
                  .price = arcs[a].price,
                  .place = arcs[a].is_likely ? kFull : kEmpty};
      capacity_[a] = arcs[a].capacity;
      tolerance_ = std::max(tolerance_, 1e-13 * arcs[a].price);
    }
    fill_where_short(need);
    for (std::size_t a = 0; a < arcs.size(); ++a) {
      flow_[a] = arcs_[a].place == kFull ? capacity_[a] : 0;
    }
    start_tree(need);
  }

  CoverResult run(Meter& meter) {
    CoverResult result;
    const std::int64_t most = 50LL * (num_arcs_ + rows_) + 1000;
    for (std::int64_t pivots = 0; pivots < most; ++pivots) {
      const std::int32_t entering = choose_entering();
      if (entering == kNone) {
        result.optimal = true;
        break;
      }
      pivot(entering);
      if (meter.stop(block_ + depth_[at(arcs_[at(entering)].tail)])) break;
    }
    result.flow.assign(flow_.begin(), flow_.begin() + num_arcs_);
    for (std::int32_t r = 0; r < rows_; ++r) {
      result.multipliers.push_back(
          std::max(0.0, potential_[at(r)] - potential_[at(r + 1)]));
    }
    return result;
  }

 private:
  // Where the flow of an arc is, as the sign of what its reduced cost gains.
  static constexpr double kEmpty = -1;
  static constexpr double kTree = 0;
  static constexpr double kFull = 1;

  // What pricing reads, side by side.
  struct Arc {
    std::int32_t tail = 0;
    std::int32_t head = 0;
    double price = 0;
    double place = kTree;
  };

  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

  // By row, what the full arcs cover.
  std::vector<double> covered() const {
    std::vector<double> sum(at(rows_) + 1);
    for (std::int32_t a = 0; a < num_arcs_; ++a) {
      const Arc& arc = arcs_[at(a)];
      if (arc.place != kFull) continue;
      sum[at(arc.tail)] += capacity_[at(a)];
      sum[at(arc.head)] -= capacity_[at(a)];
    }
    std::partial_sum(sum.begin(), sum.end(), sum.begin());
    return sum;
  }

  // The cheapest arcs over rows that are not covered, until all are.
  void fill_where_short(const std::vector<double>& need) {
    std::vector<double> covered_by = covered();
    std::vector<std::int32_t> rows;  // That are short, ascending.
    for (std::int32_t r = 0; r < rows_; ++r) {
      if (covered_by[at(r)] < need[at(r)]) rows.push_back(r);
    }
    std::vector<std::int32_t> helpful;
    for (std::int32_t a = 0; a < num_arcs_ && !rows.empty(); ++a) {
      const Arc& arc = arcs_[at(a)];
      const auto row = std::lower_bound(rows.begin(), rows.end(), arc.tail);
      if (arc.place == kEmpty && row != rows.end() && *row < arc.head) {
        helpful.push_back(a);
      }
    }
    std::sort(helpful.begin(), helpful.end(),
              [&](std::int32_t a, std::int32_t b) {
                return std::pair(arcs_[at(a)].price, a) <
                       std::pair(arcs_[at(b)].price, b);
              });
    for (const std::int32_t a : helpful) {
      Arc& arc = arcs_[at(a)];
      const auto end = std::lower_bound(rows.begin(), rows.end(), arc.head);
      for (auto row = std::lower_bound(rows.begin(), rows.end(), arc.tail);
           row != end; ++row) {
        if (covered_by[at(*row)] < need[at(*row)]) arc.place = kFull;
      }
      if (arc.place != kFull) continue;
      for (auto row = std::lower_bound(rows.begin(), rows.end(), arc.tail);
           row != end; ++row) {
        covered_by[at(*row)] += capacity_[at(a)];
      }
    }
  }

  // The excess arcs form a path; node 0 is the root.
  void start_tree(const std::vector<double>& need) {
    const std::vector<double> sum = covered();
    const auto nodes = static_cast<std::size_t>(rows_) + 1;
    parent_.assign(nodes, kNone);
    parent_arc_.assign(nodes, kNone);
    depth_.assign(nodes, 0);
    potential_.assign(nodes, 0);
    first_child_.assign(nodes, kNone);
    before_.assign(nodes, kNone);
    after_.assign(nodes, kNone);
    for (std::int32_t r = 0; r < rows_; ++r) {
      const std::int32_t arc = num_arcs_ + r;
      arcs_[at(arc)] = {.tail = r + 1, .head = r, .price = 0, .place = kTree};
      flow_[at(arc)] = std::max(0.0, sum[at(r)] - need[at(r)]);
      parent_arc_[at(r + 1)] = arc;
      depth_[at(r + 1)] = r + 1;
      hang(r + 1, r);
    }
    const std::int32_t total = num_arcs_ + rows_;
    block_ = std::max<std::int32_t>(
        32, static_cast<std::int32_t>(std::sqrt(static_cast<double>(total))));
  }

  // How much better the value gets per unit of flow changed on the arc.
  double gain(const Arc& arc) const {
    return arc.place *
           (arc.price - potential_[at(arc.tail)] + potential_[at(arc.head)]);
  }

  // The best arc of the first block that has one worth taking.
  std::int32_t choose_entering() {
    const std::int32_t total = num_arcs_ + rows_;
    std::int32_t best = kNone;
    double most = 0;
    std::int32_t in_block = block_;
    for (std::int32_t seen = 0; seen < total; ++seen) {
      const double now = gain(arcs_[at(next_)]);
      if (now > most && now > tolerance_) {
        most = now;
        best = next_;
      }
      next_ = next_ + 1 == total ? 0 : next_ + 1;
      if (--in_block > 0) continue;
      if (best != kNone) return best;
      in_block = block_;
    }
    return best;
  }

  // The cycle runs from `from` along the entering arc to `to`, and through the
  // tree back. The last arc that blocks, seen from the top of the cycle in its
  // direction, leaves: that keeps the tree strongly feasible and so never
  // cycles for ever.
  void pivot(std::int32_t entering) {
    Arc& arc = arcs_[at(entering)];
    const bool filling = arc.place == kEmpty;
    const std::int32_t from = filling ? arc.tail : arc.head;
    const std::int32_t to = filling ? arc.head : arc.tail;
    const std::int32_t top = common_ancestor(from, to);

    double step = capacity_[at(entering)];
    std::int32_t leaving = kNone;  // The lower node of the leaving tree arc.
    bool leaves_on_from_side = false;
    // Towards `from` the cycle runs down the tree: the last one seen is the
    // lowest, so a smaller or equal room further up does not replace it.
    for (std::int32_t v = from; v != top; v = parent_[at(v)]) {
      const double room = room_down(v);
      if (room < step) {
        step = room;
        leaving = v;
        leaves_on_from_side = true;
      }
    }
    for (std::int32_t v = to; v != top; v = parent_[at(v)]) {
      const double room = room_up(v);
      if (room <= step) {
        step = room;
        leaving = v;
        leaves_on_from_side = false;
      }
    }
    push(from, to, top, step);
    flow_[at(entering)] += filling ? step : -step;
    if (leaving == kNone) {  // From one bound to the other.
      arc.place = filling ? kFull : kEmpty;
      return;
    }
    replace(entering, leaving, leaves_on_from_side ? from : to,
            leaves_on_from_side ? to : from);
  }

  std::int32_t common_ancestor(std::int32_t a, std::int32_t b) const {
    while (a != b) {
      if (depth_[at(a)] >= depth_[at(b)]) {
        a = parent_[at(a)];
      } else {
        b = parent_[at(b)];
      }
    }
    return a;
  }

  bool points_up(std::int32_t node) const {
    return arcs_[at(parent_arc_[at(node)])].tail == node;
  }

  // How much more can flow from a node to its parent, and the other way.
  double room_up(std::int32_t node) const {
    const std::size_t arc = at(parent_arc_[at(node)]);
    return points_up(node) ? capacity_[arc] - flow_[arc] : flow_[arc];
  }
  double room_down(std::int32_t node) const {
    const std::size_t arc = at(parent_arc_[at(node)]);
    return points_up(node) ? flow_[arc] : capacity_[arc] - flow_[arc];
  }

  void push(std::int32_t from, std::int32_t to, std::int32_t top, double step) {
    if (step == 0) return;
    for (std::int32_t v = from; v != top; v = parent_[at(v)]) {
      flow_[at(parent_arc_[at(v)])] += points_up(v) ? -step : step;
    }
    for (std::int32_t v = to; v != top; v = parent_[at(v)]) {
      flow_[at(parent_arc_[at(v)])] += points_up(v) ? step : -step;
    }
  }

  void hang(std::int32_t node, std::int32_t parent) {
    std::int32_t& first = first_child_[at(parent)];
    parent_[at(node)] = parent;
    before_[at(node)] = kNone;
    after_[at(node)] = first;
    if (first != kNone) before_[at(first)] = node;
    first = node;
  }
  void take_off(std::int32_t node) {
    const std::int32_t before = before_[at(node)];
    const std::int32_t after = after_[at(node)];
    if (after != kNone) before_[at(after)] = before;
    (before != kNone ? after_[at(before)]
                     : first_child_[at(parent_[at(node)])]) = after;
  }

  // Cuts the tree above `leaving` and hangs the part with `inside` from
  // `outside` by the entering arc.
  void replace(std::int32_t entering, std::int32_t leaving, std::int32_t inside,
               std::int32_t outside) {
    const std::size_t out = at(parent_arc_[at(leaving)]);
    const bool full = flow_[out] * 2 > capacity_[out];
    arcs_[out].place = full ? kFull : kEmpty;
    flow_[out] = full ? capacity_[out] : 0;
    arcs_[at(entering)].place = kTree;
    std::int32_t node = inside;
    std::int32_t new_parent = outside;
    std::int32_t arc = entering;
    while (true) {
      const std::int32_t old_parent = parent_[at(node)];
      const std::int32_t old_arc = parent_arc_[at(node)];
      take_off(node);
      parent_arc_[at(node)] = arc;
      hang(node, new_parent);
      if (node == leaving) break;
      new_parent = node;
      node = old_parent;
      arc = old_arc;
    }
    update_below(inside);
  }

  // Depths and potentials of a subtree that was moved.
  void update_below(std::int32_t node) {
    stack_.assign(1, node);
    while (!stack_.empty()) {
      const std::int32_t v = stack_.back();
      stack_.pop_back();
      const std::int32_t above = parent_[at(v)];
      const double price = arcs_[at(parent_arc_[at(v)])].price;
      depth_[at(v)] = depth_[at(above)] + 1;
      potential_[at(v)] =
          potential_[at(above)] + (points_up(v) ? price : -price);
      for (std::int32_t child = first_child_[at(v)]; child != kNone;
           child = after_[at(child)]) {
        stack_.push_back(child);
      }
    }
  }

  std::int32_t rows_;
  std::int32_t num_arcs_;
  std::vector<Arc> arcs_;
  std::vector<double> capacity_;
  std::vector<double> flow_;
  std::vector<std::int32_t> parent_;      // By node.
  std::vector<std::int32_t> parent_arc_;  // By node.
  std::vector<std::int32_t> depth_;
  std::vector<double> potential_;
  std::vector<std::int32_t> first_child_;  // By node.
  std::vector<std::int32_t> before_;       // Among the children of its parent,
  std::vector<std::int32_t> after_;        // by node.
  std::vector<std::int32_t> stack_;
  std::int32_t next_ = 0;  // Where pricing goes on.
  std::int32_t block_ = 32;
  double tolerance_ = 0;  // Gains below are rounding.
};

}  // namespace

CoverResult solve_cover(const std::vector<double>& need,
                        const std::vector<CoverArc>& arcs, Meter& meter) {
  return NetworkSimplex(need, arcs).run(meter);
}

}  // namespace rematch
