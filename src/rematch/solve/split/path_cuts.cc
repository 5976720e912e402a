// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/path_cuts.h"

#include <algorithm>
#include <optional>
#include <queue>

namespace rematch {
namespace {

constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

// Searches paths to ancestors with the least sum of lives at one moment.
class PathSearch {
 public:
  PathSearch(const SplitProgram& program, std::span<const double> columns)
      : program_(program),
        columns_(columns),
        seen_(program.lives().all.size(), -1),
        nodes_(program.lives().all.size()) {}

  // A rerun of some storage is due, the more so the larger `due` is: reruns of
  // its ancestors follow. Begins with `roots`, each needed by the deadline.
  std::optional<PathCut> find(std::int32_t moment,
                              std::span<const LifeId> first,
                              std::int32_t deadline, const LinearSum& not_due,
                              double least) {
    ++round_;
    moment_ = moment;
    best_.reset();
    most_ = 1 - least;
    const double start = not_due.at(columns_);
    for (LifeId life : first) reach(life, start, deadline, std::nullopt);
    while (!queue_.empty()) {
      const auto [distance, id] = queue_.top();
      queue_.pop();
      Node& node = nodes_[id];
      if (node.done || distance > node.distance) continue;
      node.done = true;
      consider(id);
      expand(id);
    }
    if (!best_) return std::nullopt;
    return cut(not_due);
  }

 private:
  struct Node {
    double distance = 0;
    std::int32_t deadline = 0;
    std::optional<LifeId> from;
    bool done = false;
  };
  using Entry = std::pair<double, LifeId>;

  // Whether the storage is live at the moment; none if that cannot be said.
  std::optional<Binary> live_at_moment(LifeId id) const {
    const Life& life = program_.lives().all[id];
    if (moment_ < life.birth()) return std::nullopt;
    if (moment_ > life.horizon) return Binary::constant(false);
    if (life.is_certain_at(moment_)) return Binary::constant(true);
    if (!program_.is_point(id, moment_)) return std::nullopt;
    return program_.surely_live(id, moment_);
  }

  void reach(LifeId id, double distance, std::int32_t deadline,
             std::optional<LifeId> from) {
    const auto live = live_at_moment(id);
    if (!live) return;
    distance += live->at(columns_);
    if (distance >= most_) return;
    const Life& life = program_.lives().all[id];
    const auto next = life.next_touch(moment_);
    if (next) deadline = std::min(deadline, *next);
    Node& node = nodes_[id];
    if (seen_[id] == round_ && node.distance <= distance) return;
    seen_[id] = round_;
    node = {distance, deadline, from, false};
    queue_.emplace(distance, id);
  }

  void expand(LifeId id) {
    const Life& life = program_.lives().all[id];
    if (!life.root) return;
    const Node node = nodes_[id];
    for (LifeId parent : program_.lives().read_by[*life.root]) {
      reach(parent, node.distance, node.deadline, id);
    }
  }

  void consider(LifeId id) {
    const Node& node = nodes_[id];
    const LinearSum runs = program_.runs(id, moment_, node.deadline);
    const double value = node.distance + runs.at(columns_);
    if (value >= most_) return;
    most_ = value;
    best_ = id;
  }

  PathCut cut(const LinearSum& not_due) const {
    PathCut result;
    const Node& end = nodes_[*best_];
    result.sum = program_.runs(*best_, moment_, end.deadline);
    for (const LinearTerm& term : not_due.terms) {
      result.sum.terms.push_back(term);
    }
    result.sum.constant += not_due.constant;
    for (auto at = best_; at; at = nodes_[*at].from) {
      result.sum.add(*live_at_moment(*at), 1);
    }
    result.violation = 1 - most_;
    result.source = *best_;
    result.deadline = end.deadline;
    return result;
  }

  const SplitProgram& program_;
  std::span<const double> columns_;
  IdVector<LifeId, int> seen_;  // The round in which the node was reached.
  IdVector<LifeId, Node> nodes_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  int round_ = 0;
  std::int32_t moment_ = 0;
  double most_ = 1;  // The value that a better cut is below.
  std::optional<LifeId> best_;
};

}  // namespace

std::vector<PathCut> path_cuts(const SplitProgram& program,
                               std::span<const std::int32_t> moments,
                               std::span<const double> columns, double least) {
  std::vector<PathCut> cuts;
  PathSearch search(program, columns);
  const Lives& lives = program.lives();
  for (std::int32_t moment : moments) {
    for (LifeId id : lives.all.ids()) {
      const Life& life = lives.all[id];
      const auto next = life.next_touch(moment);
      if (moment <= life.birth() || !next) continue;
      auto found = search.find(moment, std::span(&id, 1), *next, {}, least);
      if (found) cuts.push_back(*std::move(found));
    }
  }
  for (OpId op : lives.read_by.ids()) {
    const auto points = program.run_points(op);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Binary run = program.run(op, i);
      if (run.is_constant() || run.at(columns) < least) continue;
      if (!std::binary_search(moments.begin(), moments.end(), points[i])) {
        continue;
      }
      LinearSum not_due;
      not_due.constant = 1;
      not_due.add(run, -1);
      auto found = search.find(points[i], lives.read_by[op],
                               i + 1 < points.size() ? points[i + 1] : kNever,
                               not_due, least);
      if (found) cuts.push_back(*std::move(found));
    }
  }
  return cuts;
}

}  // namespace rematch
