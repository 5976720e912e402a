// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

Graph two_ops() {
  return GraphBuilder()
      .add_op("a", {}, 1)
      .add_op("b", {"a"}, 1)
      .build()
      .value();
}

TEST(CheckRequest, TakesAStartThatReplays) {
  const Graph graph = two_ops();
  const Plan plan = keep_all_plan(graph);
  Request request;
  request.start = &plan;
  EXPECT_TRUE(check_request(graph, OrderRule::kFixed, request).ok());
}

TEST(CheckRequest, RefusesAStartThatDoesNot) {
  const Graph graph = two_ops();
  const Plan plan{{Step::compute(OpId(7))}};
  Request request;
  request.start = &plan;
  const auto checked = check_request(graph, OrderRule::kFixed, request);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidPlan);
  EXPECT_THAT(checked.error().message, testing::HasSubstr("op 7"));
}

TEST(CheckRequest, RefusesLimitsThatMakeNoSense) {
  Request request;
  request.limits.threads = 0;
  EXPECT_FALSE(check_request(two_ops(), OrderRule::kFixed, request).ok());
}

}  // namespace
}  // namespace rematch
