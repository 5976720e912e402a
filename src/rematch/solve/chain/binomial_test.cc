// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/chain/binomial.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace rematch {
namespace {

// W(0,c) = 0, W(n,1) = n(n+1)/2, W(n,c) = min_j j + W(n-j,c-1) + W(j-1,c).
std::vector<std::vector<std::int64_t>> by_recursion(std::size_t length,
                                                    std::size_t slots) {
  std::vector<std::vector<std::int64_t>> w(
      slots + 1, std::vector<std::int64_t>(length + 1, 0));
  for (std::size_t n = 1; n <= length; ++n) {
    w[1][n] = static_cast<std::int64_t>(n * (n + 1) / 2);
    for (std::size_t c = 2; c <= slots; ++c) {
      w[c][n] = INT64_MAX;
      for (std::size_t j = 1; j <= n; ++j) {
        w[c][n] = std::min(w[c][n], static_cast<std::int64_t>(j) +
                                        w[c - 1][n - j] + w[c][j - 1]);
      }
    }
  }
  return w;
}

TEST(LeastForwardRuns, IsTheRecursion) {
  const auto expected = by_recursion(150, 12);
  for (std::size_t c = 1; c <= 12; ++c) {
    for (std::size_t n = 0; n <= 150; ++n) {
      EXPECT_EQ(least_forward_runs(static_cast<std::int64_t>(n),
                                   static_cast<std::int64_t>(c)),
                expected[c][n])
          << n << ' ' << c;
    }
  }
}

TEST(BestAdvance, ReachesTheLeastNumberOfRuns) {
  for (std::int64_t c = 2; c <= 20; ++c) {
    for (std::int64_t n = 1; n <= 300; ++n) {
      const std::int64_t j = best_advance(n, c);
      ASSERT_GE(j, 1);
      ASSERT_LE(j, n);
      EXPECT_EQ(
          j + least_forward_runs(n - j, c - 1) + least_forward_runs(j - 1, c),
          least_forward_runs(n, c))
          << n << ' ' << c;
    }
  }
}

TEST(LeastForwardRuns, DoesNotOverflowOnLongChains) {
  EXPECT_EQ(least_forward_runs(10'000'000, 10'000'000), 10'000'000);
  EXPECT_GT(least_forward_runs(10'000'000, 3), 10'000'000);
}

}  // namespace
}  // namespace rematch
