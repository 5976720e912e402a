// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/gap/gap_model.h"

#include <cmath>

namespace rematch {

ProgramSize gap_model_size(const GapProgram& program) {
  // Rows before each stage.
  std::vector<std::int64_t> before = {0};
  for (Bytes need : program.need) {
    before.push_back(before.back() + (need > 0 ? 1 : 0));
  }
  ProgramSize size;
  size.columns = static_cast<std::int64_t>(program.gaps.size());
  size.rows = before.back();
  for (const Gap& gap : program.gaps) {
    size.terms += before[static_cast<std::size_t>(gap.last) + 1] -
                  before[static_cast<std::size_t>(gap.first)];
  }
  return size;
}

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
      const auto stage = static_cast<std::size_t>(t);
      if (program.need[stage] > 0) rows[stage].push_back({column, size});
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
