// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/search.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

// The floor is 3.
Graph graph(Phase last) {
  return GraphBuilder()
      .add_op("a", {}, 1)
      .add_op("b", {"a"}, 1)
      .add_op("da", {"a", "b"}, 1, 1, last)
      .build()
      .value();
}

TEST(IsTrainingWithRoom, WellAboveTheFloor) {
  const Graph training = graph(Phase::kBackward);
  EXPECT_TRUE(is_training_with_room({training, 5, OrderRule::kFixed}));
  EXPECT_FALSE(is_training_with_room({training, 4, OrderRule::kFixed}));
}

TEST(IsTrainingWithRoom, NotWithoutABackwardPass) {
  const Graph other = graph(Phase::kOther);
  EXPECT_FALSE(is_training_with_room({other, 100, OrderRule::kFixed}));
}

}  // namespace
}  // namespace rematch
