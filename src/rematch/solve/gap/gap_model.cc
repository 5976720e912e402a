// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/gap_model.h"

#include <cmath>

namespace rematch {

LinearModel gap_model(const Graph& graph, const GapProgram& program,
                      const ProgramUnits& units) {
  LinearModel model;
  model.set_offset(units.cost(graph.base_cost()));
  const FamilyId evicted = model.family("evicted");
  std::vector<std::vector<LinearTerm>> rows(program.need.size());
  for (const Gap& gap : program.gaps) {
    const ColumnId column =
        model.add_column(evicted, {0, 1, units.cost(gap.cost), true});
    double size = units.size(gap.bytes);
    // A row asks for at least so much, so here more is safe.
    if (size == 0) size = kLeastCoefficient;
    for (auto t = gap.first; t <= gap.last; ++t) {
      rows[static_cast<std::size_t>(t)].push_back({column, size});
    }
  }
  const FamilyId need = model.family("need");
  for (std::size_t t = 0; t < rows.size(); ++t) {
    // What does not fit: rounded up, as room is rounded down.
    if (program.need[t] <= 0) continue;
    model.add_row(need, -units.room(-program.need[t]), kInfinity, rows[t]);
  }
  return model;
}

}  // namespace rematch
