// SPDX-License-Identifier: Apache-2.0
// What is particular to each family but the chain.
#include "rematch/graph/synthetic/families.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace rematch {
namespace {

Graph training_graph(Family family, std::int64_t length,
                     std::uint64_t seed = 1) {
  return synthetic_graph({.family = family,
                          .length = length,
                          .training = true,
                          .numbers = Numbers::kRealistic,
                          .seed = seed})
      .value();
}

std::optional<OpId> find_op(const Graph& graph, std::string_view name) {
  for (OpId op : graph.ops()) {
    if (graph.op(op).name == name) return op;
  }
  return std::nullopt;
}

const Tensor& output_of(const Graph& graph, std::string_view name) {
  return graph.tensor(graph.outputs(find_op(graph, name).value()).front());
}

std::size_t count_kind(const Graph& graph, std::string_view kind) {
  std::size_t count = 0;
  for (OpId op : graph.ops()) count += graph.op(op).kind == kind ? 1 : 0;
  return count;
}

// A weight as the name of its gradient says; batches and buffers have none.
bool is_weight(const Tensor& tensor) {
  return !tensor.producer &&
         (tensor.name.ends_with(".weight") || tensor.name.ends_with(".bias"));
}

TEST(Families, EveryWeightHasOneGradientOfItsSizeThatIsKept) {
  for (Family family :
       {Family::kResidual, Family::kUnet, Family::kTransformer}) {
    const Graph graph = training_graph(family, 5);
    std::vector<std::pair<std::string, Bytes>> weights;
    std::vector<std::pair<std::string, Bytes>> gradients;
    for (TensorId id : graph.tensors()) {
      const Tensor& tensor = graph.tensor(id);
      if (is_weight(tensor)) {
        weights.emplace_back(tensor.name + ".grad", tensor.bytes);
      }
      if (!tensor.name.ends_with(".grad")) continue;
      EXPECT_TRUE(tensor.is_output) << tensor.name;
      gradients.emplace_back(tensor.name, tensor.bytes);
    }
    std::sort(weights.begin(), weights.end());
    std::sort(gradients.begin(), gradients.end());
    EXPECT_EQ(weights, gradients);
    EXPECT_FALSE(weights.empty());
  }
}

TEST(Transformer, LayersAreIdentical) {
  const Graph graph = training_graph(Family::kTransformer, 4);
  for (OpId id : graph.ops()) {
    const Op& op = graph.op(id);
    if (!op.name.starts_with("layer0.")) continue;
    const auto twin = find_op(graph, "layer2." + op.name.substr(7));
    ASSERT_TRUE(twin.has_value()) << op.name;
    EXPECT_EQ(graph.op(*twin).cost, op.cost) << op.name;
    EXPECT_EQ(graph.op(*twin).workspace, op.workspace) << op.name;
    EXPECT_EQ(graph.outputs(*twin).size(), graph.outputs(id).size());
  }
}

TEST(Transformer, HeadsAreViewsOfOneProjection) {
  const Graph graph = training_graph(Family::kTransformer, 1);
  const Tensor& qkv = output_of(graph, "layer0.attention.qkv");
  for (const char* heads : {"q_heads", "k_heads", "v_heads"}) {
    const std::string name = std::string("layer0.attention.") + heads;
    EXPECT_EQ(output_of(graph, name).storage, qkv.storage);
    EXPECT_EQ(graph.op(*find_op(graph, name)).cost, 0);
    EXPECT_EQ(3 * output_of(graph, name).bytes, qkv.bytes);
  }
  // Three heads and the split.
  EXPECT_EQ(graph.tensors_in(qkv.storage).size(), 7U);
}

TEST(Transformer, HasTheSizesOfItsShape) {
  const Graph graph = training_graph(Family::kTransformer, 1);
  EXPECT_EQ(output_of(graph, "layer0.attention.norm").bytes,
            8 * 1024 * 1024 * 2);
  EXPECT_EQ(output_of(graph, "layer0.attention.softmax").bytes,
            Bytes{8} * 16 * 1024 * 1024 * 2);
  EXPECT_GT(graph.op(*find_op(graph, "layer0.attention.scores")).workspace, 0);
}

TEST(Transformer, DropsOutOnlyInTraining) {
  EXPECT_EQ(count_kind(training_graph(Family::kTransformer, 2), "dropout"), 6U);
  const auto inference =
      synthetic_graph({.family = Family::kTransformer, .length = 2});
  EXPECT_EQ(count_kind(*inference, "dropout"), 0U);
}

TEST(Transformer, FillsLargeSizes) {
  for (std::int64_t ops : {1000, 5000, 20000}) {
    const auto graph = synthetic_graph(
        {.family = Family::kTransformer, .ops = ops, .training = true});
    ASSERT_TRUE(graph.ok());
    EXPECT_LE(static_cast<std::int64_t>(graph->num_ops()), ops);
    EXPECT_GE(static_cast<std::int64_t>(graph->num_ops()) * 100, ops * 95);
  }
}

TEST(Residual, StagesHalveTheActivations) {
  const Graph graph = training_graph(Family::kResidual, 8);
  const Bytes first = output_of(graph, "block0.relu2").bytes;
  EXPECT_EQ(first, Bytes{128} * 64 * 56 * 56 * 2);
  for (int block = 0; block < 8; ++block) {
    const std::string name = "block" + std::to_string(block);
    EXPECT_EQ(output_of(graph, name + ".relu2").bytes, first >> (block / 2));
    const bool projects = block > 0 && block % 2 == 0;
    EXPECT_EQ(find_op(graph, name + ".project.conv").has_value(), projects);
  }
}

TEST(Residual, BackwardOfTheFirstConvolutionHasNoGradientOfTheBatch) {
  const Graph graph = training_graph(Family::kResidual, 1);
  const auto backward = find_op(graph, "stem.conv1.backward");
  ASSERT_TRUE(backward.has_value());
  EXPECT_EQ(graph.outputs(*backward).size(), 1U);
}

TEST(Unet, DecodesWhatEachLevelSkips) {
  for (std::int64_t levels : {1, 2, 4, 7}) {
    const Graph graph = training_graph(Family::kUnet, levels);
    for (std::int64_t level = 0; level < levels; ++level) {
      const std::string n = std::to_string(level);
      const auto concat = find_op(graph, "up" + n + ".concat");
      ASSERT_TRUE(concat.has_value());
      const auto& skip = graph.tensor(graph.inputs(*concat).front());
      EXPECT_EQ(skip.name, "down" + n + ".relu2");
      EXPECT_EQ(output_of(graph, "up" + n + ".relu2").bytes, skip.bytes);
    }
    EXPECT_EQ(count_kind(graph, "max_pool2d"),
              static_cast<std::size_t>(std::min<std::int64_t>(levels, 4)));
  }
}

TEST(RandomLayered, DependsOnTheSeed) {
  EXPECT_EQ(training_graph(Family::kRandom, 50, 7),
            training_graph(Family::kRandom, 50, 7));
  const Graph one = training_graph(Family::kRandom, 50, 7);
  const Graph other = training_graph(Family::kRandom, 50, 8);
  EXPECT_NE(one.base_cost(), other.base_cost());
  EXPECT_NE(one.num_edges(), other.num_edges());
}

TEST(RandomLayered, HasOneSourceAndOneSink) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto graph = synthetic_graph(
        {.family = Family::kRandom, .length = 60, .seed = seed});
    ASSERT_TRUE(graph.ok());
    for (OpId op : graph->ops()) {
      EXPECT_EQ(graph->inputs(op).empty(), graph->op(op).name == "source");
      const TensorId output = graph->outputs(op).front();
      EXPECT_EQ(graph->readers(output).empty(), graph->op(op).name == "sink");
    }
  }
}

TEST(RandomLayered, HasWholeDurationsAndSizesInTens) {
  const auto graph =
      synthetic_graph({.family = Family::kRandom, .length = 500});
  ASSERT_TRUE(graph.ok());
  for (OpId op : graph->ops()) {
    const Cost cost = graph->op(op).cost;
    EXPECT_EQ(cost, std::floor(cost));
    EXPECT_LE(cost, 1000);
    const Bytes bytes = graph->tensor(graph->outputs(op).front()).bytes;
    EXPECT_EQ(bytes % 10, 0);
    EXPECT_GE(bytes, 10);
    EXPECT_LE(bytes, 10'000);
  }
}

TEST(RandomLayered, IsAsDenseAsThePublishedGraphs) {
  // The published graphs of 100 and 500 nodes have 236 and 2461 edges.
  for (const auto& [nodes, edges] : {std::pair(100, 236), {500, 2461}}) {
    std::size_t sum = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      sum += synthetic_graph(
                 {.family = Family::kRandom, .length = nodes, .seed = seed})
                 ->num_edges();
    }
    EXPECT_NEAR(static_cast<double>(sum) / 10, edges, 0.15 * edges);
  }
}

}  // namespace
}  // namespace rematch
