// SPDX-License-Identifier: Apache-2.0
// Attention and a two-layer perceptron, repeated, as in GPT: a language model
// with hidden size 1024 and 16 heads on a batch of 8 texts of 1024 tokens.
#include <fmt/format.h>

#include "rematch/graph/synthetic/families.h"
#include "rematch/graph/synthetic/layers.h"

namespace rematch::synthetic {
namespace {

constexpr std::int64_t kBatch = 8;
constexpr std::int64_t kSequence = 1024;
constexpr std::int64_t kHidden = 1024;
constexpr std::int64_t kHeads = 16;
constexpr std::int64_t kVocabulary = 32768;
constexpr std::int64_t kRows = kBatch * kSequence;
constexpr Bytes kStreamBytes = kRows * kHidden * kElementBytes;
constexpr Bytes kScoreBytes =
    kBatch * kHeads * kSequence * kSequence * kElementBytes;
// Of queries with keys, and of probabilities with values.
constexpr double kAttentionFlops =
    2.0 * kBatch * kSequence * kSequence * kHidden;

ValueId embedding(Tape& tape, const std::string& name) {
  constexpr Bytes kTableBytes = kVocabulary * kHidden * kElementBytes;
  return tape.record_one(
      {.name = name,
       .kind = "embedding",
       .weights = {tape.weight(name + ".weight", kTableBytes)},
       .data = {tape.input("tokens", kRows * kIndexBytes)},
       .outputs = {kStreamBytes}});
}

ValueId layer_norm(Tape& tape, const std::string& name, ValueId x) {
  constexpr Bytes kWeightBytes = kHidden * kElementBytes;
  constexpr Bytes kRowStatistics = kRows * kStatisticBytes;
  return tape.record_one(
      {.name = name,
       .kind = "layer_norm",
       .inputs = {x},
       .weights = {tape.weight(name + ".weight", kWeightBytes),
                   tape.weight(name + ".bias", kWeightBytes)},
       .outputs = {tape.bytes(x)},
       .extras = {{.name = "mean", .bytes = kRowStatistics},
                  {.name = "rstd", .bytes = kRowStatistics}},
       .saves = {.inputs = true, .weights = true, .extras = true}});
}

// Nothing at all without training.
ValueId dropout(Tape& tape, std::string name, ValueId x) {
  if (!tape.training()) return x;
  const Bytes mask = tape.bytes(x) / kElementBytes;  // One byte per element.
  return tape.record_one({.name = std::move(name),
                          .kind = "dropout",
                          .inputs = {x},
                          .outputs = {tape.bytes(x)},
                          .extras = {{.name = "mask", .bytes = mask}},
                          .saves = {.extras = true}});
}

ValueId attention_matmul(Tape& tape, std::string name, ValueId a, ValueId b,
                         Bytes bytes) {
  return tape.record_one({.name = std::move(name),
                          .kind = "matmul",
                          .inputs = {a, b},
                          .outputs = {bytes},
                          .flops = kAttentionFlops,
                          .workspace = kMatmulWorkspace,
                          .saves = {.inputs = true}});
}

ValueId attention(Tape& tape, const std::string& name, ValueId x) {
  const ValueId qkv =
      linear(tape, name + ".qkv", x,
             {.rows = kRows, .from = kHidden, .to = 3 * kHidden});
  const auto parts =
      tape.record({.name = name + ".split",
                   .kind = "split",
                   .inputs = {qkv},
                   .outputs = {kStreamBytes, kStreamBytes, kStreamBytes},
                   .is_view = true});
  const ValueId queries = reshape(tape, name + ".q_heads", parts[0]);
  const ValueId keys = reshape(tape, name + ".k_heads", parts[1]);
  const ValueId values = reshape(tape, name + ".v_heads", parts[2]);
  const ValueId scores =
      attention_matmul(tape, name + ".scores", queries, keys, kScoreBytes);
  ValueId weights = tape.record_one({.name = name + ".softmax",
                                     .kind = "softmax",
                                     .inputs = {scores},
                                     .outputs = {kScoreBytes},
                                     .saves = {.outputs = true}});
  weights = dropout(tape, name + ".dropout", weights);
  const ValueId context =
      attention_matmul(tape, name + ".context", weights, values, kStreamBytes);
  // The heads of a token side by side again: a transposed copy.
  const ValueId merged = tape.record_one({.name = name + ".merge_heads",
                                          .kind = "copy",
                                          .inputs = {context},
                                          .outputs = {kStreamBytes}});
  return linear(tape, name + ".project", merged,
                {.rows = kRows, .from = kHidden, .to = kHidden});
}

ValueId perceptron(Tape& tape, const std::string& name, ValueId x) {
  constexpr std::int64_t kInner = 4 * kHidden;
  x = linear(tape, name + ".expand", x,
             {.rows = kRows, .from = kHidden, .to = kInner});
  x = tape.record_one({.name = name + ".gelu",
                       .kind = "gelu",
                       .inputs = {x},
                       .outputs = {tape.bytes(x)},
                       .saves = {.inputs = true}});
  return linear(tape, name + ".contract", x,
                {.rows = kRows, .from = kInner, .to = kHidden});
}

ValueId add_layer(Tape& tape, const std::string& name, ValueId x) {
  ValueId y = layer_norm(tape, name + ".attention.norm", x);
  y = attention(tape, name + ".attention", y);
  y = dropout(tape, name + ".attention.residual_dropout", y);
  x = add(tape, name + ".attention.residual", x, y);
  y = layer_norm(tape, name + ".mlp.norm", x);
  y = perceptron(tape, name + ".mlp", y);
  y = dropout(tape, name + ".mlp.residual_dropout", y);
  return add(tape, name + ".mlp.residual", x, y);
}

GraphBuilder build_transformer(const Recipe& recipe) {
  Tape tape(recipe.numbers, recipe.training);
  ValueId x = embedding(tape, "embedding");
  for (std::int64_t i = 0; i < recipe.length; ++i) {
    x = add_layer(tape, fmt::format("layer{}", i), x);
  }
  x = layer_norm(tape, "head.norm", x);
  x = linear(tape, "head.linear", x,
             {.rows = kRows, .from = kHidden, .to = kVocabulary},
             !recipe.training);
  if (recipe.training) {
    cross_entropy(tape, x, kRows, kVocabulary);
    tape.mirror();
  }
  return std::move(tape).finish();
}

// A layer: 20 ops, three of them dropouts; in backward 18, as the two additions
// need none, and two sums. Embedding, head and loss: 1, 2 and 1 ops and their
// backward.
std::int64_t count_transformer_ops(const Recipe& recipe) {
  if (!recipe.training) return 17 * recipe.length + 3;
  return 40 * recipe.length + 8;
}

}  // namespace

FamilyTraits transformer_family() {
  return {.family = Family::kTransformer,
          .name = "transformer",
          .parts = "layers",
          .count_ops = count_transformer_ops,
          .build = build_transformer};
}

}  // namespace rematch::synthetic
