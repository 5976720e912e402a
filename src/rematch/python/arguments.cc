// SPDX-License-Identifier: Apache-2.0
#include "rematch/python/arguments.h"

#include <fmt/format.h>

#include "rematch/python/or_raise.h"

namespace rematch {
namespace {

template <class I>
I id_at(std::int64_t number, std::size_t size, std::string_view what) {
  if (number >= 0 && static_cast<std::size_t>(number) < size) {
    return I(static_cast<std::size_t>(number));
  }
  // nanobind makes an IndexError of it.
  throw std::out_of_range(fmt::format("{} {} does not exist (graph has {} {}s)",
                                      what, number, size, what));
}

template <class Enum>
Enum value_named(std::optional<Enum> value, std::string_view what,
                 std::string_view name, std::string_view choices) {
  if (value) return *value;
  throw RaisedError({ErrorCode::kInvalidArgument,
                     fmt::format("{} '{}' is not {}", what, name, choices)});
}

}  // namespace

OpId op_at(const Graph& graph, std::int64_t number) {
  return id_at<OpId>(number, graph.num_ops(), "op");
}

TensorId tensor_at(const Graph& graph, std::int64_t number) {
  return id_at<TensorId>(number, graph.num_tensors(), "tensor");
}

StorageId storage_at(const Graph& graph, std::int64_t number) {
  return id_at<StorageId>(number, graph.num_storages(), "storage");
}

OrderRule order_named(std::string_view name) {
  return value_named(order_from_name(name), "order", name, "'fixed' or 'free'");
}

Phase phase_named(std::string_view name) {
  return value_named(phase_from_name(name), "phase", name,
                     "'forward', 'backward' or 'other'");
}

}  // namespace rematch
