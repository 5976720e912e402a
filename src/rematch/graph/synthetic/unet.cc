// SPDX-License-Identifier: Apache-2.0
// Encoder and decoder with a skip connection at every level, as in a U-Net.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "rematch/graph/synthetic/families.h"
#include "rematch/graph/synthetic/layers.h"

namespace rematch::synthetic {
namespace {

constexpr std::int64_t kBatch = 8;
constexpr std::int64_t kSide = 512;
constexpr std::int64_t kClasses = 21;
constexpr std::int64_t kFirstChannels = 64;
constexpr std::int64_t kMostHalvings = 4;

std::int64_t num_halvings(std::int64_t levels) {
  return std::min(levels, kMostHalvings);
}

// How often the side is halved above a level. Deeper nets have several levels
// of one size, each with its own skip connection, as diffusion models have.
std::int64_t halvings_above(std::int64_t level, std::int64_t levels) {
  return level * num_halvings(levels) / levels;
}

bool halves_below(std::int64_t level, std::int64_t levels) {
  return halvings_above(level + 1, levels) > halvings_above(level, levels);
}

Images double_conv(Tape& tape, const std::string& name, const Images& x,
                   std::int64_t channels) {
  const Images y = conv_norm_relu(tape, name, 1, x, {.channels = channels});
  return conv_norm_relu(tape, name, 2, y, {.channels = channels});
}

// From the image down to the bottom; fills in the output of every level.
Images add_encoder(Tape& tape, std::int64_t levels,
                   std::vector<Images>& skips) {
  Images x = image_batch(tape, kBatch, 3, kSide);
  for (std::int64_t level = 0; level < levels; ++level) {
    const std::string name = fmt::format("down{}", level);
    x = double_conv(tape, name, x,
                    kFirstChannels << halvings_above(level, levels));
    skips.push_back(x);
    if (halves_below(level, levels)) x = max_pool(tape, name + ".pool", x);
  }
  return double_conv(tape, "bottom", x, kFirstChannels << num_halvings(levels));
}

Images add_decoder(Tape& tape, std::int64_t levels, Images x,
                   const std::vector<Images>& skips) {
  for (std::int64_t level = levels; level-- > 0;) {
    const std::string name = fmt::format("up{}", level);
    const Images& skip = skips[static_cast<std::size_t>(level)];
    if (halves_below(level, levels)) {
      x = conv_transpose(tape, name + ".upsample", x);
    }
    x = concat(tape, name + ".concat", skip, x);
    x = double_conv(tape, name, x, skip.channels);
  }
  return x;
}

GraphBuilder build_unet(const Recipe& recipe) {
  Tape tape(recipe.numbers, recipe.training);
  std::vector<Images> skips;
  Images x = add_encoder(tape, recipe.length, skips);
  x = add_decoder(tape, recipe.length, x, skips);
  x = conv(tape, "head", x,
           {.channels = kClasses, .kernel = 1, .kept = !recipe.training});
  if (recipe.training) {
    cross_entropy(tape, x.value, kBatch * kSide * kSide, kClasses);
    tape.mirror();
  }
  return std::move(tape).finish();
}

// A level: 6 ops down, 7 up, and a sum at its skip connection; a halving: 2;
// the bottom: 6; the head and the loss: 1 each. All but sums have a backward.
std::int64_t count_unet_ops(const Recipe& recipe) {
  const std::int64_t halvings = num_halvings(recipe.length);
  const std::int64_t forward = 13 * recipe.length + 2 * halvings + 7;
  return recipe.training ? 2 * (forward + 1) + recipe.length : forward;
}

}  // namespace

FamilyTraits unet_family() {
  return {.family = Family::kUnet,
          .name = "unet",
          .parts = "levels",
          .count_ops = count_unet_ops,
          .build = build_unet};
}

}  // namespace rematch::synthetic
