// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/request.h"

#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "rematch/plan/replay.h"

namespace rematch {
namespace {

constexpr std::array<std::string_view, 3> kFormulations = {"split", "paper",
                                                           "telescoped"};
constexpr std::array<std::string_view, 3> kRoundings = {"sweep", "threshold",
                                                        "random"};

// The value of an enumeration whose names are listed in its order.
template <class Enum, std::size_t kSize>
std::optional<Enum> from_name(const std::array<std::string_view, kSize>& names,
                              std::string_view name) {
  for (std::size_t i = 0; i < kSize; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

Status check_request(const Graph& graph, OrderRule order,
                     const Request& request) {
  if (auto limits = check_limits(request.limits); !limits) return limits;
  if (request.start == nullptr) return ok_status();
  const auto measured = replay(graph, *request.start, order);
  if (measured) return ok_status();
  return Error{measured.error().code,
               fmt::format("the plan to start from is not valid: {}",
                           measured.error().message)};
}

std::string_view formulation_name(Formulation formulation) {
  return kFormulations[static_cast<std::size_t>(formulation)];
}

std::optional<Formulation> formulation_from_name(std::string_view name) {
  return from_name<Formulation>(kFormulations, name);
}

std::string_view rounding_name(Rounding rounding) {
  return kRoundings[static_cast<std::size_t>(rounding)];
}

std::optional<Rounding> rounding_from_name(std::string_view name) {
  return from_name<Rounding>(kRoundings, name);
}

}  // namespace rematch
