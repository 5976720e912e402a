// SPDX-License-Identifier: Apache-2.0
#include "rematch/report/csv.h"

#include <string_view>

#include <fmt/format.h>

namespace rematch {
namespace {

std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string plan_to_csv(const Graph& graph, const MeasuredPlan& plan) {
  std::string text = "step,action,name,phase,run,cost,footprint_bytes\n";
  IdVector<OpId, int> runs(graph.num_ops());
  for (std::size_t at = 0; at < plan.plan.steps.size(); ++at) {
    const Step& step = plan.plan.steps[at];
    const Bytes footprint = plan.measured.footprint[at];
    if (step.is_compute()) {
      const Op& op = graph.op(step.op());
      text += fmt::format("{},compute,{},{},{},{},{}\n", at, csv_text(op.name),
                          phase_name(op.phase), ++runs[step.op()],
                          format_cost(op.cost), footprint);
    } else {
      text +=
          fmt::format("{},drop,{},,,,{}\n", at,
                      csv_text(graph.tensor(step.tensor()).name), footprint);
    }
  }
  return text;
}

}  // namespace rematch
