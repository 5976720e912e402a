// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/program_choice.h"

#include <atomic>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/lp/lp_solver.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/program/units.h"

namespace rematch {
namespace {

Graph chain(std::int64_t n) {
  return synthetic_graph(
             {.family = Family::kChain, .length = n, .training = true})
      .value();
}

double bound_of(const Graph& graph, Bytes budget, ProgramChoice choice) {
  const auto bound =
      program_bound({graph, budget, OrderRule::kFixed}, choice, {});
  EXPECT_TRUE(bound.ok());
  return bound->lower_bound.value_or(kInfinity);
}

TEST(ProgramBound, IsTheRelaxationOfEachProgram) {
  const Graph graph = chain(8);
  EXPECT_NEAR(bound_of(graph, 4, {"gap", "advancing"}), 23, 1e-6);
  EXPECT_NEAR(bound_of(graph, 4, {"telescoped", "advancing"}), 23, 1e-6);
  EXPECT_NEAR(bound_of(graph, 4, {"paper", "advancing"}), 22, 1e-6);
  EXPECT_NEAR(bound_of(graph, 4, {"paper", "cover_all"}), 17, 1e-6);
  EXPECT_NEAR(bound_of(graph, 4, {"paper", "cover_last"}), 1.20611, 1e-5);
}

TEST(ProgramBound, OfTheSplitProgramIsTheOptimumOfDecimals) {
  const Graph graph = GraphBuilder()
                          .add_op("q", {}, 1, 0.3)
                          .add_op("a", {"q"}, 4, 2.5)
                          .add_op("big", {}, 5, 0.7)
                          .add_op("end", {"a"}, 1, 0.7)
                          .build()
                          .value();
  EXPECT_DOUBLE_EQ(bound_of(graph, 6, {"split", "advancing"}), 6.7);
}

TEST(ProgramBound, RefusesStagesOfAnotherProgram) {
  const Graph graph = chain(4);
  const auto bound =
      program_bound({graph, 4, OrderRule::kFixed}, {"gap", "cover_all"}, {});
  ASSERT_FALSE(bound.ok());
  EXPECT_EQ(bound.error().message,
            "--stages is for the formulation paper, not for 'gap'");
}

TEST(ProgramBound, SaysForWhichPlansItHolds) {
  const Graph graph = chain(4);
  const Problem problem{graph, 4, OrderRule::kFixed};
  EXPECT_TRUE(
      program_bound(problem, {"telescoped", "advancing"}, {})->holds_for_all);
  EXPECT_FALSE(
      program_bound(problem, {"paper", "advancing"}, {})->holds_for_all);
}

TEST(ProgramBound, SaysWhatCutItShort) {
  const Graph graph = chain(8);
  const Problem problem{graph, 4, OrderRule::kFixed};
  const std::atomic<bool> interrupted = true;
  Limits no_time;
  no_time.seconds = 0;
  Limits stopped;
  stopped.interrupt = &interrupted;
  for (const char* formulation : {"gap", "paper", "telescoped", "split"}) {
    const ProgramChoice choice{formulation, "advancing"};
    EXPECT_EQ(program_bound(problem, choice, {})->stop_reason,
              StopReason::kFinished)
        << formulation;
    EXPECT_EQ(program_bound(problem, choice, no_time)->stop_reason,
              StopReason::kTimeLimit)
        << formulation;
    const auto cut = program_bound(problem, choice, stopped);
    EXPECT_EQ(cut->stop_reason, StopReason::kInterrupted) << formulation;
    EXPECT_GE(*cut->lower_bound, graph.base_cost()) << formulation;
  }
}

TEST(ProgramBound, TellsTooLargeFromWrong) {
  const Graph graph =
      synthetic_graph(
          {.family = Family::kTransformer, .ops = 1000, .training = true})
          .value();
  const Problem problem{graph, kMaxBytes, OrderRule::kFixed};
  const ProgramChoice choice{"paper", "advancing"};
  EXPECT_EQ(program_bound(problem, choice, {}).error().code,
            ErrorCode::kTooLarge);
  EXPECT_EQ(program_text(problem, choice, "mps").error().code,
            ErrorCode::kTooLarge);
}

TEST(ProgramText, OfTheGapProgramMayBeTooLargeWhereItsBoundIsNot) {
  const Graph graph =
      synthetic_graph(
          {.family = Family::kTransformer, .ops = 30'000, .training = true})
          .value();
  const Problem problem{graph, keep_all_peak(graph) / 4, OrderRule::kFixed};
  const ProgramChoice choice{"gap", "advancing"};
  EXPECT_EQ(program_text(problem, choice, "mps").error().code,
            ErrorCode::kTooLarge);
  EXPECT_TRUE(program_bound(problem, choice, {}).ok());
}

// What is written, read back and solved by HiGHS, in cost units.
double solved_text(const Graph& graph, Bytes budget, const char* formulation,
                   const char* format) {
  const auto text = program_text({graph, budget, OrderRule::kFixed},
                                 {formulation, "advancing"}, format);
  EXPECT_TRUE(text.ok());
  const auto path = std::filesystem::temp_directory_path() /
                    fmt::format("rematch_program_{}.{}", getpid(), format);
  std::ofstream(path) << *text;
  const auto model = read_linear_model(path.string());
  std::filesystem::remove(path);
  if (!model.ok()) return -1;
  return program_units(graph).cost_from(solve_integers(*model, {}).objective);
}

TEST(ProgramText, ReadsBackWithTheSameOptimum) {
  const Graph graph = chain(5);
  for (const char* format : {"mps", "lp"}) {
    EXPECT_NEAR(solved_text(graph, 4, "paper", format), 14, 1e-6) << format;
    EXPECT_NEAR(solved_text(graph, 4, "gap", format), 14, 1e-6) << format;
    EXPECT_NEAR(solved_text(graph, 4, "telescoped", format), 14, 1e-6)
        << format;
  }
}

TEST(ProgramText, StatesItsScale) {
  const Graph graph = chain(4);
  const auto text =
      program_text({graph, 4, OrderRule::kFixed}, {"gap", "advancing"}, "mps");
  EXPECT_TRUE(text->starts_with("* rematch: formulation gap, budget 4 bytes"));
  EXPECT_NE(text->find("costs are multiplied by 1;"), std::string::npos);
}

TEST(ProgramText, SaysWhetherSizesAreLeftOut) {
  for (Bytes small : {Bytes{7}, Bytes{70'000'000}}) {
    const Graph graph = GraphBuilder()
                            .add_op("a", {}, 1'000'000'000'000'001)
                            .add_op("b", {"a"}, small)
                            .build()
                            .value();
    const auto text =
        program_text({graph, keep_all_peak(graph), OrderRule::kFixed},
                     {"paper", "advancing"}, "lp");
    EXPECT_EQ(text->find("left out") != std::string::npos, small == 7);
  }
}

}  // namespace
}  // namespace rematch
