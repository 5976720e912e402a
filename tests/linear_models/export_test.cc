// SPDX-License-Identifier: Apache-2.0
// What is written reads back as the same model.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "rematch/lp/export_model.h"
#include "rematch/lp/lp_solver.h"
#include "support/linear_models.h"

namespace rematch {
namespace {

// Writes a text to a file of its own, which is gone afterwards, and reads it.
Result<LinearModel> read_back(const std::string& text, const char* ending) {
  const auto path = std::filesystem::temp_directory_path() /
                    fmt::format("rematch_export_test_{}.{}", getpid(), ending);
  std::ofstream(path) << text;
  Result<LinearModel> model = read_linear_model(path.string());
  std::filesystem::remove(path);
  return model;
}

// Equal but for the names, and for the rows if a format may split some.
void expect_same_model(const LinearModel& wrote, const LinearModel& got) {
  ASSERT_EQ(wrote.num_columns(), got.num_columns());
  EXPECT_EQ(wrote.offset(), got.offset());
  for (const ColumnId column : wrote.columns()) {
    EXPECT_EQ(wrote.column(column), got.column(column)) << column.value;
  }
}

void expect_same_optimum(const LinearModel& wrote, const LinearModel& got) {
  const LpSolution one = solve_integers(wrote, {});
  const LpSolution other = solve_integers(got, {});
  EXPECT_EQ(one.status, other.status);
  EXPECT_EQ(one.has_point, other.has_point);
  if (one.has_point && other.has_point) {
    EXPECT_NEAR(one.objective, other.objective, 1e-6);
  }
}

class Export : public testing::TestWithParam<bool> {
 protected:
  static Result<LinearModel> round_trip(const LinearModel& model) {
    return GetParam() ? read_back(to_mps(model), "mps")
                      : read_back(to_lp(model), "lp");
  }
};

TEST_P(Export, RandomModelsReadBack) {
  Random random(6);
  for (int i = 0; i < 200; ++i) {
    const LinearModel model = random_model(random, i % 2 == 0);
    SCOPED_TRACE(GetParam() ? to_mps(model) : to_lp(model));
    const auto got = round_trip(model);
    ASSERT_TRUE(got.ok()) << got.error().message;
    expect_same_model(model, *got);
    expect_same_optimum(model, *got);
  }
}

TEST_P(Export, EveryKindOfColumnReadsBack) {
  LinearModel model;
  const double third = 1.0 / 3;
  const FamilyId family = model.family("e1");
  for (const bool integer : {false, true}) {
    for (const auto& [lower, upper] :
         std::vector<std::pair<double, double>>{{0, kInfinity},
                                                {0, 1},
                                                {-kInfinity, kInfinity},
                                                {-kInfinity, -2},
                                                {-kInfinity, 3},
                                                {-5, kInfinity},
                                                {2, kInfinity},
                                                {-4, -2},
                                                {7, 7},
                                                {0, 0}}) {
      model.add_column(family, {lower, upper, third, integer});
    }
  }
  model.set_offset(-third);
  const auto got = round_trip(model);
  ASSERT_TRUE(got.ok()) << got.error().message;
  expect_same_model(model, *got);
}

TEST_P(Export, RowsKeepEveryBitOfTheirBounds) {
  Random random(7);
  LinearModel model;
  const ColumnId x = model.add_column(model.family("x"), {});
  const FamilyId row = model.family("row");
  for (int i = 0; i < 50; ++i) {
    const double lower = random.unit() - 0.5;
    model.add_row(row, lower, lower + random.unit(), {{x, random.unit() + 1}});
  }
  const auto got = round_trip(model);
  ASSERT_TRUE(got.ok()) << got.error().message;
  // In order, a row is there whole or as its lower and its upper half.
  std::size_t at = 0;
  for (const RowId id : model.rows()) {
    const double lower = got->row_lowers()[at];
    double upper = got->row_uppers()[at];
    EXPECT_EQ(got->term_values()[at], model.row_values(id)[0]);
    if (upper == kInfinity) upper = got->row_uppers()[++at];
    ++at;
    EXPECT_EQ(lower, model.row_lower(id));
    EXPECT_EQ(upper, model.row_upper(id));
  }
  EXPECT_EQ(at, got->num_rows());
}

TEST_P(Export, EmptyRowsAndModelsReadBack) {
  LinearModel model;
  const auto nothing = round_trip(model);
  ASSERT_TRUE(nothing.ok()) << nothing.error().message;
  EXPECT_EQ(solve_relaxation(*nothing, {}).status, LpStatus::kOptimal);

  model.add_column(model.family("x"), {0, 1, 1, false});
  model.add_row(model.family("row"), -1, 1, {});
  model.add_row(model.family("row"), 2, kInfinity, {});
  const auto infeasible = round_trip(model);
  ASSERT_TRUE(infeasible.ok()) << infeasible.error().message;
  EXPECT_EQ(solve_relaxation(*infeasible, {}).status, LpStatus::kInfeasible);
}

INSTANTIATE_TEST_SUITE_P(Formats, Export, testing::Bool(), [](const auto& it) {
  return it.param ? "mps" : "lp";
});

TEST(ReadLinearModel, RefusesWhatIsNotThereOrIsNoMinimisation) {
  EXPECT_FALSE(read_linear_model("no/such/file.mps").ok());
  const auto maximise =
      read_back("Maximize\n cost: x\nSubject To\n r: x <= 1\nEnd\n", "lp");
  ASSERT_FALSE(maximise.ok());
  EXPECT_EQ(maximise.error().code, ErrorCode::kParse);
}

}  // namespace
}  // namespace rematch
