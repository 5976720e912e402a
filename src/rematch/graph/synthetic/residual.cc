// SPDX-License-Identifier: Apache-2.0
// Convolution blocks with shortcuts, as in a ResNet of basic blocks.
#include <algorithm>

#include <fmt/format.h>

#include "rematch/graph/synthetic/families.h"
#include "rematch/graph/synthetic/layers.h"

namespace rematch::synthetic {
namespace {

constexpr std::int64_t kBatch = 128;
constexpr std::int64_t kSide = 224;
constexpr std::int64_t kClasses = 1000;
constexpr std::int64_t kFirstChannels = 64;
constexpr std::int64_t kMostStages = 4;

std::int64_t num_stages(std::int64_t blocks) {
  return std::min(blocks, kMostStages);
}

// Blocks are spread evenly over the stages.
std::int64_t stage_of(std::int64_t block, std::int64_t blocks) {
  return block * num_stages(blocks) / blocks;
}

// A block that starts a stage halves the side, doubles the channels and
// projects its shortcut.
Images add_block(Tape& tape, const std::string& name, const Images& x,
                 std::int64_t channels) {
  const bool starts_stage = channels != x.channels;
  const std::int64_t stride = starts_stage ? 2 : 1;
  Images y = conv_norm_relu(tape, name, 1, x,
                            {.channels = channels, .stride = stride});
  y = conv(tape, name + ".conv2", y, {.channels = channels});
  y = batch_norm(tape, name + ".norm2", y);
  Images shortcut = x;
  if (starts_stage) {
    shortcut = conv(tape, name + ".project.conv", x,
                    {.channels = channels, .kernel = 1, .stride = stride});
    shortcut = batch_norm(tape, name + ".project.norm", shortcut);
  }
  y.value = add(tape, name + ".add", y.value, shortcut.value);
  return relu(tape, name + ".relu2", y);
}

GraphBuilder build_residual(const Recipe& recipe) {
  Tape tape(recipe.numbers, recipe.training);
  Images x = image_batch(tape, kBatch, 3, kSide);
  x = conv_norm_relu(tape, "stem", 1, x,
                     {.channels = kFirstChannels, .kernel = 7, .stride = 2});
  x = max_pool(tape, "stem.pool", x);
  for (std::int64_t i = 0; i < recipe.length; ++i) {
    const std::int64_t channels = kFirstChannels << stage_of(i, recipe.length);
    x = add_block(tape, fmt::format("block{}", i), x, channels);
  }
  x = average_pool(tape, "head.pool", x);
  const ValueId flat = reshape(tape, "head.flatten", x.value);
  const ValueId logits = linear(
      tape, "head.linear", flat,
      {.rows = kBatch, .from = x.channels, .to = kClasses}, !recipe.training);
  if (recipe.training) {
    cross_entropy(tape, logits, kBatch, kClasses);
    tape.mirror();
  }
  return std::move(tape).finish();
}

// A block: 7 ops, 6 in backward, where the addition needs none, and a sum at
// its input; a projection: 2 ops and their backward. Stem, head and loss: 4, 3
// and 1 ops and their backward.
std::int64_t count_residual_ops(const Recipe& recipe) {
  const std::int64_t projections = num_stages(recipe.length) - 1;
  if (!recipe.training) return 7 * recipe.length + 2 * projections + 7;
  return 14 * recipe.length + 4 * projections + 16;
}

}  // namespace

FamilyTraits residual_family() {
  return {.family = Family::kResidual,
          .name = "residual",
          .parts = "blocks",
          .count_ops = count_residual_ops,
          .build = build_residual};
}

}  // namespace rematch::synthetic
