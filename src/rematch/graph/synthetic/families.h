// SPDX-License-Identifier: Apache-2.0
// What the families of synthetic graphs have in common; internal.
#pragma once

#include <cstdint>
#include <string_view>

#include "rematch/graph/graph_builder.h"
#include "rematch/graph/synthetic/synthetic.h"

namespace rematch::synthetic {

// Checked options: which member of a family to make.
struct Recipe {
  std::int64_t length = 0;
  bool training = false;
  Numbers numbers = Numbers::kUnit;
  std::uint64_t seed = 1;
};

struct FamilyTraits {
  Family family = Family::kChain;
  std::string_view name;
  std::string_view parts;                 // What `length` counts: "layers".
  std::int64_t least_length = 1;          // The shortest that there is.
  Numbers numbers = Numbers::kRealistic;  // Unless the caller says.
  // The number of ops that build() makes. Grows with the length.
  std::int64_t (*count_ops)(const Recipe&) = nullptr;
  // Everything but the name, the description and the unit of cost.
  GraphBuilder (*build)(const Recipe&) = nullptr;
};

FamilyTraits chain_family();
FamilyTraits residual_family();
FamilyTraits unet_family();
FamilyTraits transformer_family();
FamilyTraits random_family();

}  // namespace rematch::synthetic
