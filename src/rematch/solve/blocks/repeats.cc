// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/blocks/repeats.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <unordered_map>

namespace rematch {
namespace {

// Shorter blocks are hardly worth the name.
constexpr std::size_t kShortestPeriod = 4;
// Ops are told apart by so many that follow: a power of two.
constexpr std::size_t kContext = 8;
// Distances between likenesses that are looked at, the most frequent first.
constexpr std::size_t kMostPeriods = 8;

// What is read from farther away may be the same for all blocks: a mask.
constexpr std::size_t kFar = 64;

using Hash = std::uint64_t;

Hash mix(Hash hash, Hash value) {
  hash ^= value + 0x9E3779B97F4A7C15u + (hash << 6) + (hash >> 2);
  hash *= 0xBF58476D1CE4E5B9u;
  return hash ^ (hash >> 31);
}

Hash mix_bytes(Hash hash, Bytes bytes) {
  return mix(hash, static_cast<Hash>(bytes));
}

// What the op is by itself.
Hash own_hash(const Graph& graph, OpId id) {
  const Op& op = graph.op(id);
  Hash hash = std::hash<std::string>{}(op.kind);
  hash = mix(hash, std::bit_cast<Hash>(op.cost));
  hash = mix_bytes(hash, op.workspace);
  hash = mix(hash, static_cast<Hash>(op.phase) * 2 + (op.recomputable ? 1 : 0));
  for (TensorId output : graph.outputs(id)) {
    const Tensor& tensor = graph.tensor(output);
    hash = mix_bytes(hash, tensor.bytes);
    hash = mix_bytes(hash, graph.storage(tensor.storage).bytes);
    hash = mix(hash, tensor.is_output ? 1 : 0);
  }
  return hash;
}

// The same with what it reads. Where a backward op finds what a forward op has
// made differs from block to block; only what that was counts.
std::vector<Hash> hashes(const Graph& graph) {
  std::vector<Hash> own(graph.num_ops());
  std::vector<Hash> all(graph.num_ops());
  for (OpId op : graph.ops()) {
    Hash hash = own[op.index()] = own_hash(graph, op);
    for (TensorId input : graph.inputs(op)) {
      const Tensor& tensor = graph.tensor(input);
      if (!tensor.producer) {
        hash = mix_bytes(hash, tensor.bytes);
        continue;
      }
      const OpId producer = *tensor.producer;
      hash = mix(hash, own[producer.index()]);
      if (graph.op(producer).phase != graph.op(op).phase) continue;
      hash = mix(hash, std::min(op.index() - producer.index(), kFar));
    }
    all[op.index()] = hash;
  }
  return all;
}

// Each op with those that follow it.
std::vector<Hash> in_context(std::vector<Hash> hashes) {
  for (std::size_t step = 1; step < kContext; step *= 2) {
    for (std::size_t i = 0; i + step < hashes.size(); ++i) {
      hashes[i] = mix(hashes[i], hashes[i + step]);
    }
  }
  return hashes;
}

// How far apart ops are from the next one that is like them, by how often that
// happens.
std::vector<std::size_t> likely_periods(const std::vector<Hash>& hashes) {
  std::unordered_map<Hash, std::size_t> last;
  std::unordered_map<std::size_t, std::size_t> often;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const auto [place, is_new] = last.try_emplace(hashes[i], i);
    if (is_new) continue;
    ++often[i - place->second];
    place->second = i;
  }
  std::vector<std::pair<std::size_t, std::size_t>> sorted;
  for (const auto& [period, times] : often) {
    if (period >= kShortestPeriod && times >= period * (kFewestBlocks - 2)) {
      sorted.emplace_back(times, period);
    }
  }
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  if (sorted.size() > kMostPeriods) sorted.resize(kMostPeriods);
  std::vector<std::size_t> periods;
  periods.reserve(sorted.size());
  for (const auto& [times, period] : sorted) periods.push_back(period);
  return periods;
}

class Finder {
 public:
  explicit Finder(const Graph& graph)
      : graph_(graph), hashes_(hashes(graph)), taken_(graph.num_ops()) {}

  std::vector<Repeat> run() {
    for (std::size_t period : likely_periods(in_context(hashes_))) {
      find_with(period);
    }
    std::sort(
        found_.begin(), found_.end(),
        [](const Repeat& a, const Repeat& b) { return a.first < b.first; });
    return std::move(found_);
  }

 private:
  bool is_alike(std::size_t i, std::size_t period) const {
    return hashes_[i] == hashes_[i + period] && !taken_[i] &&
           !taken_[i + period];
  }

  void find_with(std::size_t period) {
    std::size_t begin = 0;
    while (begin + period < hashes_.size()) {
      std::size_t end = begin;
      while (end + period < hashes_.size() && is_alike(end, period)) ++end;
      const std::size_t length = end - begin + period;
      if (length >= kFewestBlocks * period) take({begin, period, 0}, length);
      begin = end + 1;
    }
  }

  // Keeps a stretch of `length` ops, from where its blocks begin best.
  void take(Repeat repeat, std::size_t length) {
    const std::size_t spare = length % repeat.period;
    repeat.count = length / repeat.period;
    std::size_t cut = best_cut(repeat);
    if (cut > spare) --repeat.count;
    if (repeat.count < kFewestBlocks) {
      repeat.count = kFewestBlocks;
      cut = 0;
    }
    repeat.first += cut;
    for (std::size_t i = repeat.first; i < repeat.end(); ++i) taken_[i] = true;
    found_.push_back(repeat);
  }

  // The place in a block before which the least is read on, looked up in the
  // middle of the stretch.
  std::size_t best_cut(const Repeat& repeat) const {
    const std::size_t period = repeat.period;
    const std::size_t middle = repeat.first + repeat.count / 2 * period;
    std::vector<Bytes> read_on(period + 1);
    for (std::size_t i = repeat.first; i < middle + period; ++i) {
      for (TensorId output : graph_.outputs(OpId(i))) {
        const std::size_t last = last_reader(output, repeat.end());
        const std::size_t from = std::max(i + 1, middle);
        const std::size_t until = std::min(last, middle + period - 1);
        if (last <= i || from > until) continue;
        read_on[from - middle] += graph_.tensor(output).bytes;
        read_on[until - middle + 1] -= graph_.tensor(output).bytes;
      }
    }
    for (std::size_t i = 1; i < period; ++i) read_on[i] += read_on[i - 1];
    return static_cast<std::size_t>(
        std::min_element(read_on.begin(), read_on.end() - 1) - read_on.begin());
  }

  // Before `end`; 0 if there is none.
  std::size_t last_reader(TensorId tensor, std::size_t end) const {
    const auto readers = graph_.readers(tensor);
    const auto after =
        std::lower_bound(readers.begin(), readers.end(), OpId(end));
    return after == readers.begin() ? 0 : (after - 1)->index();
  }

  const Graph& graph_;
  std::vector<Hash> hashes_;
  std::vector<bool> taken_;
  std::vector<Repeat> found_;
};

}  // namespace

std::vector<Repeat> find_repeats(const Graph& graph) {
  return Finder(graph).run();
}

}  // namespace rematch
