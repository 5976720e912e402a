// SPDX-License-Identifier: Apache-2.0
// Backward, op by op, on nets small enough to write down.
#include "rematch/graph/synthetic/training.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/layers.h"

namespace rematch::synthetic {
namespace {

using Names = std::vector<std::string>;

Graph built(Tape tape) { return std::move(tape).finish().build().value(); }

OpId find_op(const Graph& graph, std::string_view name) {
  for (OpId op : graph.ops()) {
    if (graph.op(op).name == name) return op;
  }
  ADD_FAILURE() << "no op is named " << name;
  return OpId(0);
}

bool has_op(const Graph& graph, std::string_view name) {
  for (OpId op : graph.ops()) {
    if (graph.op(op).name == name) return true;
  }
  return false;
}

Names names(const Graph& graph, std::span<const TensorId> tensors) {
  Names result;
  for (TensorId id : tensors) result.push_back(graph.tensor(id).name);
  return result;
}

Names reads(const Graph& graph, std::string_view op) {
  return names(graph, graph.inputs(find_op(graph, op)));
}

Names writes(const Graph& graph, std::string_view op) {
  return names(graph, graph.outputs(find_op(graph, op)));
}

const Tensor& first_output(const Graph& graph, std::string_view op) {
  return graph.tensor(graph.outputs(find_op(graph, op)).front());
}

// batch -> first (linear) -> relu -> second (linear) -> loss.
Graph perceptron(Numbers numbers = Numbers::kRealistic) {
  Tape tape(numbers, true);
  const ValueId batch = tape.input("batch", 1000);
  ValueId x = linear(tape, "first", batch, {.rows = 10, .from = 50, .to = 20});
  x = relu(tape, "relu", x);
  x = linear(tape, "second", x, {.rows = 10, .from = 20, .to = 5});
  cross_entropy(tape, x, 10, 5);
  tape.mirror();
  return built(std::move(tape));
}

TEST(Tape, MirrorsInReverseOrder) {
  const Graph graph = perceptron();
  Names order;
  for (OpId op : graph.ops()) order.push_back(graph.op(op).name);
  EXPECT_EQ(order,
            Names({"first", "relu", "second", "loss", "loss.backward",
                   "second.backward", "relu.backward", "first.backward"}));
}

TEST(Tape, BackwardReadsWhatItsKindSaves) {
  const Graph graph = perceptron();
  EXPECT_EQ(reads(graph, "loss.backward"),
            Names({"loss.log_probabilities", "labels"}));
  EXPECT_EQ(reads(graph, "second.backward"),
            Names({"loss.backward", "relu", "second.weight", "second.bias"}));
  EXPECT_EQ(reads(graph, "relu.backward"), Names({"second.backward", "relu"}));
}

TEST(Tape, GradientsOfWeightsAreOutputs) {
  const Graph graph = perceptron();
  EXPECT_EQ(
      writes(graph, "second.backward"),
      Names({"second.backward", "second.weight.grad", "second.bias.grad"}));
  // The batch has no gradient.
  EXPECT_EQ(writes(graph, "first.backward"),
            Names({"first.weight.grad", "first.bias.grad"}));
  for (TensorId id : graph.tensors()) {
    const Tensor& tensor = graph.tensor(id);
    const bool is_result =
        tensor.name.ends_with(".grad") || tensor.name == "loss";
    EXPECT_EQ(tensor.is_output, is_result) << tensor.name;
  }
}

TEST(Tape, GradientsAreAsLargeAsTheirTensors) {
  const Graph graph = perceptron();
  EXPECT_EQ(first_output(graph, "loss.backward").bytes,
            first_output(graph, "second").bytes);
  EXPECT_EQ(first_output(graph, "second.backward").bytes,
            first_output(graph, "relu").bytes);
}

TEST(Tape, WeightsAndBatchAreFixedBytes) {
  const Bytes weights = Bytes{2} * (50 * 20 + 20 + 20 * 5 + 5);
  EXPECT_EQ(perceptron().fixed_bytes(), 1000 + weights + 10 * kIndexBytes);
  EXPECT_EQ(perceptron(Numbers::kUnit).fixed_bytes(), 0);
}

TEST(Tape, WithoutTrainingThereAreNoSavedTensors) {
  Tape tape(Numbers::kRealistic, false);
  const Images x = image_batch(tape, 2, 3, 8);
  batch_norm(tape, "norm", x);
  const Graph graph = built(std::move(tape));
  EXPECT_EQ(writes(graph, "norm"), Names({"norm"}));
}

// Two ops read x; an addition joins them.
Graph shortcut() {
  Tape tape(Numbers::kRealistic, true);
  const ValueId batch = tape.input("batch", 1000);
  const ValueId x =
      linear(tape, "x", batch, {.rows = 10, .from = 50, .to = 20});
  const ValueId y = relu(tape, "y", x);
  cross_entropy(tape, add(tape, "sum", x, y), 10, 20);
  tape.mirror();
  return built(std::move(tape));
}

TEST(Tape, AdditionsPassTheGradientOn) {
  const Graph graph = shortcut();
  EXPECT_FALSE(has_op(graph, "sum.backward"));
  EXPECT_EQ(reads(graph, "y.backward"), Names({"loss.backward", "y"}));
}

TEST(Tape, SumsTheGradientsOfSeveralReaders) {
  const Graph graph = shortcut();
  EXPECT_EQ(reads(graph, "x.grad_sum"), Names({"loss.backward", "y.backward"}));
  EXPECT_EQ(reads(graph, "x.backward").front(), "x.grad_sum");
  EXPECT_EQ(graph.op(find_op(graph, "x.grad_sum")).kind, "add");
}

TEST(Tape, ViewsShareTheirStorageForwardAndBackward) {
  Tape tape(Numbers::kRealistic, true);
  const ValueId batch = tape.input("batch", 1000);
  ValueId x = linear(tape, "x", batch, {.rows = 10, .from = 50, .to = 20});
  x = reshape(tape, "view", x);
  cross_entropy(tape, x, 10, 20);
  tape.mirror();
  const Graph graph = built(std::move(tape));
  EXPECT_EQ(first_output(graph, "view").storage,
            first_output(graph, "x").storage);
  EXPECT_EQ(first_output(graph, "view.backward").storage,
            first_output(graph, "loss.backward").storage);
  EXPECT_EQ(graph.op(find_op(graph, "view")).cost, 0);
  EXPECT_EQ(graph.op(find_op(graph, "view.backward")).cost, 0);
}

TEST(Tape, RunningStatisticsAreKeptAndNotRead) {
  Tape tape(Numbers::kRealistic, true);
  Images x = image_batch(tape, 2, 3, 8);
  x = batch_norm(tape, "norm", conv(tape, "conv", x, {.channels = 4}));
  cross_entropy(tape, x.value, 2, 256);
  tape.mirror();
  const Graph graph = built(std::move(tape));
  EXPECT_EQ(writes(graph, "norm"),
            Names({"norm", "norm.mean", "norm.rstd", "norm.new_running_mean",
                   "norm.new_running_var"}));
  EXPECT_EQ(
      reads(graph, "norm.backward"),
      Names({"loss.backward", "conv", "norm.weight", "norm.bias", "norm.mean",
             "norm.rstd", "norm.running_mean", "norm.running_var"}));
  const auto outputs = graph.outputs(find_op(graph, "norm"));
  EXPECT_FALSE(graph.tensor(outputs[2]).is_output);
  EXPECT_TRUE(graph.tensor(outputs[3]).is_output);
  EXPECT_TRUE(graph.readers(outputs[3]).empty());
}

TEST(Tape, BackwardWithTwoProductsTakesTwiceTheFlops) {
  Tape tape(Numbers::kRealistic, true);
  const ValueId batch = tape.input("batch", 0);
  const LinearShape shape{.rows = 4096, .from = 4096, .to = 4096};
  const ValueId x = linear(tape, "first", batch, shape);
  cross_entropy(tape, linear(tape, "second", x, shape), 4096, 4096);
  tape.mirror();
  const Graph graph = built(std::move(tape));
  const auto cost = [&](std::string_view op) {
    return graph.op(find_op(graph, op)).cost - 2;
  };
  EXPECT_NEAR(cost("second.backward"), 2 * cost("second"), 0.002);
  EXPECT_NEAR(cost("first.backward"), cost("first"), 0.002);
}

}  // namespace
}  // namespace rematch::synthetic
