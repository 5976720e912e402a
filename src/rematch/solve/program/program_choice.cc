// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/program_choice.h"

#include <algorithm>

#include <fmt/format.h>

#include "rematch/base/check.h"
#include "rematch/lp/export_model.h"
#include "rematch/lp/lp_session.h"
#include "rematch/solve/gap/gap_bound.h"
#include "rematch/solve/gap/gap_model.h"
#include "rematch/solve/program/paper_program.h"
#include "rematch/solve/program/relaxed_kept.h"
#include "rematch/solve/program/solve_clock.h"
#include "rematch/solve/program/telescoped_program.h"
#include "rematch/solve/split/split.h"

namespace rematch {
namespace {

PaperOptions paper_options(const ProgramChoice& choice) {
  const auto stages = paper_stages_from_name(choice.stages);
  REMATCH_CHECK(stages.has_value(), "the stages have a known name");
  PaperOptions options;
  options.stages = *stages;
  return options;
}

// An error if the choice makes no sense or the program is too large to be
// built.
std::optional<Error> refusal(const Graph& graph, const ProgramChoice& choice) {
  std::optional<std::string> why;
  if (choice.formulation != "paper" &&
      choice.stages != ProgramChoice().stages) {
    why = fmt::format("--stages is for the formulation paper, not for '{}'",
                      choice.formulation);
  } else if (choice.formulation == "paper") {
    why = too_large("the paper's program",
                    PaperProgram::size_of(graph, paper_options(choice)));
  } else if (choice.formulation == "telescoped") {
    why =
        too_large("the telescoped program", TelescopedProgram::size_of(graph));
  }
  if (!why) return std::nullopt;
  return Error{ErrorCode::kInvalidArgument, *why};
}

ProgramBound telescoped_bound(const Problem& problem, const Limits& limits) {
  SolveClock clock(limits);
  TelescopedProgram program(problem);
  LpSession session(program.take_model());
  const LpSolution relaxed = relax_with_rerun_rows(session, program, clock);
  if (relaxed.status == LpStatus::kInfeasible) return {};
  Cost extra = 0;
  if (!relaxed.row_duals.empty()) {
    extra = program.units().cost_from(
        proved_bound(session.model(), relaxed.row_duals));
  }
  return {problem.graph.base_cost() + std::max(extra, Cost{0}), true};
}

ProgramBound paper_bound(const Problem& problem, const ProgramChoice& choice,
                         const Limits& limits) {
  const SolveClock clock(limits);
  PaperProgram program(problem, paper_options(choice));
  LpSession session(program.take_model());
  const LpSolution relaxed =
      session.solve_relaxation(clock.left(), paper_method(session.model()));
  if (relaxed.status == LpStatus::kInfeasible) return {std::nullopt, false};
  if (relaxed.row_duals.empty()) return {problem.graph.base_cost(), true};
  const Cost value = program.units().cost_from(
      proved_bound(session.model(), relaxed.row_duals));
  return {std::max(value, Cost{0}), false};
}

// Not only a relaxation: as far as the search gets.
ProgramBound split_bound(const Problem& problem, const Limits& limits) {
  const Proposal found = solve_split(problem, limits);
  if (found.infeasible) return {std::nullopt, true};
  return {std::max(found.lower_bound, problem.graph.base_cost()), true};
}

struct Text {
  LinearModel model;
  ProgramUnits units;
  std::vector<std::string> about;
};

Text gap_text(const Problem& problem) {
  const ProgramUnits units = program_units(problem.graph);
  return {gap_model(problem.graph, gap_program(problem), units),
          units,
          {"evicted: gaps by storage, then time; need: stages that do not fit",
           "the optimum is a lower bound on the cost of any plan"}};
}

Text paper_text(const Problem& problem, const ProgramChoice& choice) {
  PaperProgram program(problem, paper_options(choice));
  return {
      program.take_model(),
      program.units(),
      {"run, kept: by op and by tensor, then stage; free: by stage, tensor "
       "and reader; used: by stage, then op",
       "the optimum is that of plans whose reruns come in the graph's order "
       "within each stage"}};
}

Text telescoped_text(const Problem& problem) {
  TelescopedProgram program(problem);
  Text text{
      program.take_model(),
      program.units(),
      {"run, kept: by op and by tensor, then the stages after its own; "
       "memory: by stage",
       "the rows of reruns are not in it, so the optimum is a lower bound "
       "on the cost of any plan"}};
  text.model.set_offset(text.units.cost(problem.graph.base_cost()));
  return text;
}

}  // namespace

Result<ProgramBound> program_bound(const Problem& problem,
                                   const ProgramChoice& choice,
                                   const Limits& limits) {
  if (auto error = refusal(problem.graph, choice)) return *error;
  if (choice.formulation == "gap") {
    Meter meter(limits);
    return ProgramBound{
        gap_bound(problem, gap_program(problem), meter).lower_bound, true};
  }
  if (choice.formulation == "paper") {
    return paper_bound(problem, choice, limits);
  }
  if (choice.formulation == "split") return split_bound(problem, limits);
  return telescoped_bound(problem, limits);
}

Result<std::string> program_text(const Problem& problem,
                                 const ProgramChoice& choice,
                                 std::string_view format) {
  if (auto error = refusal(problem.graph, choice)) return *error;
  const Text text = choice.formulation == "gap" ? gap_text(problem)
                    : choice.formulation == "paper"
                        ? paper_text(problem, choice)
                        : telescoped_text(problem);
  const bool mps = format == "mps";
  const std::string_view mark = mps ? "*" : "\\";
  std::string head = fmt::format(
      "{0} rematch: formulation {1}, budget {2} bytes, {3} ops\n"
      "{0} costs are multiplied by {4}; sizes are divided by {5} bytes and "
      "multiplied by {6}\n",
      mark, choice.formulation, problem.budget, problem.graph.num_ops(),
      text.units.cost_scale, text.units.byte_unit, text.units.memory_scale);
  for (const std::string& line : text.about) {
    head += fmt::format("{} {}\n", mark, line);
  }
  return head + (mps ? to_mps(text.model) : to_lp(text.model));
}

}  // namespace rematch
