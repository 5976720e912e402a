// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/crossover.h"

#include <algorithm>

namespace rematch {
namespace {

// A stretch of reruns in a sequence.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The reruns just before the first run of each op.
IdVector<OpId, Stretch> reruns_before(const Graph& graph,
                                      std::span<const OpId> sequence) {
  IdVector<OpId, Stretch> result(graph.num_ops());
  IdVector<OpId, bool> ran(graph.num_ops());
  std::size_t begin = 0;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    if (ran[sequence[i]]) continue;
    ran[sequence[i]] = true;
    result[sequence[i]] = {begin, i};
    begin = i + 1;
  }
  return result;
}

}  // namespace

std::vector<std::size_t> differing_stages(const Graph& graph,
                                          std::span<const OpId> one,
                                          std::span<const OpId> other) {
  const auto first = reruns_before(graph, one);
  const auto second = reruns_before(graph, other);
  std::vector<std::size_t> result;
  IdVector<OpId, bool> ran(graph.num_ops());
  std::size_t stage = 0;
  for (OpId op : one) {
    if (ran[op]) continue;
    ran[op] = true;
    const auto a =
        one.subspan(first[op].begin, first[op].end - first[op].begin);
    const auto b =
        other.subspan(second[op].begin, second[op].end - second[op].begin);
    if (!std::ranges::equal(a, b)) result.push_back(stage);
    ++stage;
  }
  return result;
}

std::vector<OpId> crossover(const Graph& graph, std::span<const OpId> outside,
                            std::span<const OpId> inside, std::size_t begin,
                            std::size_t end) {
  const auto theirs = reruns_before(graph, inside);
  std::vector<OpId> result;
  std::vector<OpId> reruns;  // Of `outside`, in the present stage.
  IdVector<OpId, bool> ran(graph.num_ops());
  IdVector<OpId, bool> placed(graph.num_ops());
  const auto place = [&](std::span<const OpId> ops) {
    for (OpId op : ops) {
      if (placed[op]) result.push_back(op);
    }
  };
  std::size_t stage = 0;
  for (OpId op : outside) {
    if (ran[op]) {
      reruns.push_back(op);
      continue;
    }
    ran[op] = true;
    if (begin <= stage && stage < end) {
      place(
          inside.subspan(theirs[op].begin, theirs[op].end - theirs[op].begin));
    } else {
      place(reruns);
    }
    reruns.clear();
    result.push_back(op);
    placed[op] = true;
    ++stage;
  }
  return result;
}

}  // namespace rematch
