// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/request.h"

#include <array>
#include <cstddef>

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
