// SPDX-License-Identifier: Apache-2.0
// What functions that search are given, and how they are run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "rematch/base/result.h"
#include "rematch/python/background.h"
#include "rematch/python/or_raise.h"
#include "rematch/solve/request.h"

namespace nanobind {  // NOLINT(readability-identifier-naming): not ours.
class handle;
}

namespace rematch {

// As Python's str() gives it.
std::string written(const nanobind::handle& value);

// Of a size, given as an int or a str. An int is read as its digits are, so
// that one parser decides what is a size.
template <class... Types>
std::string text_of(const std::variant<Types...>& size) {
  return std::visit([](const auto& value) { return written(value); }, size);
}

struct SearchOptions {
  std::optional<double> time_limit;
  std::optional<std::int64_t> work_limit;
  double gap;
  std::optional<int> threads;
  std::uint64_t seed;
};

Request to_request(const SearchOptions& options);

// What `search` returns, or raises.
template <class T>
T search_in_background(Request& request, const ProgressCallback& on_progress,
                       const std::function<Result<T>()>& search) {
  std::optional<Result<T>> found;
  run_in_background(request, on_progress, [&] { found = search(); });
  return or_raise(*std::move(found));
}

}  // namespace rematch
