// SPDX-License-Identifier: Apache-2.0
#include "rematch/base/limits.h"

#include <gtest/gtest.h>

namespace rematch {
namespace {

Limits with(auto change) {
  Limits limits;
  change(limits);
  return limits;
}

TEST(CheckLimits, TakesTheDefaults) {
  EXPECT_TRUE(check_limits(Limits{}).ok());
}

TEST(CheckLimits, TakesZeroSeconds) {
  EXPECT_TRUE(check_limits(with([](Limits& l) { l.seconds = 0; })).ok());
}

TEST(CheckLimits, RefusesWhatMakesNoSense) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(check_limits(with([](Limits& l) { l.seconds = -1; })).ok());
  EXPECT_FALSE(check_limits(with([](Limits& l) { l.seconds = kNan; })).ok());
  EXPECT_FALSE(check_limits(with([](Limits& l) { l.gap = -0.1; })).ok());
  EXPECT_FALSE(check_limits(with([](Limits& l) { l.gap = kNan; })).ok());
  EXPECT_FALSE(check_limits(with([](Limits& l) { l.work = 0; })).ok());
  EXPECT_FALSE(check_limits(with([](Limits& l) { l.threads = 0; })).ok());
}

TEST(AvailableThreads, IsAtLeastOne) { EXPECT_GE(available_threads(), 1); }

TEST(Meter, GoesOnWithoutLimits) {
  Meter meter{Limits{}};
  EXPECT_FALSE(meter.stop(1'000'000'000));
  EXPECT_EQ(meter.reason(), std::nullopt);
}

TEST(Meter, StopsWhenTheWorkIsUsedUp) {
  Limits limits;
  limits.work = 10;
  Meter meter(limits);
  EXPECT_FALSE(meter.stop(10));
  EXPECT_TRUE(meter.stop());
  EXPECT_EQ(meter.reason(), Stop::kWork);
  EXPECT_TRUE(meter.stop(0));
}

TEST(Meter, StopsAtOnceWithoutTime) {
  Limits limits;
  limits.seconds = 0;
  Meter meter(limits);
  EXPECT_TRUE(meter.stop());
  EXPECT_EQ(meter.reason(), Stop::kTime);
}

TEST(Meter, SeesAnInterruptWithinAFewThousandUnits) {
  std::atomic<bool> interrupted = false;
  Limits limits;
  limits.interrupt = &interrupted;
  Meter meter(limits);
  EXPECT_FALSE(meter.stop());
  interrupted = true;
  int units = 0;
  while (!meter.stop()) ++units;
  EXPECT_LT(units, 5000);
  EXPECT_EQ(meter.reason(), Stop::kInterrupt);
}

}  // namespace
}  // namespace rematch
