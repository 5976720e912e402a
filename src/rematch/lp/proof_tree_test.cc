// SPDX-License-Identifier: Apache-2.0
#include "rematch/lp/proof_tree.h"

#include <gtest/gtest.h>

namespace rematch {
namespace {

// minimise 5a + 4b + 3c subject to 2a + 3b + c >= 4 with binaries: the
// relaxation is 5.0 + something, the optimum 7 (b and c).
LinearModel cover() {
  LinearModel model;
  const FamilyId x = model.family("x");
  const ColumnId a = model.add_column(x, {0, 1, 5, true});
  const ColumnId b = model.add_column(x, {0, 1, 4, true});
  const ColumnId c = model.add_column(x, {0, 1, 3, true});
  model.add_row(model.family("cover"), 4, kInfinity, {{a, 2}, {b, 3}, {c, 1}});
  return model;
}

TEST(ProofTree, ProvesTheOptimum) {
  LpSession session(cover());
  const double bound = proved_minimum(session, 6.5, {});
  EXPECT_GE(bound, 6.5);
  EXPECT_LE(bound, 7);
}

TEST(ProofTree, ProvesNothingAboveTheOptimum) {
  LpSession session(cover());
  EXPECT_EQ(proved_minimum(session, 7.5, {}), -kInfinity);
}

TEST(ProofTree, ProvesThatThereIsNoPoint) {
  LinearModel model = cover();
  model.set_row_bounds(RowId(0), 7, kInfinity);
  LpSession session(std::move(model));
  EXPECT_EQ(proved_minimum(session, 100, {}), kInfinity);
}

TEST(ProofTree, StopsAtItsLimit) {
  LpSession session(cover());
  LpLimits limits;
  limits.nodes = 1;
  EXPECT_EQ(proved_minimum(session, 6.5, limits), -kInfinity);
}

TEST(ProofTree, LeavesTheModelAsItWas) {
  LpSession session(cover());
  proved_minimum(session, 6.5, {});
  for (ColumnId column : session.model().columns()) {
    EXPECT_EQ(session.model().column(column).lower, 0);
    EXPECT_EQ(session.model().column(column).upper, 1);
  }
}

}  // namespace
}  // namespace rematch
