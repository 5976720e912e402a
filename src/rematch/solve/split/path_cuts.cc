// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/path_cuts.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace rematch {
namespace {

// Ancestors that one search for a split looks at, and all of them together: few
// can be split, so that the rest would be gone through in vain.
constexpr std::int64_t kMostForASplit = 300;
constexpr std::int64_t kMostForSplits = 2'000'000;

constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

// Whether the life is live at the moment; none if that cannot be said.
std::optional<Binary> live_at(const SplitProgram& program, LifeId id,
                              std::int32_t moment) {
  const Life& life = program.lives().all[id];
  if (moment < life.birth()) return std::nullopt;
  if (moment > life.horizon) return Binary::constant(false);
  if (life.is_certain_at(moment)) return Binary::constant(true);
  if (!program.is_point(id, moment)) return std::nullopt;
  return program.surely_live(id, moment);
}

// The piece of the op's runs that begins at the moment.
std::optional<std::size_t> piece_at(const SplitProgram& program, OpId op,
                                    std::int32_t moment) {
  const auto points = program.run_points(op);
  const auto at = std::lower_bound(points.begin(), points.end(), moment);
  if (at == points.end() || *at != moment) return std::nullopt;
  return static_cast<std::size_t>(at - points.begin());
}

// The stage at which a piece ends.
std::int32_t end_of(const SplitProgram& program, OpId op, std::size_t piece) {
  const auto points = program.run_points(op);
  return piece + 1 < points.size() ? points[piece + 1] : kNever;
}

// What a search looks for at the end of a path.
enum class End { kCut, kSplit };

// Searches paths to ancestors with the least sum of lives at one moment.
class PathSearch {
 public:
  PathSearch(const SplitProgram& program, std::span<const double> columns,
             double least, End end)
      : program_(program),
        columns_(columns),
        least_(least),
        end_(end),
        seen_(program.lives().all.size(), -1),
        nodes_(program.lives().all.size()) {}

  // A rerun of some storage is due, the more so the smaller `not_due` is:
  // reruns of its ancestors follow. Begins with `first`, needed by the
  // deadline. True if there is a path that is worth something.
  bool find(std::int32_t moment, std::span<const LifeId> first,
            std::int32_t deadline, double not_due) {
    ++round_;
    moment_ = moment;
    best_.reset();
    most_ = 1 - least_;
    for (LifeId life : first) reach(life, not_due, deadline, std::nullopt);
    const std::int64_t most =
        end_ == End::kSplit ? visited_ + kMostForASplit : kMostVisited;
    while (!queue_.empty()) {
      const auto [distance, id] = queue_.top();
      queue_.pop();
      if (visited_ >= most) continue;
      Node& node = nodes_[id];
      if (node.done || distance > node.distance) continue;
      node.done = true;
      ++visited_;
      consider(id);
      expand(id);
    }
    return best_.has_value();
  }

  // Whether it has looked at enough for one point.
  bool is_tired() const {
    return end_ == End::kSplit && visited_ >= kMostForSplits;
  }

  // Of what was found last.
  double violation() const { return 1 - most_; }
  LifeId source() const { return *best_; }
  std::int32_t deadline() const { return nodes_[*best_].deadline; }
  std::vector<LifeId> path() const {
    std::vector<LifeId> lives;
    for (auto at = best_; at; at = nodes_[*at].from) lives.push_back(*at);
    std::ranges::reverse(lives);
    return lives;
  }

 private:
  struct Node {
    double distance = 0;
    std::int32_t deadline = 0;
    std::optional<LifeId> from;
    bool done = false;
  };
  using Entry = std::pair<double, LifeId>;

  void reach(LifeId id, double distance, std::int32_t deadline,
             std::optional<LifeId> from) {
    const auto live = live_at(program_, id, moment_);
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
    if (end_ == End::kSplit && !can_split(id, node.deadline)) return;
    const double runs =
        end_ == End::kSplit
            ? runs_within(id, moment_, node.deadline)
            : program_.runs(id, moment_, node.deadline).at(columns_);
    if (node.distance + runs >= most_) return;
    most_ = node.distance + runs;
    best_ = id;
  }

  bool can_split(LifeId id, std::int32_t stage) const {
    const Life& life = program_.lives().all[id];
    return life.root && stage > life.birth() && stage <= life.horizon &&
           !life.is_certain_at(stage) && !program_.is_point(id, stage);
  }

