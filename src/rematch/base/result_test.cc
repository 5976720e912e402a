// SPDX-License-Identifier: Apache-2.0
#include "rematch/base/result.h"

#include <memory>

#include <gtest/gtest.h>

namespace rematch {
namespace {

const Error kError{ErrorCode::kIo, "no"};

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = 7;
  const Result<int> bad = kError;
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(*good, 7);
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.error(), kError);
}

TEST(Result, ThrowsWhenTheWrongHalfIsRead) {
  const Result<int> good = 7;
  const Result<int> bad = kError;
  EXPECT_THROW(static_cast<void>(good.error()), InternalError);
  EXPECT_THROW(static_cast<void>(bad.value()), InternalError);
}

TEST(Result, GivesAwayWhatItHolds) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 3);
}

TEST(Check, NamesTheConditionAndThePlace) {
  try {
    REMATCH_CHECK(1 == 2, "one is two");
    FAIL();
  } catch (const InternalError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("one is two"), std::string::npos);
    EXPECT_NE(what.find("1 == 2"), std::string::npos);
    EXPECT_NE(what.find("result_test.cc"), std::string::npos);
  }
}

}  // namespace
}  // namespace rematch
