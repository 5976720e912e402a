// SPDX-License-Identifier: Apache-2.0
#include "rematch/graph/declared_order.h"

#include <gtest/gtest.h>

namespace rematch {
namespace {

using Indices = std::vector<std::size_t>;

TEST(SortByDependencies, KeepsAnOrderThatWorks) {
  EXPECT_EQ(sort_by_dependencies({{}, {0}, {0, 1}}).order, (Indices{0, 1, 2}));
}

TEST(SortByDependencies, TakesTheSmallestIndexThatIsReady) {
  EXPECT_EQ(sort_by_dependencies({{3}, {}, {}, {}}).order,
            (Indices{1, 2, 3, 0}));
}

TEST(SortByDependencies, TakesRepeatedNeeds) {
  EXPECT_EQ(sort_by_dependencies({{}, {0, 0}}).order, (Indices{0, 1}));
}

TEST(SortByDependencies, FindsACycleInTheDirectionOfData) {
  const DependencyOrder result = sort_by_dependencies({{}, {0, 3}, {1}, {2}});
  EXPECT_TRUE(result.order.empty());
  EXPECT_EQ(result.cycle, (Indices{1, 2, 3}));
}

TEST(SortByDependencies, FindsASelfLoop) {
  EXPECT_EQ(sort_by_dependencies({{}, {1}}).cycle, (Indices{1}));
}

TEST(SortByDependencies, SkipsWhatOnlyHangsBehindACycle) {
  EXPECT_EQ(sort_by_dependencies({{1}, {2}, {1}}).cycle, (Indices{1, 2}));
}

}  // namespace
}  // namespace rematch
