// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/chain/uniform.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/graph/synthetic/synthetic.h"

namespace rematch {
namespace {

// A unit chain with n = 2 that a test may spoil.
struct Recipe {
  Bytes bytes_of_last = 1;
  Cost cost_of_first = 1;
  Bytes workspace = 0;
  bool last_is_output = false;
  bool first_recomputable = true;
  std::vector<std::string> inputs_of_last = {"3", "0"};
};

Graph made(const Recipe& recipe) {
  OpSpec first;
  first.op = {.name = "0",
              .kind = {},
              .cost = recipe.cost_of_first,
              .workspace = recipe.workspace,
              .phase = Phase::kForward,
              .recomputable = recipe.first_recomputable};
  first.outputs = {{.name = "0", .bytes = 1, .storage_of = {}}};
  OpSpec last;
  last.op = {.name = "4",
             .kind = {},
             .cost = 1,
             .workspace = 0,
             .phase = Phase::kBackward};
  last.inputs = recipe.inputs_of_last;
  last.outputs = {{.name = "4",
                   .bytes = recipe.bytes_of_last,
                   .storage_of = {},
                   .is_output = recipe.last_is_output}};
  return GraphBuilder()
      .add_op(first)
      .add_op("1", {"0"}, 1, 1, Phase::kForward)
      .add_op("2", {"1"}, 1, 1, Phase::kOther)
      .add_op("3", {"2", "1"}, 1, 1, Phase::kBackward)
      .add_op(last)
      .build()
      .value();
}

TEST(UniformChain, IsRecognised) {
  const auto chain = uniform_chain(made({}));
  ASSERT_TRUE(chain.has_value());
  EXPECT_EQ(chain->length, 2);
  EXPECT_EQ(chain->bytes, 1);
}

TEST(UniformChain, IsNotSeenWhereAnythingDiffers) {
  EXPECT_FALSE(uniform_chain(made({.bytes_of_last = 2})).has_value());
  EXPECT_FALSE(uniform_chain(made({.cost_of_first = 2})).has_value());
  EXPECT_FALSE(uniform_chain(made({.workspace = 1})).has_value());
  EXPECT_FALSE(uniform_chain(made({.last_is_output = true})).has_value());
  EXPECT_FALSE(uniform_chain(made({.first_recomputable = false})).has_value());
  EXPECT_FALSE(uniform_chain(made({.inputs_of_last = {"3", "1"}})).has_value());
  EXPECT_FALSE(
      uniform_chain(made({.inputs_of_last = {"3", "0", "1"}})).has_value());
}

TEST(UniformOptimum, FollowsFromTheSlots) {
  const UniformChain chain{.length = 8, .bytes = 1000, .cost = 2.5};
  EXPECT_EQ(uniform_slots(chain, 4000), 2);
  EXPECT_EQ(uniform_slots(chain, 4999), 2);
  EXPECT_LT(uniform_slots(chain, 2999), 1);
  EXPECT_EQ(uniform_slots(chain, 1'000'000), 8);
  EXPECT_EQ(uniform_optimum(chain, 2), 26);
  EXPECT_EQ(uniform_optimum(chain, 8), 17);
}

}  // namespace
}  // namespace rematch
