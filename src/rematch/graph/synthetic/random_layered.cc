// SPDX-License-Identifier: Apache-2.0
// Layers of random width with random edges, after the random layered graphs of
// the Moccasin paper (Bartan et al., ICML 2023).
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "rematch/base/random.h"
#include "rematch/graph/synthetic/families.h"
#include "rematch/graph/synthetic/training.h"

namespace rematch::synthetic {
namespace {

// Chosen so that graphs of 100 to 1000 nodes have about as many edges as the
// published ones.
constexpr double kWidthFactor = 0.45;  // Mean width: sqrt(0.45 n), up to 32.
constexpr double kMostMeanWidth = 32;
constexpr double kWidthSpread = 0.75;   // Widths differ from it by up to 75%.
constexpr double kEdgeDensity = 0.28;   // Of the pairs in adjacent layers.
constexpr double kSkipsPerEdge = 0.16;  // To layers further on.

struct Node {
  std::vector<std::size_t> reads;  // Ascending, each once.
  Bytes bytes = 0;
  Cost cost = 0;
};

// Positions [first, end) of the nodes of a layer.
struct Layer {
  std::size_t first = 0;
  std::size_t end = 0;

  std::size_t width() const { return end - first; }
};

// Source, layers, sink.
std::vector<Layer> random_layers(std::size_t nodes, Random& random) {
  const double mean = std::min(
      kMostMeanWidth, std::sqrt(kWidthFactor * static_cast<double>(nodes)));
  const auto low =
      std::max<std::int64_t>(1, std::llround(mean * (1 - kWidthSpread)));
  const auto high =
      std::max<std::int64_t>(low, std::llround(mean * (1 + kWidthSpread)));
  std::vector<Layer> layers = {{0, 1}};
  const std::size_t sink = nodes - 1;
  while (layers.back().end < sink) {
    const auto width = static_cast<std::size_t>(random.between(low, high));
    const std::size_t first = layers.back().end;
    layers.push_back({first, std::min(first + width, sink)});
  }
  layers.push_back({sink, nodes});
  return layers;
}

std::size_t pick(const Layer& layer, Random& random) {
  return layer.first + random.below(layer.width());
}

// Edges between adjacent layers, at least one from and to each node.
void connect(const Layer& from, const Layer& to, Random& random,
             std::vector<Node>& nodes) {
  std::vector<bool> is_read(from.width());
  for (std::size_t reader = to.first; reader < to.end; ++reader) {
    auto& reads = nodes[reader].reads;
    for (std::size_t node = from.first; node < from.end; ++node) {
      if (random.unit() < kEdgeDensity) reads.push_back(node);
    }
    if (reads.empty()) reads.push_back(pick(from, random));
    for (std::size_t node : reads) is_read[node - from.first] = true;
  }
  for (std::size_t node = from.first; node < from.end; ++node) {
    if (is_read[node - from.first]) continue;
    nodes[pick(to, random)].reads.push_back(node);
  }
}

// Edges from layers before the one before `layers[at]`, any of them alike.
void add_skips(const std::vector<Layer>& layers, std::size_t at, Random& random,
               std::vector<Node>& nodes) {
  for (std::size_t i = layers[at].first; i < layers[at].end; ++i) {
    auto& reads = nodes[i].reads;
    const std::size_t edges = reads.size();
    for (std::size_t edge = 0; at >= 2 && edge < edges; ++edge) {
      if (random.unit() >= kSkipsPerEdge) continue;
      reads.push_back(pick(layers[random.below(at - 1)], random));
    }
    std::sort(reads.begin(), reads.end());
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
  }
}

std::vector<Node> random_nodes(const Recipe& recipe) {
  Random random(recipe.seed);
  std::vector<Node> nodes(static_cast<std::size_t>(recipe.length));
  const auto layers = random_layers(nodes.size(), random);
  for (std::size_t at = 1; at < layers.size(); ++at) {
    connect(layers[at - 1], layers[at], random, nodes);
    add_skips(layers, at, random, nodes);
  }
  for (Node& node : nodes) {
    node.bytes = 10 * random.between(1, 1000);
    node.cost = static_cast<Cost>(random.between(0, 1000));
  }
  nodes.front().cost = 0;
  nodes.back().cost = 0;
  return nodes;
}

std::string node_name(std::size_t node, std::size_t count) {
  if (node == 0) return "source";
  return node + 1 == count ? "sink" : fmt::format("node{}", node);
}

GraphBuilder build_random(const Recipe& recipe) {
  const auto nodes = random_nodes(recipe);
  Tape tape(recipe.numbers, recipe.training);
  std::vector<ValueId> values;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ForwardOp op{.name = node_name(i, nodes.size()),
                 .kind = "generic",
                 .outputs = {nodes[i].bytes},
                 .cost = nodes[i].cost,
                 .saves = {.inputs = true, .outputs = true}};
    for (std::size_t read : nodes[i].reads) op.inputs.push_back(values[read]);
    // So that backward reaches the source.
    if (i == 0 && recipe.training) op.weights = {tape.weight("input", 0)};
    values.push_back(tape.record_one(std::move(op)));
  }
  if (recipe.training) {
    tape.record({.name = "loss",
                 .kind = "loss",
                 .inputs = {values.back()},
                 .outputs = {10},
                 .cost = 1,
                 .saves = {.inputs = true},
                 .kept = true,
                 .phase = Phase::kOther});
    tape.mirror();
  }
  return std::move(tape).finish();
}

// With training every node and the loss have a backward, and a node that
// several read has a sum of gradients.
std::int64_t count_random_ops(const Recipe& recipe) {
  if (!recipe.training) return recipe.length;
  const auto nodes = random_nodes(recipe);
  std::vector<int> readers(nodes.size());
  for (const Node& node : nodes) {
    for (std::size_t read : node.reads) ++readers[read];
  }
  const auto sums = std::count_if(readers.begin(), readers.end(),
                                  [](int count) { return count > 1; });
  return 2 * (recipe.length + 1) + sums;
}

}  // namespace

FamilyTraits random_family() {
  return {.family = Family::kRandom,
          .name = "random",
          .parts = "forward ops",
          .least_length = 3,
          .count_ops = count_random_ops,
          .build = build_random};
}

}  // namespace rematch::synthetic
