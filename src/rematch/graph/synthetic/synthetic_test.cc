// SPDX-License-Identifier: Apache-2.0
// What holds for the graphs of every family, and what options are refused.
#include "rematch/graph/synthetic/synthetic.h"

#include <set>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/families.h"
#include "rematch/graph/synthetic/roofline.h"

namespace rematch {
namespace {

constexpr Family kFamilies[] = {Family::kChain, Family::kResidual,
                                Family::kUnet, Family::kTransformer,
                                Family::kRandom};

using Case = std::tuple<Family, bool, Numbers>;

class EveryFamily : public testing::TestWithParam<Case> {
 protected:
  SyntheticOptions options() const {
    const auto [family, training, numbers] = GetParam();
    return {.family = family, .training = training, .numbers = numbers};
  }
  Graph of_length(std::int64_t length) const {
    SyntheticOptions wanted = options();
    wanted.length = length;
    return synthetic_graph(wanted).value();
  }
  Graph of_ops(std::int64_t ops) const {
    SyntheticOptions wanted = options();
    wanted.ops = ops;
    return synthetic_graph(wanted).value();
  }
  bool is_unit() const {
    return std::get<Numbers>(GetParam()) == Numbers::kUnit;
  }
};

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const auto& [family, training, numbers] = info.param;
  return std::string(family_name(family)) +
         (training ? "Training" : "Inference") +
         (numbers == Numbers::kUnit ? "Unit" : "Realistic");
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryFamily,
    testing::Combine(testing::ValuesIn(kFamilies), testing::Bool(),
                     testing::Values(Numbers::kUnit, Numbers::kRealistic)),
    case_name);

synthetic::FamilyTraits traits(Family family) {
  switch (family) {
    case Family::kChain:
      return synthetic::chain_family();
    case Family::kResidual:
      return synthetic::residual_family();
    case Family::kUnet:
      return synthetic::unet_family();
    case Family::kTransformer:
      return synthetic::transformer_family();
    case Family::kRandom:
      return synthetic::random_family();
  }
  return {};
}

TEST_P(EveryFamily, HasAsManyOpsAsItCounts) {
  const auto [family, training, numbers] = GetParam();
  for (std::int64_t length : {3, 4, 5, 6, 9, 13, 40, 123}) {
    const Graph graph = of_length(length);
    const synthetic::Recipe recipe{
        .length = length, .training = training, .numbers = numbers};
    EXPECT_EQ(static_cast<std::int64_t>(graph.num_ops()),
              traits(family).count_ops(recipe))
        << graph.description();
  }
}

TEST_P(EveryFamily, FillsTheOpsAskedFor) {
  for (std::int64_t ops : {200, 500, 1000, 3000}) {
    const Graph graph = of_ops(ops);
    const auto got = static_cast<std::int64_t>(graph.num_ops());
    EXPECT_LE(got, ops) << graph.description();
    // Less than one part is missing.
    EXPECT_GT(got + 41, ops) << graph.description();
  }
}

TEST_P(EveryFamily, IsTheSameForTheSameOptions) {
  EXPECT_EQ(of_ops(300), of_ops(300));
}

TEST_P(EveryFamily, SaysHowItWasMade) {
  const Graph graph = of_ops(300);
  const std::string family(family_name(std::get<Family>(GetParam())));
  EXPECT_EQ(graph.name(), family + "-300");
  EXPECT_NE(graph.description().find("synthetic " + family), std::string::npos);
  EXPECT_EQ(graph.cost_unit(), is_unit() ? "" : "us");
  EXPECT_EQ(of_length(12).name(), family + "-length-12");
}

TEST_P(EveryFamily, HasUnitNumbersIfAsked) {
  if (!is_unit()) return;
  const Graph graph = of_ops(300);
  EXPECT_EQ(graph.fixed_bytes(), 0);
  for (OpId op : graph.ops()) {
    EXPECT_EQ(graph.op(op).cost, 1) << graph.op(op).name;
    EXPECT_EQ(graph.op(op).workspace, 0) << graph.op(op).name;
  }
  for (StorageId id : graph.storages()) {
    const Storage& storage = graph.storage(id);
    EXPECT_EQ(storage.bytes, storage.resident ? 0 : 1);
  }
}

TEST_P(EveryFamily, RunsForwardThenLossThenBackward) {
  const Graph graph = of_ops(300);
  Phase phase = Phase::kForward;
  std::size_t losses = 0;
  for (OpId id : graph.ops()) {
    const Op& op = graph.op(id);
    if (op.phase == Phase::kOther) {
      EXPECT_EQ(op.name, "loss");
      EXPECT_EQ(phase, Phase::kForward);
      ++losses;
    } else if (phase != Phase::kForward) {
      EXPECT_EQ(op.phase, Phase::kBackward) << op.name;
    }
    phase = op.phase;
  }
  const bool training = std::get<bool>(GetParam());
  EXPECT_EQ(losses, training ? 1U : 0U);
  EXPECT_EQ(phase, training ? Phase::kBackward : Phase::kForward);
}

TEST_P(EveryFamily, HasABackwardOpForEveryForwardOpButAdditions) {
  if (!std::get<bool>(GetParam())) return;
  const Graph graph = of_ops(300);
  std::set<std::string> names;
  for (OpId id : graph.ops()) names.insert(graph.op(id).name);
  const bool is_chain = std::get<Family>(GetParam()) == Family::kChain;
  for (OpId id : graph.ops()) {
    const Op& op = graph.op(id);
    if (op.phase == Phase::kBackward) continue;
    const bool wanted =
        op.kind != "add" && !(is_chain && op.phase == Phase::kOther);
    EXPECT_EQ(names.contains(op.name + ".backward"), wanted) << op.name;
  }
}

TEST_P(EveryFamily, ReadsEveryGraphInput) {
  const Graph graph = of_ops(300);
  for (TensorId id : graph.tensors()) {
    const Tensor& tensor = graph.tensor(id);
    if (tensor.producer) continue;
    EXPECT_FALSE(graph.readers(id).empty()) << tensor.name;
  }
}

TEST(SyntheticGraph, ChainsAreUnitAndOthersRealisticByDefault) {
  for (Family family : kFamilies) {
    const auto graph = synthetic_graph({.family = family, .ops = 100});
    ASSERT_TRUE(graph.ok());
    EXPECT_EQ(graph->cost_unit(), family == Family::kChain ? "" : "us");
  }
}

TEST(SyntheticGraph, FamilyNamesReadBack) {
  for (Family family : kFamilies) {
    EXPECT_EQ(family_from_name(family_name(family)), family);
  }
  EXPECT_EQ(family_from_name("tree"), std::nullopt);
}

void expect_refused(const SyntheticOptions& options, std::string_view why) {
  const auto graph = synthetic_graph(options);
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(graph.error().message, why);
}

TEST(SyntheticGraph, RefusesASizeThatIsNotGivenOnce) {
  expect_refused({},
                 "the size of a synthetic graph is given either as ops or "
                 "as length, but neither is given (ops 0, length 0)");
  expect_refused({.ops = 9, .length = 4},
                 "the size of a synthetic graph is given either as ops or as "
                 "length, but both are given (ops 9, length 4)");
}

TEST(SyntheticGraph, RefusesSizesThatAreTooSmall) {
  expect_refused({.ops = -1}, "ops of -1 is negative");
  expect_refused({.length = -7}, "a length of -7 is negative");
  expect_refused({.family = Family::kTransformer, .ops = 47, .training = true},
                 "47 ops are too few: the family 'transformer' needs at least "
                 "48 with training");
  expect_refused({.family = Family::kRandom, .length = 2},
                 "a length of 2 is too short: the family 'random' needs at "
                 "least 3 forward ops");
}

TEST(SyntheticGraph, RefusesSizesThatAreTooLarge) {
  expect_refused({.ops = 10'000'001}, "ops of 10000001 is more than 10000000");
  expect_refused({.length = INT64_MAX},
                 "a length of 9223372036854775807 is more than 10000000");
  expect_refused(
      {.family = Family::kTransformer, .length = 250'000, .training = true},
      "250000 layers make 10000008 ops, which is more than 10000000");
}

TEST(Roofline, IsTheSlowerOfComputingAndMovingPlusTheLaunch) {
  EXPECT_DOUBLE_EQ(synthetic::roofline_cost(0, 0), 2);
  EXPECT_DOUBLE_EQ(synthetic::roofline_cost(300e6, 2'000'000), 5);
  EXPECT_DOUBLE_EQ(synthetic::roofline_cost(1, 20'000'000), 12);
  EXPECT_DOUBLE_EQ(synthetic::roofline_cost(0, 1234), 2.001);
}

}  // namespace
}  // namespace rematch
