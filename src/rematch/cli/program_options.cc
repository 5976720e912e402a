// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/program_options.h"

#include <utility>

#include "rematch/cli/validators.h"
#include "rematch/plan/budget.h"
#include "rematch/plan/sequence.h"

namespace rematch {

void add_program_options(Command command, std::vector<std::string> formulations,
                         ProgramOptions& options) {
  command
      .add_option("--budget,-b", options.budget,
                  "as for plan; min is the floor")
      .required()
      .type_name("BUDGET");
  std::string names;
  for (std::size_t i = 0; i < formulations.size(); ++i) {
    if (i > 0) names += i + 1 == formulations.size() ? " or " : ", ";
    names += formulations[i];
  }
  command.add_option("--formulation", options.choice.formulation, names)
      .check(one_of(std::move(formulations)))
      .type_name("NAME")
      .show_default();
  command
      .add_option("--stages", options.choice.stages,
                  "of paper: advancing, cover_all or cover_last")
      .check(one_of({"advancing", "cover_all", "cover_last"}))
      .type_name("KIND")
      .show_default();
}

Result<ProgramBudget> program_budget(const Graph& graph,
                                     const ProgramOptions& options) {
  const auto spec = parse_budget(options.budget);
  if (!spec) return spec.error();
  const auto budget = resolve_budget(*spec, keep_all_peak(graph));
  if (!budget) return budget.error();
  ProgramBudget result;
  result.floor = peak_floor(graph, OrderRule::kFixed);
  result.budget = budget->value_or(result.floor.bytes);
  return result;
}

}  // namespace rematch
