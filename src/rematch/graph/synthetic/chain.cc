// SPDX-License-Identifier: Apache-2.0
// One op after the other, as in the Checkmate paper.
#include <array>
#include <vector>

#include <fmt/format.h>

#include "rematch/base/random.h"
#include "rematch/graph/synthetic/families.h"
#include "rematch/graph/synthetic/roofline.h"

namespace rematch::synthetic {
namespace {

constexpr Bytes kRowBytes =
    Bytes{8192} * 2;  // A batch of one two-byte feature.
constexpr double kRows = 8192;
constexpr std::array<std::int64_t, 4> kWidths = {512, 1024, 2048, 4096};

struct Numbered {
  Bytes bytes = 1;
  Cost cost = 1;
};

// Sizes and costs along the chain; layers of a perceptron if realistic.
class ChainNumbers {
 public:
  explicit ChainNumbers(const Recipe& recipe)
      : is_unit_(recipe.numbers == Numbers::kUnit) {
    if (is_unit_) return;
    Random random(recipe.seed);
    for (std::int64_t i = 0; i <= recipe.length; ++i) {
      widths_.push_back(kWidths[random.below(kWidths.size())]);
    }
  }

  Numbered forward(std::int64_t i) const {
    if (is_unit_) return {};
    return {output_bytes(i + 1), roofline_cost(flops(i), moved(i))};
  }
  // Writes the gradient of the last output.
  Numbered loss(std::int64_t length) const {
    if (is_unit_) return {};
    const Bytes bytes = output_bytes(length);
    return {bytes, roofline_cost(0, 2 * bytes)};
  }
  // Writes the gradient of what forward op i read.
  Numbered backward(std::int64_t i) const {
    if (is_unit_) return {};
    return {output_bytes(i), roofline_cost(2 * flops(i), 2 * moved(i))};
  }

 private:
  std::int64_t width(std::int64_t i) const {
    return widths_[static_cast<std::size_t>(i)];
  }
  Bytes output_bytes(std::int64_t i) const { return kRowBytes * width(i); }
  double flops(std::int64_t i) const {
    return 2 * kRows * static_cast<double>(width(i) * width(i + 1));
  }
  Bytes moved(std::int64_t i) const {
    return output_bytes(i) + output_bytes(i + 1) +
           2 * width(i) * width(i + 1);  // Input, output, weights.
  }

  bool is_unit_;
  std::vector<std::int64_t> widths_;  // What op i reads; then the last output.
};

void add_op(GraphBuilder& builder, std::string name, std::string kind,
            std::vector<std::string> inputs, Numbered numbers, Phase phase) {
  OpSpec spec;
  spec.outputs.push_back(
      {.name = name, .bytes = numbers.bytes, .storage_of = {}});
  spec.op = {.name = std::move(name),
             .kind = std::move(kind),
             .cost = numbers.cost,
             .phase = phase};
  spec.inputs = std::move(inputs);
  builder.add_op(std::move(spec));
}

GraphBuilder build_chain(const Recipe& recipe) {
  const std::int64_t length = recipe.length;
  const ChainNumbers numbers(recipe);
  GraphBuilder builder;
  const auto forward_name = [](std::int64_t i) {
    return fmt::format("f{}", i);
  };
  std::vector<std::string> previous;
  for (std::int64_t i = 0; i < length; ++i) {
    add_op(builder, forward_name(i), "layer", std::move(previous),
           numbers.forward(i), Phase::kForward);
    previous = {forward_name(i)};
  }
  if (!recipe.training) return builder;
  add_op(builder, "loss", "loss", std::move(previous), numbers.loss(length),
         Phase::kOther);
  previous = {"loss"};
  for (std::int64_t i = length; i-- > 0;) {
    const std::string name = forward_name(i) + ".backward";
    previous.push_back(forward_name(i));
    add_op(builder, name, "layer_backward", std::move(previous),
           numbers.backward(i), Phase::kBackward);
    previous = {name};
  }
  return builder;
}

std::int64_t count_chain_ops(const Recipe& recipe) {
  return recipe.training ? 2 * recipe.length + 1 : recipe.length;
}

}  // namespace

FamilyTraits chain_family() {
  return {.family = Family::kChain,
          .name = "chain",
          .parts = "forward ops",
          .numbers = Numbers::kUnit,
          .count_ops = count_chain_ops,
          .build = build_chain};
}

}  // namespace rematch::synthetic