  // Of the pieces that are over by then.
  double runs_within(LifeId id, std::int32_t after, std::int32_t by) const {
    const OpId op = *program_.lives().all[id].root;
    double sum = 0;
    for (std::size_t i = 0; i < program_.run_points(op).size(); ++i) {
      const std::int32_t end = end_of(program_, op, i);
      if (end > after && end <= by) sum += program_.run(op, i).at(columns_);
    }
    return sum;
  }

  const SplitProgram& program_;
  std::span<const double> columns_;
  double least_;
  End end_;
  IdVector<LifeId, int> seen_;  // The round in which the node was reached.
  IdVector<LifeId, Node> nodes_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  static constexpr std::int64_t kMostVisited =
      std::numeric_limits<std::int64_t>::max();

  std::int64_t visited_ = 0;
  int round_ = 0;
  std::int32_t moment_ = 0;
  double most_ = 1;  // The value that a better end is below.
  std::optional<LifeId> best_;
};

// Calls on_found(moment, rerun) for each storage that is touched after a
// moment, and each rerun that begins at one, from which the search finds a
// path.
template <class OnFound>
void for_each_path(const SplitProgram& program,
                   std::span<const std::int32_t> moments,
                   std::span<const double> columns, double least,
                   PathSearch& search, const OnFound& on_found) {
  const Lives& lives = program.lives();
  for (std::int32_t moment : moments) {
    for (LifeId id : lives.all.ids()) {
      const Life& life = lives.all[id];
      const auto next = life.next_touch(moment);
      if (moment <= life.birth() || !next || search.is_tired()) continue;
      if (search.find(moment, std::span(&id, 1), *next, 0)) {
        on_found(moment, std::nullopt);
      }
    }
  }
  for (OpId op : lives.read_by.ids()) {
    const auto points = program.run_points(op);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Binary run = program.run(op, i);
      if (run.is_constant() || run.at(columns) < least) continue;
      if (search.is_tired()) return;
      if (!std::binary_search(moments.begin(), moments.end(), points[i])) {
        continue;
      }
      if (search.find(points[i], lives.read_by[op], end_of(program, op, i),
                      1 - run.at(columns))) {
        on_found(points[i], std::optional(op));
      }
    }
  }
}

}  // namespace

std::optional<LinearSum> path_sum(const SplitProgram& program,
                                  const Path& path) {
  std::int32_t deadline = kNever;
  LinearSum sum;
  if (path.rerun) {
    const auto piece = piece_at(program, *path.rerun, path.moment);
    if (!piece) return std::nullopt;
    const Binary run = program.run(*path.rerun, *piece);
    if (run.is_constant()) return std::nullopt;
    sum.constant = 1;
    sum.add(run, -1);
    deadline = end_of(program, *path.rerun, *piece);
  }
  const Lives& lives = program.lives();
  if (!path.rerun && !lives.all[path.lives.front()].next_touch(path.moment)) {
    return std::nullopt;
  }
  for (LifeId id : path.lives) {
    const auto live = live_at(program, id, path.moment);
    if (!live) return std::nullopt;
    sum.add(*live, 1);
    const auto next = lives.all[id].next_touch(path.moment);
    if (next) deadline = std::min(deadline, *next);
  }
  const LinearSum runs = program.runs(path.lives.back(), path.moment, deadline);
  sum.terms.insert(sum.terms.end(), runs.terms.begin(), runs.terms.end());
  sum.constant += runs.constant;
  return sum;
}

std::vector<PathCut> path_cuts(const SplitProgram& program,
                               std::span<const std::int32_t> moments,
                               std::span<const double> columns, double least) {
  std::vector<PathCut> cuts;
  PathSearch search(program, columns, least, End::kCut);
  for_each_path(
      program, moments, columns, least, search,
      [&](std::int32_t moment, std::optional<OpId> rerun) {
        Path path{moment, rerun, search.path()};
        auto sum = path_sum(program, path);
        if (!sum) return;
        cuts.push_back({*std::move(sum), search.violation(), std::move(path)});
      });
  return cuts;
}

std::vector<PathSplit> path_splits(const SplitProgram& program,
                                   std::span<const std::int32_t> moments,
                                   std::span<const double> columns,
                                   double least) {
  std::vector<PathSplit> splits;
  PathSearch search(program, columns, least, End::kSplit);
  for_each_path(program, moments, columns, least, search,
                [&](std::int32_t, std::optional<OpId>) {
                  splits.push_back(
                      {search.source(), search.deadline(), search.violation()});
                });
  return splits;
}

}  // namespace rematch
