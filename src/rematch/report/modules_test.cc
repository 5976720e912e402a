// SPDX-License-Identifier: Apache-2.0
#include "rematch/report/modules.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

Modules modules_of_names(const std::vector<std::string>& names) {
  GraphBuilder builder;
  for (const std::string& name : names) builder.add_op(name, {}, 1, 1);
  return modules_of(*builder.build());
}

TEST(ModulePath, IsWhatStandsBeforeTheLastSeparator) {
  EXPECT_EQ(module_path("layer0.mlp.norm"), "layer0.mlp");
  EXPECT_EQ(module_path("net/block1/conv"), "net/block1");
}

TEST(ModulePath, IsThatOfTheForwardOp) {
  EXPECT_EQ(module_path("layer0.mlp.norm.backward"), "layer0.mlp");
  EXPECT_EQ(module_path("layer0.mlp.grad_sum"), "layer0");
}

TEST(ModulePath, IsEmptyWithoutASeparator) {
  EXPECT_EQ(module_path("addmm_39"), "");
  EXPECT_EQ(module_path("conv1.backward"), "");
  EXPECT_EQ(module_path(""), "");
  EXPECT_EQ(module_path(".x"), "");
}

TEST(Modules, GroupByTheFirstPart) {
  const Modules modules =
      modules_of_names({"a.x.one", "a.y.two", "b.x", "free"});
  EXPECT_EQ(modules.names, (std::vector<std::string>{"a", "b", ""}));
  EXPECT_EQ(modules.of[OpId(0)], modules.of[OpId(1)]);
  EXPECT_EQ(modules.of[OpId(3)], ModuleId(2));
}

TEST(Modules, FollowABeginningThatAllShare) {
  const Modules modules = modules_of_names(
      {"model.layers.0.q", "model.layers.1.q", "model.head.w"});
  EXPECT_EQ(modules.names,
            (std::vector<std::string>{"model.layers.0", "model.layers.1",
                                      "model.head"}));
}

TEST(Modules, ANumberGoesWithTheWordBeforeIt) {
  EXPECT_EQ(modules_of_names({"layers.0.q", "layers.1.q"}).names,
            (std::vector<std::string>{"layers.0", "layers.1"}));
}

TEST(Modules, AreUnknownWhereNamesSayNothing) {
  EXPECT_FALSE(modules_of_names({"add_1", "mm_2"}).known());
  EXPECT_FALSE(modules_of_names({"a.b.one", "a.b.two"}).known());
  EXPECT_FALSE(modules_of_names({}).known());
}

}  // namespace
}  // namespace rematch
