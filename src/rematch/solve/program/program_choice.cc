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
  if (choice.formulation != "paper" &&
      choice.stages != ProgramChoice().stages) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("--stages is for the formulation paper, not for '{}'",
                    choice.formulation)};
  }
  std::optional<std::string> why;
  if (choice.formulation == "paper") {
    why = too_large("the paper's program",
                    PaperProgram::size_of(graph, paper_options(choice)));
  } else if (choice.formulation == "telescoped") {
    why =
        too_large("the telescoped program", TelescopedProgram::size_of(graph));
  }
  if (!why) return std::nullopt;
  return Error{ErrorCode::kTooLarge, *why};
}

ProgramBound proved_none(bool holds_for_all) {
  return {std::nullopt, StopReason::kProved, holds_for_all};
}

// Why a relaxation ended, or why its program was not even built.
StopReason reason_of(const LpSolution& relaxed, const SolveClock& clock) {
  if (relaxed.status == LpStatus::kNotSet) {
    return clock.stop().value_or(StopReason::kFinished);
  }
  return stop_reason_of(relaxed.status).value_or(StopReason::kFinished);
}

ProgramBound gap_bound_of(const Problem& problem, const Limits& limits) {
  Meter meter(limits);
  const GapBound bound = gap_bound(problem, gap_program(problem), meter);
  const auto stop = meter.reason();
  return {bound.lower_bound,
          stop ? stopped(*stop).stop_reason : StopReason::kFinished, true};
}

ProgramBound telescoped_bound(const Problem& problem, const Limits& limits) {
  SolveClock clock(limits);
  TelescopedProgram program(problem, {.omitted = {}, .clock = &clock});
  LpSession session(program.take_model());
  LpSolution relaxed;
  if (program.is_whole()) {
    relaxed = relax_with_rerun_rows(session, program, clock);
  }
  if (relaxed.status == LpStatus::kInfeasible) return proved_none(true);
  Cost extra = 0;
  if (!relaxed.row_duals.empty()) {
    extra = program.units().cost_from(
        proved_bound(session.model(), relaxed.row_duals));
  }
  return {problem.graph.base_cost() + std::max(extra, Cost{0}),
          reason_of(relaxed, clock), true};
}

ProgramBound paper_bound(const Problem& problem, const ProgramChoice& choice,
                         const Limits& limits) {
  const SolveClock clock(limits);
  PaperOptions options = paper_options(choice);
  options.clock = &clock;
  PaperProgram program(problem, options);
  LpSession session(program.take_model());
  LpSolution relaxed;
  if (program.is_whole()) {
    relaxed =
        session.solve_relaxation(clock.left(), paper_method(session.model()));
  }
  if (relaxed.status == LpStatus::kInfeasible) return proved_none(false);
  const StopReason reason = reason_of(relaxed, clock);
  if (relaxed.row_duals.empty()) {
    return {problem.graph.base_cost(), reason, true};
  }
  const Cost value = program.units().cost_from(
      proved_bound(session.model(), relaxed.row_duals));
  return {std::max(value, Cost{0}), reason, false};
}

// Not only a relaxation: as far as the search gets.
Result<ProgramBound> split_bound(const Problem& problem,
                                 const Request& request) {
  const Proposal found = solve_split(problem, request);
  if (found.infeasible) return proved_none(true);
  if (found.stop_reason == StopReason::kNotApplicable) {
    return Error{ErrorCode::kTooLarge, found.message};
  }
  return ProgramBound{std::max(found.lower_bound, problem.graph.base_cost()),
                      found.stop_reason, true};
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

// Beside the largest, a solver would take it for zero.
bool leaves_out_sizes(const Graph& graph, const ProgramUnits& units) {
  return std::ranges::any_of(graph.storages(), [&](StorageId id) {
    const Bytes bytes = graph.storage(id).bytes;
    return bytes > 0 && units.size(bytes) == 0;
  });
}

Text paper_text(const Problem& problem, const ProgramChoice& choice) {
  PaperProgram program(problem, paper_options(choice));
  const bool is_exact = !leaves_out_sizes(problem.graph, program.units());
  return {
      program.take_model(),
      program.units(),
      {"run, kept: by op and by tensor, then stage; free: by stage, tensor "
       "and reader; used: by stage, then op",
       is_exact ? "the optimum is that of plans whose reruns come in the "
                  "graph's order within each stage"
                : "sizes below a billionth of the largest are left out, so the "
                  "optimum is at most that of plans whose reruns come in the "
                  "graph's order within each stage"}};
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
                                   const Request& request) {
  const Limits& limits = request.limits;
  if (auto error = refusal(problem.graph, choice)) return *error;
  if (choice.formulation == "gap") return gap_bound_of(problem, limits);
  if (choice.formulation == "paper") {
    return paper_bound(problem, choice, limits);
  }
  if (choice.formulation == "split") return split_bound(problem, request);
  return telescoped_bound(problem, limits);
}

Result<std::string> program_text(const Problem& problem,
                                 const ProgramChoice& choice,
                                 std::string_view format) {
  if (auto error = refusal(problem.graph, choice)) return *error;
  if (choice.formulation == "gap") {
    const auto why = too_large("the gap program, written out,",
                               gap_model_size(gap_program(problem)));
    if (why) return Error{ErrorCode::kTooLarge, *why};
  }
  const Text text = choice.formulation == "gap" ? gap_text(problem)
                    : choice.formulation == "paper"
                        ? paper_text(problem, choice)
                        : telescoped_text(problem);
  const bool mps = format == "mps";
  const std::string_view mark = mps ? "*" : "\\";
  std::string head = fmt::format(
      "{0} rematch: formulation {1}, budget {2} bytes, {3} ops\n"
      "{0} costs are multiplied by {4}; sizes are divided by {5} and "
      "multiplied by {6}\n",
      mark, choice.formulation, problem.budget, problem.graph.num_ops(),
      text.units.cost_scale,
      text.units.byte_unit == 1 ? std::string("1 byte")
                                : fmt::format("{} bytes", text.units.byte_unit),
      text.units.memory_scale);
  for (const std::string& line : text.about) {
    head += fmt::format("{} {}\n", mark, line);
  }
  return head + (mps ? to_mps(text.model) : to_lp(text.model));
}

}  // namespace rematch
