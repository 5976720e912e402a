// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/solution.h"

#include <gtest/gtest.h>

namespace rematch {
namespace {

Solution with(Cost cost, Cost bound, Cost base) {
  Solution solution;
  solution.plan = Plan{};
  solution.cost = cost;
  solution.lower_bound = bound;
  solution.base_cost = base;
  return solution;
}

TEST(Solution, MeasuresOverheadAgainstEveryOpOnce) {
  EXPECT_DOUBLE_EQ(with(15, 10, 10).overhead(), 0.5);
  EXPECT_EQ(with(0, 0, 0).overhead(), 0);
}

TEST(Solution, MeasuresTheGapAgainstTheBound) {
  EXPECT_DOUBLE_EQ(*with(12, 10, 10).gap(), 0.2);
  EXPECT_EQ(with(10, 10, 10).gap(), 0.0);
  EXPECT_EQ(with(0, 0, 0).gap(), 0.0);
  EXPECT_EQ(with(1, 0, 0).gap(), std::nullopt);
  EXPECT_EQ(Solution().gap(), std::nullopt);
}

TEST(AsAnswerTo, ProvesNoMoreThanWhatWasAsked) {
  Solution asked = with(12, 10, 10);
  asked.budget = 100;
  asked.peak_floor = 30;
  asked.stop_reason = StopReason::kTimeLimit;
  Solution found = with(13, 13, 10);
  found.budget = 90;
  found.peak_floor = 40;
  found.outcome = Outcome::kOptimal;
  found.stop_reason = StopReason::kProved;

  const Solution answer = as_answer_to(asked, found);
  EXPECT_EQ(answer.budget, 100);
  EXPECT_EQ(answer.peak_floor, 30);
  EXPECT_EQ(answer.cost, 13);
  EXPECT_EQ(answer.lower_bound, 10);
  EXPECT_EQ(answer.outcome, Outcome::kFeasible);
  EXPECT_EQ(answer.stop_reason, StopReason::kTimeLimit);

  asked.stop_reason = StopReason::kProved;
  EXPECT_EQ(as_answer_to(asked, found).stop_reason, StopReason::kFinished);
}

TEST(AsAnswerTo, IsOptimalIfItCostsWhatIsProvedForMore) {
  Solution asked = with(11, 11, 10);
  asked.outcome = Outcome::kOptimal;
  asked.stop_reason = StopReason::kProved;
  Solution found = with(11, 10.5, 10);
  found.outcome = Outcome::kFeasible;
  found.stop_reason = StopReason::kTimeLimit;
  const Solution answer = as_answer_to(asked, found);
  EXPECT_EQ(answer.outcome, Outcome::kOptimal);
  EXPECT_EQ(answer.stop_reason, StopReason::kProved);
  EXPECT_EQ(answer.lower_bound, 11);
}

TEST(AsAnswerTo, IsTheAnswerItselfWhereNothingWasFound) {
  Solution found;
  found.outcome = Outcome::kInfeasible;
  EXPECT_EQ(as_answer_to(with(12, 10, 10), found), with(12, 10, 10));
}

TEST(Names, ComeBackAsWhatTheyWere) {
  for (Outcome outcome : {Outcome::kOptimal, Outcome::kFeasible,
                          Outcome::kInfeasible, Outcome::kUnknown}) {
    EXPECT_EQ(outcome_from_name(outcome_name(outcome)), outcome);
  }
  for (StopReason reason :
       {StopReason::kProved, StopReason::kFinished, StopReason::kOverBudget,
        StopReason::kNotApplicable, StopReason::kTimeLimit,
        StopReason::kWorkLimit, StopReason::kGapReached,
        StopReason::kInterrupted}) {
    EXPECT_EQ(stop_reason_from_name(stop_reason_name(reason)), reason);
  }
  EXPECT_EQ(outcome_from_name("best"), std::nullopt);
  EXPECT_EQ(stop_reason_from_name(""), std::nullopt);
  EXPECT_EQ(order_from_name("fixed"), OrderRule::kFixed);
  EXPECT_EQ(order_from_name("any"), std::nullopt);
}

}  // namespace
}  // namespace rematch
