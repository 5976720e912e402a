// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/cost_cap.h"

#include <fmt/format.h>

namespace rematch {
namespace {

Result<Cost> with_one_more_forward(const Graph& graph) {
  IdVector<OpId, std::int64_t> runs(graph.num_ops(), 1);
  bool any = false;
  for (OpId op : graph.ops()) {
    if (graph.op(op).phase != Phase::kForward) continue;
    runs[op] = 2;
    any = true;
  }
  if (any) return cost_of_runs(graph, runs);
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("overhead 'forward': none of the graph's {} ops has phase "
                  "'forward'; give a percentage such as 10%",
                  graph.num_ops())};
}

}  // namespace

Result<OverheadSpec> parse_overhead(std::string_view text) {
  if (text == "forward") return OverheadSpec(OneMoreForward{});
  if (!text.empty() && text.back() == '%') {
    const auto percent = parse_decimal(text.substr(0, text.size() - 1));
    if (percent) return OverheadSpec(PercentOfBaseCost{*percent});
    if (percent.error().code == ErrorCode::kOutOfRange) {
      return Error{ErrorCode::kOutOfRange,
                   fmt::format("overhead '{}' has too many digits", text)};
    }
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("overhead '{}' is not 'forward' or a percentage of "
                           "the cost such as 10%",
                           text)};
}

Result<Cost> cost_cap(const OverheadSpec& spec, const Graph& graph) {
  const auto* share = std::get_if<PercentOfBaseCost>(&spec);
  if (share == nullptr) return with_one_more_forward(graph);
  const auto numerator = static_cast<double>(share->percent.numerator);
  const auto denominator = static_cast<double>(share->percent.denominator);
  const Cost base = graph.base_cost();
  return base + base * numerator / (100 * denominator);
}

}  // namespace rematch
