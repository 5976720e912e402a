// SPDX-License-Identifier: Apache-2.0
#include "rematch/report/curve.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

Graph chain() {
  SyntheticOptions options;
  options.family = Family::kChain;
  options.length = 8;
  options.training = true;
  return *synthetic_graph(options);
}

TEST(QuickCurve, HasThePointOfKeepingEverything) {
  const Graph graph = chain();
  const Curve curve = quick_curve(graph, OrderRule::kFixed, {5});
  const auto keep_all = std::find_if(
      curve.points.begin(), curve.points.end(),
      [](const CurvePoint& point) { return point.strategy == "keep_all"; });
  ASSERT_NE(keep_all, curve.points.end());
  EXPECT_EQ(keep_all->cost, graph.base_cost());
  EXPECT_EQ(keep_all->peak, keep_all_peak(graph));
}

TEST(QuickCurve, IsTheSameEveryTime) {
  const Graph graph = chain();
  EXPECT_EQ(quick_curve(graph, OrderRule::kFixed, {5}),
            quick_curve(graph, OrderRule::kFixed, {5}));
}

TEST(QuickCurve, NoPlanIsBelowABoundThatHoldsForIt) {
  const Curve curve = quick_curve(chain(), OrderRule::kFixed, {4, 5, 6});
  for (const CurvePoint& plan : curve.points) {
    if (!plan.cost) continue;
    for (const CurvePoint& bound : curve.points) {
      if (!bound.lower_bound || bound.budget < *plan.peak) continue;
      EXPECT_GE(*plan.cost, *bound.lower_bound) << plan.strategy;
    }
  }
}

TEST(QuickCurve, FindsTheLeastPeak) {
  const Curve curve = quick_curve(chain(), OrderRule::kFixed, {});
  EXPECT_EQ(curve.least_peak(), curve.peak_floor);
}

}  // namespace
}  // namespace rematch
