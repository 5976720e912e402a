// SPDX-License-Identifier: Apache-2.0
// Plain Python values as typed ones and back: ids are ints, enumerations are
// strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "rematch/base/ids.h"
#include "rematch/graph/graph.h"
#include "rematch/plan/problem.h"

namespace rematch {

template <class Tag>
std::vector<std::int32_t> to_numbers(std::span<const Id<Tag>> ids) {
  std::vector<std::int32_t> numbers;
  numbers.reserve(ids.size());
  for (Id<Tag> id : ids) numbers.push_back(id.value);
  return numbers;
}

// These raise IndexError if the graph has no such thing.
OpId op_at(const Graph& graph, std::int64_t number);
TensorId tensor_at(const Graph& graph, std::int64_t number);
StorageId storage_at(const Graph& graph, std::int64_t number);

// These raise InvalidArgument, listing the names there are.
OrderRule order_named(std::string_view name);
Phase phase_named(std::string_view name);

}  // namespace rematch
