// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/cost_cap.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

Graph two_ops(Phase first) {
  return GraphBuilder()
      .add_op("a", {}, 1, 30, first)
      .add_op("b", {"a"}, 1, 70, Phase::kBackward)
      .build()
      .value();
}

Result<Cost> cap(std::string_view text, const Graph& graph) {
  return cost_cap(parse_overhead(text).value(), graph);
}

TEST(CostCap, ForwardRunsEveryForwardOpOnceMore) {
  EXPECT_EQ(cap("forward", two_ops(Phase::kForward)).value(), 130);
}

TEST(CostCap, ForwardNeedsAForwardOp) {
  const auto found = cap("forward", two_ops(Phase::kOther));
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kInvalidArgument);
}

TEST(CostCap, PercentagesAreOfTheBaseCost) {
  const Graph graph = two_ops(Phase::kOther);
  EXPECT_EQ(cap("10%", graph).value(), 110);
  EXPECT_EQ(cap("62.5%", graph).value(), 162.5);
  EXPECT_EQ(cap("0%", graph).value(), 100);
}

TEST(CostCap, RefusesWhatIsNoOverhead) {
  for (const char* text : {"", "%", "10", "backward", "-10%", "1e3%", "10 %"}) {
    const auto found = parse_overhead(text);
    ASSERT_FALSE(found.ok()) << text;
    EXPECT_EQ(found.error().code, ErrorCode::kInvalidArgument) << text;
  }
}

TEST(CostCap, RefusesTooManyDigits) {
  const auto found = parse_overhead("10000000000000000000%");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kOutOfRange);
}

}  // namespace
}  // namespace rematch
