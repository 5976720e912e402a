// SPDX-License-Identifier: Apache-2.0
// Resolves the names of a declared graph to positions; part of GraphBuilder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rematch/base/result.h"
#include "rematch/graph/graph_builder.h"

namespace rematch {

// Tensors are numbered as declared: graph inputs first, then the outputs of
// each op. Refers to the given vectors, which must outlive it.
class Declarations {
 public:
  static constexpr std::size_t kNoOp = SIZE_MAX;

  struct Declared {
    const TensorSpec* spec;
    std::size_t producer;  // Position of the op, or kNoOp for a graph input.
  };

  Declarations(const std::vector<TensorSpec>& inputs,
               const std::vector<OpSpec>& ops)
      : inputs_(inputs), ops_(ops) {}

  // Fails with kInvalidGraph on an empty, unknown or duplicate name.
  Status resolve();

  const std::vector<Declared>& tensors() const { return tensors_; }
  const std::vector<std::size_t>& first_output() const { return first_output_; }
  // The tensors that an op reads, as declared.
  const std::vector<std::size_t>& reads(std::size_t op) const {
    return reads_[op];
  }
  // The tensor in whose own storage this one lives.
  std::size_t root(std::size_t tensor) const { return roots_[tensor]; }
  // For each op the ops whose outputs it reads.
  std::vector<std::vector<std::size_t>> dependencies() const;

 private:
  Status index_ops();
  Status index_tensors();
  Status add_tensor(const TensorSpec& spec, std::size_t producer);
  Status resolve_inputs();
  Status resolve_storages();
  Error two_producers(std::string_view name, std::size_t first,
                      std::size_t second) const;

  const std::vector<TensorSpec>& inputs_;
  const std::vector<OpSpec>& ops_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::vector<Declared> tensors_;
  std::vector<std::size_t> first_output_;  // By op.
  std::vector<std::vector<std::size_t>> reads_;
  std::vector<std::size_t> roots_;
};

// A name as it appears in an error: cut where it would drown the sentence.
std::string shown_name(std::string_view name);

}  // namespace rematch
