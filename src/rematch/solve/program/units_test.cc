// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/units.h"

#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"

namespace rematch {
namespace {

Graph with_sizes(std::vector<Bytes> sizes) {
  GraphBuilder builder;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    builder.add_op(std::to_string(i), {}, sizes[i], 1e12);
  }
  return builder.build().value();
}

TEST(ProgramUnits, DivideByWhatAllSizesHaveInCommon) {
  const ProgramUnits units =
      program_units(with_sizes({3'000'000'000, 100'000'000'000}));
  EXPECT_EQ(units.byte_unit, 1'000'000'000);
  // 100 units are scaled by 1/64.
  EXPECT_EQ(units.size(100'000'000'000), 100.0 / 64);
  EXPECT_EQ(units.size(3'000'000'000), 3.0 / 64);
}

TEST(ProgramUnits, RoundRoomDown) {
  const ProgramUnits units = program_units(with_sizes({10, 20}));
  EXPECT_EQ(units.room(29), units.size(20));
  EXPECT_EQ(units.room(30), units.size(20) + units.size(10));
  EXPECT_EQ(units.room(-1), -units.size(10));
}

TEST(ProgramUnits, BringCostsNearOneAndBack) {
  const ProgramUnits units = program_units(with_sizes({1}));
  EXPECT_GE(units.cost(1e12), 1);
  EXPECT_LT(units.cost(1e12), 2);
  EXPECT_EQ(units.cost_from(units.cost(123456789)), 123456789);
}

TEST(ProgramUnits, CountWhatASolverTakesForZeroAsNothing) {
  const ProgramUnits units = program_units(with_sizes({1, 1'000'000'000'001}));
  EXPECT_EQ(units.size(1), 0);
}

}  // namespace
}  // namespace rematch
