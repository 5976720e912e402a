// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/budget.h"

#include <gtest/gtest.h>

namespace rematch {
namespace {

Bytes resolved(std::string_view text, Bytes peak) {
  return resolve_budget(*parse_budget(text), peak)->value();
}

TEST(Budget, IsBytes) { EXPECT_EQ(resolved("2KiB", 10), 2048); }

TEST(Budget, RoundsPercentagesUpToAByte) {
  EXPECT_EQ(resolved("90%", 46319), 41688);
  EXPECT_EQ(resolved("80%", 284439), 227552);
  EXPECT_EQ(resolved("11.5%", 38059356160), 4376825959);
  EXPECT_EQ(resolved("100%", 7), 7);
  EXPECT_EQ(resolved("0%", 7), 0);
}

TEST(Budget, OfMinHasNoNumber) {
  EXPECT_EQ(*resolve_budget(*parse_budget("min"), 10), std::nullopt);
}

TEST(Budget, RefusesNonsense) {
  for (const char* text :
       {"", "%", "min%", "-5", "50 %", "MIN", "8Gi", "1e3"}) {
    EXPECT_FALSE(parse_budget(text).ok()) << text;
  }
  EXPECT_EQ(parse_budget("lots").error().message,
            "budget 'lots' is not a size such as 8GiB, a percentage of the "
            "keep-all peak such as 90%, or min");
}

TEST(Budget, RefusesWhatIsTooLarge) {
  EXPECT_FALSE(resolve_budget(*parse_budget("999999999%"), kMaxBytes).ok());
}

TEST(Budgets, AreSeparatedByCommas) {
  EXPECT_EQ(parse_budgets("90%,8GiB,min")->size(), 3u);
  EXPECT_FALSE(parse_budgets("90%,").ok());
  EXPECT_FALSE(parse_budgets("").ok());
}

TEST(EvenlySpaced, IncludesBothEnds) {
  EXPECT_EQ(evenly_spaced(10, 20, 4), (std::vector<Bytes>{10, 13, 16, 20}));
  EXPECT_EQ(evenly_spaced(10, 20, 1), (std::vector<Bytes>{10}));
  EXPECT_EQ(evenly_spaced(7, 7, 2), (std::vector<Bytes>{7, 7}));
}

TEST(EvenlySpaced, DoesNotOverflow) {
  EXPECT_EQ(evenly_spaced(0, kMaxBytes, 10'000).back(), kMaxBytes);
}

}  // namespace
}  // namespace rematch
