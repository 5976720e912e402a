// SPDX-License-Identifier: Apache-2.0
// Graphs made from a recipe: for tests, benchmarks and first steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rematch/base/result.h"
#include "rematch/graph/graph.h"

namespace rematch {

enum class Family {
  kChain,        // One op after the other.
  kResidual,     // Convolution blocks with shortcuts, in up to four stages.
  kUnet,         // Encoder and decoder with a skip connection at every level.
  kTransformer,  // Attention and a two-layer perceptron, repeated.
  kRandom,       // Layers of random width, random edges and skip connections.
};

enum class Numbers {
  kUnit,       // Every op costs 1, every storage has 1 byte, inputs have none.
  kRealistic,  // Microseconds and bytes as on a device; see synthetic_graph().
};

inline constexpr std::int64_t kMaxSyntheticOps = 10'000'000;

// Exactly one of `ops` and `length` is given; the other one is 0.
struct SyntheticOptions {
  Family family = Family::kChain;
  // The graph has as many parts, as counted by `length`, as fit into this many
  // ops, backward included (a random graph with training: about as many).
  std::int64_t ops = 0;
  // Chain and random: forward ops. Residual: blocks. U-net: levels.
  // Transformer: layers.
  std::int64_t length = 0;
  bool training = false;  // With loss and backward; else inference alone.
  // None: unit numbers for a chain, realistic ones for the other families.
  std::optional<Numbers> numbers = std::nullopt;
  // Of random graphs and of the layer widths of a chain with realistic
  // numbers; the other graphs are regular.
  std::uint64_t seed = 1;

  friend bool operator==(const SyntheticOptions&,
                         const SyntheticOptions&) = default;
};

// Makes the graph: the same options, the same graph, on every platform.
//
// A chain of length n with training has n forward ops, a loss and n backward
// ops, each with one output; op i+1 reads op i, and the backward op at position
// 2n-i also reads forward op i. It has no inputs, and nothing is kept at the
// end. With unit numbers this is the chain of the Checkmate paper (Jain et al.,
// MLSys 2020).
//
// The other families are made of ops as a deep learning framework has them.
// With training every differentiable op has a backward op, in reverse order,
// that reads what its kind saves and the gradient of its output; where several
// ops read a tensor, one op sums the gradients. Kept at the end are the loss,
// the gradients of the weights and updated running statistics. Without training
// there are no dropouts and no saved tensors, and the last output is kept.
// A random graph has no weights, ops of no particular kind whose backward reads
// their inputs and their output, and keeps nothing without training.
//
// With realistic numbers tensors hold two bytes per element; an op costs the
// longer of computing (100 TFLOP/s) and moving its tensors (2 TB/s), plus 2
// microseconds to launch it; views cost nothing. The ops of a random graph cost
// 0 to 1000, twice that in backward, and have 10 to 10,000 bytes, in tens.
//
// Linear in the size of the graph. Fails with kInvalidArgument if the size is
// not given once, is less than the family needs, or means more than
// kMaxSyntheticOps ops.
Result<Graph> synthetic_graph(const SyntheticOptions& options);

// "chain", "residual", "unet", "transformer", "random".
std::string_view family_name(Family family);
std::optional<Family> family_from_name(std::string_view name);

}  // namespace rematch
