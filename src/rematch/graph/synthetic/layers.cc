// SPDX-License-Identifier: Apache-2.0
#include "rematch/graph/synthetic/layers.h"

#include <utility>

#include <fmt/format.h>

namespace rematch::synthetic {
namespace {

double product(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) * static_cast<double>(b);
}

}  // namespace

ValueId linear(Tape& tape, const std::string& name, ValueId x,
               const LinearShape& shape, bool kept) {
  const Bytes weight_bytes = shape.from * shape.to * kElementBytes;
  return tape.record_one(
      {.name = name,
       .kind = "linear",
       .inputs = {x},
       .weights = {tape.weight(name + ".weight", weight_bytes),
                   tape.weight(name + ".bias", shape.to * kElementBytes)},
       .outputs = {shape.rows * shape.to * kElementBytes},
       .flops = 2 * product(shape.rows, shape.from * shape.to),
       .workspace = kMatmulWorkspace,
       .saves = {.inputs = true, .weights = true},
       .kept = kept});
}

ValueId relu(Tape& tape, std::string name, ValueId x) {
  return tape.record_one({.name = std::move(name),
                          .kind = "relu",
                          .inputs = {x},
                          .outputs = {tape.bytes(x)},
                          .saves = {.outputs = true}});
}

ValueId add(Tape& tape, std::string name, ValueId a, ValueId b) {
  return tape.record_one({.name = std::move(name),
                          .kind = "add",
                          .inputs = {a, b},
                          .outputs = {tape.bytes(a)},
                          .gradient = GradientRule::kPass});
}

ValueId reshape(Tape& tape, std::string name, ValueId x) {
  return tape.record_one({.name = std::move(name),
                          .kind = "view",
                          .inputs = {x},
                          .outputs = {tape.bytes(x)},
                          .gradient = GradientRule::kView,
                          .is_view = true});
}

void cross_entropy(Tape& tape, ValueId logits, std::int64_t rows,
                   std::int64_t classes) {
  const Bytes bytes = rows * classes * kElementBytes;
  tape.record({.name = "loss",
               .kind = "cross_entropy",
               .inputs = {logits},
               .data = {tape.input("labels", rows * kIndexBytes)},
               .outputs = {kStatisticBytes},
               .extras = {{.name = "log_probabilities", .bytes = bytes}},
               .saves = {.extras = true},
               .kept = true,
               .phase = Phase::kOther});
}

Images image_batch(Tape& tape, std::int64_t batch, std::int64_t channels,
                   std::int64_t side) {
  Images images{
      .value = {}, .batch = batch, .channels = channels, .side = side};
  images.value = tape.input("batch", images.elements() * kElementBytes);
  return images;
}

Images conv(Tape& tape, const std::string& name, const Images& x,
            const ConvShape& shape) {
  Images y = x;
  y.channels = shape.channels;
  y.side = x.side / shape.stride;
  // One image with the pixels under the kernel side by side.
  const std::int64_t patch = x.channels * shape.kernel * shape.kernel;
  const Bytes unfolded = patch * y.side * y.side * kElementBytes;
  y.value = tape.record_one(
      {.name = name,
       .kind = "conv2d",
       .inputs = {x.value},
       .weights = {tape.weight(name + ".weight",
                               patch * y.channels * kElementBytes)},
       .outputs = {y.elements() * kElementBytes},
       .flops = 2 * product(y.elements(), patch),
       .workspace = shape.kernel == 1 ? kMatmulWorkspace : unfolded,
       .saves = {.inputs = true, .weights = true},
       .kept = shape.kept});
  return y;
}

Images conv_transpose(Tape& tape, const std::string& name, const Images& x) {
  constexpr std::int64_t kKernelPixels = 4;
  Images y = x;
  y.channels = x.channels / 2;
  y.side = x.side * 2;
  const Bytes weight_bytes =
      x.channels * y.channels * kKernelPixels * kElementBytes;
  y.value =
      tape.record_one({.name = name,
                       .kind = "conv_transpose2d",
                       .inputs = {x.value},
                       .weights = {tape.weight(name + ".weight", weight_bytes)},
                       .outputs = {y.elements() * kElementBytes},
                       .flops = 2 * product(y.elements(), x.channels),
                       .workspace = kMatmulWorkspace,
                       .saves = {.inputs = true, .weights = true}});
  return y;
}

Images batch_norm(Tape& tape, const std::string& name, const Images& x) {
  const Bytes bytes = x.channels * kStatisticBytes;
  Images y = x;
  y.value = tape.record_one(
      {.name = name,
       .kind = "batch_norm",
       .inputs = {x.value},
       .weights = {tape.weight(name + ".weight", bytes),
                   tape.weight(name + ".bias", bytes)},
       .data = {tape.input(name + ".running_mean", bytes),
                tape.input(name + ".running_var", bytes)},
       .outputs = {tape.bytes(x.value)},
       .extras = {{.name = "mean", .bytes = bytes},
                  {.name = "rstd", .bytes = bytes},
                  {.name = "new_running_mean", .bytes = bytes, .kept = true},
                  {.name = "new_running_var", .bytes = bytes, .kept = true}},
       .saves = {.inputs = true, .weights = true, .extras = true}});
  return y;
}

Images relu(Tape& tape, std::string name, const Images& x) {
  Images y = x;
  y.value = relu(tape, std::move(name), x.value);
  return y;
}

Images max_pool(Tape& tape, std::string name, const Images& x) {
  Images y = x;
  y.side = x.side / 2;
  y.value = tape.record_one(
      {.name = std::move(name),
       .kind = "max_pool2d",
       .inputs = {x.value},
       .outputs = {y.elements() * kElementBytes},
       .extras = {{.name = "indices", .bytes = y.elements() * kIndexBytes}},
       .saves = {.inputs = true, .extras = true}});
  return y;
}

Images average_pool(Tape& tape, std::string name, const Images& x) {
  Images y = x;
  y.side = 1;
  y.value = tape.record_one({.name = std::move(name),
                             .kind = "avg_pool2d",
                             .inputs = {x.value},
                             .outputs = {y.elements() * kElementBytes}});
  return y;
}

Images concat(Tape& tape, std::string name, const Images& a, const Images& b) {
  Images y = a;
  y.channels = a.channels + b.channels;
  y.value = tape.record_one({.name = std::move(name),
                             .kind = "concat",
                             .inputs = {a.value, b.value},
                             .outputs = {y.elements() * kElementBytes}});
  return y;
}

Images conv_norm_relu(Tape& tape, const std::string& prefix, int n,
                      const Images& x, const ConvShape& shape) {
  Images y = conv(tape, fmt::format("{}.conv{}", prefix, n), x, shape);
  y = batch_norm(tape, fmt::format("{}.norm{}", prefix, n), y);
  return relu(tape, fmt::format("{}.relu{}", prefix, n), y);
}

}  // namespace rematch::synthetic
