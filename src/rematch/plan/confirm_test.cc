// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/confirm.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

Graph pair() {
  return GraphBuilder()
      .fixed_bytes(5)
      .add_op("a", {}, 3, 2)
      .add_op("b", {"a"}, 4, 3)
      .build()
      .value();
}

Solution honest(const Graph& graph) {
  Solution solution;
  solution.outcome = Outcome::kOptimal;
  solution.budget = 20;
  solution.fixed_bytes = 5;
  solution.peak_floor = 12;
  solution.base_cost = solution.lower_bound = solution.cost = 5;
  solution.peak = 12;
  solution.plan = keep_all_plan(graph);
  return solution;
}

std::string error_of(const Solution& claim) {
  const auto confirmed = confirm(pair(), claim);
  return confirmed.ok() ? "" : confirmed.error().message;
}

TEST(Confirm, AcceptsWhatIsTrue) {
  EXPECT_EQ(confirm(pair(), honest(pair()))->peak, 12);
}

TEST(Confirm, NamesEachUntrueNumber) {
  Solution claim = honest(pair());
  claim.peak = 11;
  EXPECT_EQ(error_of(claim),
            "it claims a peak of 11 bytes, but replay gives 12");
  claim = honest(pair());
  claim.cost = 4;
  EXPECT_EQ(error_of(claim), "it claims a cost of 4, but replay gives 5");
  claim = honest(pair());
  claim.base_cost = 9;
  EXPECT_EQ(error_of(claim),
            "it claims a base cost of 9, but the ops of the graph cost 5");
  claim = honest(pair());
  claim.fixed_bytes = 0;
  EXPECT_EQ(error_of(claim), "it claims 0 fixed bytes, but the graph has 5");
  claim = honest(pair());
  claim.budget = 11;
  EXPECT_EQ(error_of(claim), "its peak of 12 bytes is above its budget of 11");
  claim = honest(pair());
  claim.peak_floor = 13;
  EXPECT_EQ(error_of(claim),
            "it claims that no plan has a peak below 13 bytes, but its own has "
            "12");
  claim = honest(pair());
  claim.lower_bound = 6;
  EXPECT_EQ(error_of(claim),
            "it claims that no plan costs less than 6, but its own costs 5");
  claim = honest(pair());
  claim.lower_bound = 4;
  EXPECT_EQ(error_of(claim),
            "it claims to be optimal, but its bound is 4 and its cost 5");
}

TEST(Confirm, RefusesAnInvalidPlan) {
  Solution claim = honest(pair());
  claim.plan = Plan{{Step::compute(OpId(1))}};
  EXPECT_EQ(error_of(claim),
            "step 0: compute 'b' reads 'a', which is not live");
}

}  // namespace
}  // namespace rematch
