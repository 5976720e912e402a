// SPDX-License-Identifier: Apache-2.0
#include "rematch/lp/linear_model.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rematch/base/check.h"

namespace rematch {
namespace {

using testing::ElementsAre;

TEST(LinearModel, AddsUpTermsOfOneColumnAndDropsZeros) {
  LinearModel model;
  const FamilyId x = model.family("x");
  const ColumnId a = model.add_column(x, {});
  const ColumnId b = model.add_column(x, {});
  const ColumnId c = model.add_column(x, {});
  const RowId first =
      model.add_row(x, 0, 1, {{b, 2.0}, {a, 1.0}, {b, -2.0}, {c, 1.0}});
  const RowId second = model.add_row(x, 0, 1, {{a, 1.0}, {a, 1.5}});
  EXPECT_THAT(model.row_columns(first), ElementsAre(0, 2));
  EXPECT_THAT(model.row_values(first), ElementsAre(1.0, 1.0));
  EXPECT_THAT(model.row_columns(second), ElementsAre(0));
  EXPECT_THAT(model.row_values(second), ElementsAre(2.5));
}

TEST(LinearModel, CountsAndNamesTheMembersOfAFamily) {
  LinearModel model;
  const FamilyId keep = model.family("keep");
  const FamilyId source = model.family("keep_source");
  model.add_column(keep, {});
  const ColumnId second = model.add_column(keep, {});
  model.add_row(source, 0, 1, {});
  model.add_row(model.family("memory"), 0, 1, {});
  const RowId row = model.add_row(model.family("keep_source"), 0, 1, {});
  EXPECT_EQ(model.name(second), "keep[1]");
  EXPECT_EQ(model.name(row), "keep_source[1]");
  EXPECT_EQ(model.families()[source.index()],
            (LinearFamily{"keep_source", 0, 2}));
  EXPECT_EQ(model.families()[keep.index()], (LinearFamily{"keep", 2, 0}));
}

TEST(LinearModel, RefusesNumbersThatMakeNoSense) {
  LinearModel model;
  const FamilyId x = model.family("x");
  const ColumnId a = model.add_column(x, {});
  const double nan = std::nan("");
  EXPECT_THROW(model.add_column(x, {2, 1, 0, false}), InternalError);
  EXPECT_THROW(model.add_column(x, {nan, 1, 0, false}), InternalError);
  EXPECT_THROW(model.add_column(x, {kInfinity, kInfinity, 0, false}),
               InternalError);
  EXPECT_THROW(model.add_column(x, {0, 1e20, 0, false}), InternalError);
  EXPECT_THROW(model.add_column(x, {0, 1, kInfinity, false}), InternalError);
  EXPECT_THROW(model.add_row(x, 0, 1, {{a, nan}}), InternalError);
  EXPECT_THROW(model.add_row(x, 0, 1, {{a, 1e15}}), InternalError);
  EXPECT_THROW(model.add_row(x, 0, 1, {{a, 1e-10}}), InternalError);
  EXPECT_THROW(model.add_row(x, 0, 1, {{ColumnId(1), 1.0}}), InternalError);
  EXPECT_THROW(model.add_row(FamilyId(1), 0, 1, {}), InternalError);
  EXPECT_THROW(model.set_bounds(a, 1, 0), InternalError);
  EXPECT_THROW(model.set_row_bounds(RowId(0), 0, 1), InternalError);
}

TEST(LinearModel, IsAsBeforeAfterARefusedRow) {
  LinearModel model;
  const FamilyId x = model.family("x");
  const ColumnId a = model.add_column(x, {});
  EXPECT_THROW(model.add_row(x, 0, 1, {{a, 1e-10}}), InternalError);
  EXPECT_EQ(model.num_terms(), 0u);
  EXPECT_EQ(model.num_rows(), 0u);
  const RowId row = model.add_row(x, 0, 1, {{a, 3.0}});
  EXPECT_THAT(model.row_values(row), ElementsAre(3.0));
}

TEST(LinearModel, RefusesFamilyNamesThatAreNoWords) {
  LinearModel model;
  for (const char* name : {"", "a b", "1a", "_a", "a[1]", "a-b"}) {
    EXPECT_THROW(model.family(name), InternalError) << name;
  }
  EXPECT_THROW(model.family(std::string(65, 'a')), InternalError);
}

TEST(LinearModel, MeasuresTheWorstViolationOfAPoint) {
  LinearModel model;
  const FamilyId x = model.family("x");
  const ColumnId a = model.add_column(x, {0, 4, 2, true});
  const ColumnId b = model.add_column(x, {-1, 1, -1, false});
  model.add_row(x, 1, 3, {{a, 1.0}, {b, 1.0}});
  model.set_offset(10);
  const auto violation = [&](double va, double vb) {
    return violation_at(model, std::vector<double>{va, vb});
  };
  EXPECT_EQ(violation(1, 0.5), 0);
  EXPECT_EQ(violation(1.25, 0), 0.25);
  EXPECT_EQ(violation(2, 2), 1);
  EXPECT_EQ(violation(0, -1), 2);
  EXPECT_EQ(violation(4, 1), 2);
  EXPECT_EQ(violation(std::nan(""), 0), kInfinity);
  EXPECT_EQ(objective_at(model, std::vector<double>{3, 0.5}), 15.5);
}

TEST(ScaleFor, IsThePowerOfTwoThatBringsANumberNearOne) {
  EXPECT_EQ(scale_for(0), 1);
  EXPECT_EQ(scale_for(1), 1);
  EXPECT_EQ(scale_for(1.99), 1);
  EXPECT_EQ(scale_for(8), 0.125);
  EXPECT_EQ(scale_for(0.3), 4);
  EXPECT_LT(scale_for(5e-324) * 0x1p40, 0x1p1023);  // What is tiny stays small.
  const double bytes = 123456789012;
  EXPECT_EQ(bytes * scale_for(bytes) / scale_for(bytes), bytes);
}

}  // namespace
}  // namespace rematch
