// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/load_profile.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "rematch/base/random.h"

namespace rematch {
namespace {

constexpr Bytes kMost = 1'000'000;

// The same by plain loops.
struct Naive {
  std::vector<Bytes> load;
  std::vector<bool> taken;

  Bytes largest(std::size_t begin, std::size_t end) const {
    Bytes most = -1;
    for (std::size_t i = begin; i < end; ++i) {
      if (taken[i]) most = std::max(most, load[i]);
    }
    return most;
  }

  std::int64_t excess(Bytes limit) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < load.size(); ++i) {
      if (taken[i]) sum += std::max<Bytes>(0, load[i] - limit);
    }
    return sum;
  }
};

TEST(LoadProfile, AgreesWithPlainLoops) {
  Random random(1);
  LoadProfile profile(5'000, 100, kMost);
  Naive naive{std::vector<Bytes>(profile.size()),
              std::vector<bool>(profile.size())};
  for (int i = 0; i < 4'000; ++i) {
    const std::size_t a = random.below(profile.size());
    const std::size_t b = random.below(profile.size()) + 1;
    const std::size_t begin = std::min(a, b);
    const std::size_t end = std::max(a, b);
    if (random.below(3) > 0) {
      const Bytes least =
          *std::min_element(naive.load.begin() + static_cast<long>(begin),
                            naive.load.begin() + static_cast<long>(end));
      const Bytes bytes = random.between(-std::min<Bytes>(least, 40), 40);
      profile.add(begin, end, bytes);
      for (std::size_t k = begin; k < end; ++k) naive.load[k] += bytes;
    } else {
      naive.load[a] = random.between(0, 150);
      naive.taken[a] = random.below(2) == 0;
      if (naive.taken[a]) {
        profile.take(a, naive.load[a]);
      } else {
        profile.clear(a, naive.load[a]);
      }
    }
    if (random.below(50) == 0) profile.set_limit(random.between(0, 300));
    ASSERT_EQ(profile.excess(), naive.excess(profile.limit()));
    ASSERT_EQ(profile.load(a), naive.load[a]);
    const Bytes most = naive.largest(begin, end);
    ASSERT_EQ(std::max<Bytes>(profile.largest(begin, end), -1), most);
    const Bytes peak = naive.largest(0, profile.size());
    ASSERT_EQ(std::max<Bytes>(profile.largest(), -1), peak);
  }
}

TEST(LoadProfile, FindsTheSlotAtAShareOfTheExcess) {
  LoadProfile profile(3'000, 10, kMost);
  profile.take(7, 11);      // 1 above the limit.
  profile.take(40, 10);     // Fits.
  profile.take(2'000, 13);  // 3 above.
  EXPECT_EQ(profile.excess(), 4);
  EXPECT_EQ(profile.slot_at_excess(0), 7u);
  EXPECT_EQ(profile.slot_at_excess(0.3), 2'000u);
  EXPECT_EQ(profile.slot_at_excess(0.999), 2'000u);
}

TEST(LoadProfile, CountsHugeExcessInLargerUnits) {
  LoadProfile profile(1'024, 0, kMaxBytes);
  for (std::size_t i = 0; i < profile.size(); ++i) {
    profile.take(i, kMaxBytes / 2);
  }
  EXPECT_GT(profile.excess(), 0);
  for (std::size_t i = 1; i < profile.size(); ++i) profile.take(i, 0);
  profile.take(0, 1);
  EXPECT_EQ(profile.excess(), 1);  // Rounded up, never away.
  profile.take(0, 0);
  EXPECT_EQ(profile.excess(), 0);
}

}  // namespace
}  // namespace rematch
