// SPDX-License-Identifier: Apache-2.0
#include "rematch/report/report.h"

#include <gtest/gtest.h>

namespace rematch {
namespace {

Solution feasible(Cost cost, Cost bound) {
  Solution solution;
  solution.outcome = Outcome::kFeasible;
  solution.plan = Plan();
  solution.budget = 4096;
  solution.peak = 4096;
  solution.peak_floor = 2048;
  solution.cost = cost;
  solution.lower_bound = bound;
  return solution;
}

TEST(CertificateWords, SayHowFarThePlanIsFromTheBest) {
  EXPECT_EQ(certificate_words(feasible(1003, 1000)),
            "within 0.30% of the best possible; no plan needs less than 2.000 "
            "KiB");
}

TEST(CertificateWords, NeverSayWithinNothing) {
  EXPECT_EQ(certificate_words(feasible(1e9 + 10, 1e9)).substr(0, 31),
            "within 0.0001% of the best poss");
}

TEST(CertificateWords, SayWhatIsProved) {
  Solution solution = feasible(10, 10);
  solution.outcome = Outcome::kOptimal;
  EXPECT_EQ(certificate_words(solution),
            "the best possible within the budget, proved; no plan needs less "
            "than 2.000 KiB");
}

TEST(CertificateWords, SayWhenTheLeastIsReached) {
  Solution solution = feasible(1003, 1000);
  solution.peak = solution.peak_floor;
  EXPECT_NE(certificate_words(solution).find("no plan needs less than its"),
            std::string::npos);
}

TEST(CertificateWords, SayWhenThereIsNoPlan) {
  Solution solution = feasible(0, 0);
  solution.plan.reset();
  solution.outcome = Outcome::kInfeasible;
  solution.budget = 1024;
  EXPECT_EQ(certificate_words(solution),
            "no plan fits in 1.000 KiB, proved; no plan needs less than 2.000 "
            "KiB");
  solution.outcome = Outcome::kUnknown;
  EXPECT_NE(certificate_words(solution).find("proves nothing"),
            std::string::npos);
}

TEST(CertificateWords, SayNothingOfABoundThatIsZero) {
  EXPECT_EQ(certificate_words(feasible(5, 0)).substr(0, 17),
            "within the budget");
}

}  // namespace
}  // namespace rematch
