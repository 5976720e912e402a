// SPDX-License-Identifier: Apache-2.0
// Layers that several families are made of, with what their backward saves.
#pragma once

#include <cstdint>
#include <string>

#include "rematch/graph/synthetic/training.h"

namespace rematch::synthetic {

inline constexpr Bytes kElementBytes = 2;    // Activations and weights.
inline constexpr Bytes kStatisticBytes = 4;  // Means, variances, the loss.
inline constexpr Bytes kIndexBytes = 8;      // Labels, tokens, positions.
inline constexpr Bytes kMatmulWorkspace = Bytes{8} << 20;

// `rows` vectors of `from` elements to `to` elements, with bias.
struct LinearShape {
  std::int64_t rows = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
};
// `kept`: the output is a result of the graph.
ValueId linear(Tape& tape, const std::string& name, ValueId x,
               const LinearShape& shape, bool kept = false);

ValueId relu(Tape& tape, std::string name, ValueId x);
ValueId add(Tape& tape, std::string name, ValueId a, ValueId b);
// The same elements in another shape, in the same storage.
ValueId reshape(Tape& tape, std::string name, ValueId x);
// The loss of `rows` predictions among `classes`; ends the forward.
void cross_entropy(Tape& tape, ValueId logits, std::int64_t rows,
                   std::int64_t classes);

// Square images, all channels of one batch.
struct Images {
  ValueId value;
  std::int64_t batch = 0;
  std::int64_t channels = 0;
  std::int64_t side = 0;  // Pixels.

  std::int64_t elements() const { return batch * channels * side * side; }
};

// A graph input.
Images image_batch(Tape& tape, std::int64_t batch, std::int64_t channels,
                   std::int64_t side);

struct ConvShape {
  std::int64_t channels = 0;  // Of the output.
  std::int64_t kernel = 3;    // Pixels per side.
  std::int64_t stride = 1;
  bool kept = false;  // The output is a result of the graph.
};
Images conv(Tape& tape, const std::string& name, const Images& x,
            const ConvShape& shape);
// Twice the side, half the channels.
Images conv_transpose(Tape& tape, const std::string& name, const Images& x);
// With training its running statistics are results of the graph.
Images batch_norm(Tape& tape, const std::string& name, const Images& x);
Images relu(Tape& tape, std::string name, const Images& x);
// Half the side.
Images max_pool(Tape& tape, std::string name, const Images& x);
// One pixel is left.
Images average_pool(Tape& tape, std::string name, const Images& x);
// The channels of both.
Images concat(Tape& tape, std::string name, const Images& a, const Images& b);

// conv<n>, norm<n> and relu<n> under `prefix`.
Images conv_norm_relu(Tape& tape, const std::string& prefix, int n,
                      const Images& x, const ConvShape& shape);

}  // namespace rematch::synthetic
