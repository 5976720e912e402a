// SPDX-License-Identifier: Apache-2.0
#include "rematch/graph/synthetic/synthetic.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "rematch/base/check.h"
#include "rematch/graph/synthetic/families.h"

namespace rematch {
namespace {

using synthetic::FamilyTraits;
using synthetic::Recipe;

const std::array<FamilyTraits, 5>& all_families() {
  static const std::array<FamilyTraits, 5> kFamilies = {
      synthetic::chain_family(), synthetic::residual_family(),
      synthetic::unet_family(), synthetic::transformer_family(),
      synthetic::random_family()};
  return kFamilies;
}

const FamilyTraits& traits_of(Family family) {
  for (const FamilyTraits& traits : all_families()) {
    if (traits.family == family) return traits;
  }
  REMATCH_CHECK(false, "every family has traits");
  return all_families().front();
}

template <class... Args>
Error invalid(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorCode::kInvalidArgument,
          fmt::format(text, std::forward<Args>(args)...)};
}

std::int64_t count_ops(const FamilyTraits& traits, Recipe recipe,
                       std::int64_t length) {
  recipe.length = length;
  return traits.count_ops(recipe);
}

// The largest length with at most `ops` ops. Counting a random graph with
// training means drawing it, so there the search ends at 99.9% of the ops.
std::int64_t largest_length(const FamilyTraits& traits, const Recipe& recipe,
                            std::int64_t ops) {
  const bool draws = traits.family == Family::kRandom && recipe.training;
  const std::int64_t slack = draws ? ops / 1000 : 0;
  std::int64_t fits = traits.least_length;
  std::int64_t too_long = ops + 1;
  while (too_long - fits > 1) {
    const std::int64_t middle = fits + (too_long - fits) / 2;
    const std::int64_t count = count_ops(traits, recipe, middle);
    if (count > ops) {
      too_long = middle;
      continue;
    }
    fits = middle;
    if (ops - count <= slack) break;
  }
  return fits;
}

Status check_size(const SyntheticOptions& options) {
  const auto [ops, length] = std::pair(options.ops, options.length);
  if ((ops == 0) == (length == 0)) {
    return invalid(
        "the size of a synthetic graph is given either as ops or as length, "
        "but {} given (ops {}, length {})",
        ops == 0 ? "neither is" : "both are", ops, length);
  }
  if (ops < 0) return invalid("ops of {} is negative", ops);
  if (length < 0) return invalid("a length of {} is negative", length);
  if (ops > kMaxSyntheticOps) {
    return invalid("ops of {} is more than {}", ops, kMaxSyntheticOps);
  }
  return ok_status();
}

// The length as given, or the one that the number of ops means.
Result<std::int64_t> resolve_length(const FamilyTraits& traits,
                                    const Recipe& recipe,
                                    const SyntheticOptions& options) {
  const std::int64_t least = traits.least_length;
  if (options.ops > 0) {
    const std::int64_t needed = count_ops(traits, recipe, least);
    if (options.ops < needed) {
      return invalid("{} ops are too few: the family '{}' needs at least {}{}",
                     options.ops, traits.name, needed,
                     options.training ? " with training" : "");
    }
    return largest_length(traits, recipe, options.ops);
  }
  if (options.length < least) {
    return invalid(
        "a length of {} is too short: the family '{}' needs at "
        "least {} {}",
        options.length, traits.name, least, traits.parts);
  }
  // An op count of such a length could overflow.
  if (options.length > kMaxSyntheticOps) {
    return invalid("a length of {} is more than {}", options.length,
                   kMaxSyntheticOps);
  }
  const std::int64_t count = count_ops(traits, recipe, options.length);
  if (count > kMaxSyntheticOps) {
    return invalid("{} {} make {} ops, which is more than {}", options.length,
                   traits.parts, count, kMaxSyntheticOps);
  }
  return options.length;
}

std::string graph_name(const FamilyTraits& traits,
                       const SyntheticOptions& options) {
  if (options.ops > 0) return fmt::format("{}-{}", traits.name, options.ops);
  return fmt::format("{}-length-{}", traits.name, options.length);
}

std::string describe(const FamilyTraits& traits, const Recipe& recipe) {
  return fmt::format(
      "synthetic {} graph: {} {}, {}, {} numbers, seed {}", traits.name,
      recipe.length, traits.parts, recipe.training ? "training" : "inference",
      recipe.numbers == Numbers::kUnit ? "unit" : "realistic", recipe.seed);
}

}  // namespace

Result<Graph> synthetic_graph(const SyntheticOptions& options) {
  if (auto ok = check_size(options); !ok) return ok.error();
  const FamilyTraits& traits = traits_of(options.family);
  Recipe recipe{.length = 0,
                .training = options.training,
                .numbers = options.numbers.value_or(traits.numbers),
                .seed = options.seed};
  const auto length = resolve_length(traits, recipe, options);
  if (!length) return length.error();
  recipe.length = *length;
  GraphBuilder builder = traits.build(recipe);
  builder.name(graph_name(traits, options))
      .description(describe(traits, recipe));
  if (recipe.numbers == Numbers::kRealistic) builder.cost_unit("us");
  return builder.build();
}

std::string_view family_name(Family family) { return traits_of(family).name; }

std::optional<Family> family_from_name(std::string_view name) {
  for (const FamilyTraits& traits : all_families()) {
    if (traits.name == name) return traits.family;
  }
  return std::nullopt;
}

}  // namespace rematch
