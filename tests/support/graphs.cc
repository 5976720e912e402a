// SPDX-License-Identifier: Apache-2.0
#include "support/graphs.h"

#include <vector>

#include <fmt/format.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/io/graph_json.h"

namespace rematch {
namespace {

Phase phase_of(int op, int ops) {
  return op < ops / 2 ? Phase::kForward : Phase::kBackward;
}

// A few of the tensors so far, each with probability one third.
std::vector<std::string> pick(Random& random,
                              const std::vector<std::string>& tensors) {
  std::vector<std::string> chosen;
  for (const std::string& tensor : tensors) {
    if (random.below(3) == 0) chosen.push_back(tensor);
  }
  return chosen;
}

TensorSpec random_output(Random& random, const RandomGraphOptions& options,
                         std::string name,
                         const std::vector<std::string>& op_inputs) {
  TensorSpec tensor{.name = std::move(name),
                    .bytes = random.between(0, 6),
                    .storage_of = {},
                    .is_output = false};
  if (options.views && !op_inputs.empty() && random.below(4) == 0) {
    tensor.storage_of = op_inputs[random.below(op_inputs.size())];
  }
  if (options.kept_outputs && random.below(8) == 0) tensor.is_output = true;
  return tensor;
}

}  // namespace

void for_every_dag(int ops, Weights weights,
                   const std::function<void(const Graph&)>& visit) {
  const int pairs = ops * (ops - 1) / 2;
  for (std::uint32_t edges = 0; edges < (1u << pairs); ++edges) {
    Random random(edges);
    GraphBuilder builder;
    int pair = 0;
    for (int op = 0; op < ops; ++op) {
      std::vector<std::string> inputs;
      for (int from = 0; from < op; ++from) {
        if ((edges >> pair++ & 1) != 0)
          inputs.push_back(fmt::format("{}", from));
      }
      const bool varied = weights == Weights::kVaried;
      builder.add_op(fmt::format("{}", op), std::move(inputs),
                     varied ? random.between(1, 4) : 1,
                     varied ? static_cast<Cost>(random.between(0, 4)) : 1,
                     phase_of(op, ops));
    }
    visit(builder.build().value());
  }
}

Graph random_graph(Random& random, const RandomGraphOptions& options) {
  GraphBuilder builder;
  builder.name("random");
  std::vector<std::string> tensors;
  if (options.inputs) {
    builder.fixed_bytes(random.between(0, 3));
    for (std::uint64_t i = 0; i < random.below(3); ++i) {
      const std::string name = fmt::format("in{}", i);
      builder.add_input({.name = name,
                         .bytes = random.between(0, 4),
                         .storage_of = {},
                         .is_output = false});
      tensors.push_back(name);
    }
  }
  for (int i = 0; i < options.ops; ++i) {
    OpSpec spec;
    spec.op.name = fmt::format("op{}", i);
    spec.op.cost = static_cast<Cost>(random.between(0, 5));
    spec.op.phase = phase_of(i, options.ops);
    if (options.workspace && random.below(3) == 0) {
      spec.op.workspace = random.between(1, 5);
    }
    spec.op.recomputable = !options.run_once || random.below(6) != 0;
    spec.inputs = pick(random, tensors);
    const std::uint64_t outputs = options.many_outputs ? random.below(4) : 1;
    for (std::uint64_t k = 0; k < outputs; ++k) {
      spec.outputs.push_back(random_output(
          random, options, fmt::format("t{}.{}", i, k), spec.inputs));
    }
    for (const TensorSpec& output : spec.outputs) {
      tensors.push_back(output.name);
    }
    builder.add_op(std::move(spec));
  }
  return builder.build().value();
}

Graph unit_chain(std::int64_t n) {
  return synthetic_graph(
             {.family = Family::kChain, .length = n, .training = true})
      .value();
}

Graph random_chain(Random& random, int n) {
  GraphBuilder builder;
  const auto name = [](int i) { return fmt::format("{}", i); };
  for (int i = 0; i < 2 * n + 1; ++i) {
    std::vector<std::string> inputs;
    if (i > 0) inputs.push_back(name(i - 1));
    if (i > n) inputs.push_back(name(2 * n - i));
    const Phase phase = i < n    ? Phase::kForward
                        : i == n ? Phase::kOther
                                 : Phase::kBackward;
    builder.add_op(name(i), std::move(inputs), random.between(1, 9),
                   static_cast<Cost>(random.between(1, 9)), phase);
  }
  return builder.build().value();
}

std::string show(const Graph& graph) { return graph_to_json(graph); }

}  // namespace rematch
