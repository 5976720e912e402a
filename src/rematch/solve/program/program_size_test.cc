// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/program_size.h"

#include <gtest/gtest.h>

#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/program/paper_program.h"
#include "rematch/solve/program/telescoped_program.h"

namespace rematch {
namespace {

Graph transformer(std::int64_t ops) {
  return synthetic_graph(
             {.family = Family::kTransformer, .ops = ops, .training = true})
      .value();
}

TEST(ProgramSize, SaysWhyAProgramIsTooLarge) {
  EXPECT_EQ(too_large("it", {.columns = 1, .rows = 2, .terms = 3}),
            std::nullopt);
  EXPECT_EQ(too_large("the paper's program",
                      {.columns = 3'012'345, .rows = 9'100'000, .terms = 0}),
            "the paper's program of this graph has 3,012,345 columns and "
            "9,100,000 rows, about 6.5 GiB; the limit is 4 GiB");
}

TEST(ProgramSize, RefusesThePapersProgramOfAThousandOps) {
  const Graph graph = transformer(1000);
  EXPECT_NE(too_large("", PaperProgram::size_of(graph, {})), std::nullopt);
  EXPECT_EQ(too_large("", TelescopedProgram::size_of(graph)), std::nullopt);
}

TEST(ProgramSize, IsAboutWhatIsBuilt) {
  const Graph graph = transformer(60);
  const Problem problem{graph, keep_all_peak(graph), OrderRule::kFixed};
  const auto expect_about = [](const ProgramSize& size,
                               const LinearModel& model) {
    const auto columns = static_cast<std::int64_t>(model.num_columns());
    const auto rows = static_cast<std::int64_t>(model.num_rows());
    EXPECT_GE(size.columns * 10, columns * 9);
    EXPECT_LE(size.columns, columns * 2);
    EXPECT_GE(size.rows * 10, rows * 9);
    EXPECT_LE(size.rows, rows * 2);
  };
  expect_about(PaperProgram::size_of(graph, {}), PaperProgram(problem).model());
  expect_about(TelescopedProgram::size_of(graph),
               TelescopedProgram(problem).take_model());
}

}  // namespace
}  // namespace rematch
