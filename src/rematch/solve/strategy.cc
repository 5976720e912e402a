// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategy.h"

#include <fmt/format.h>

namespace rematch {

const Strategy* find_strategy(std::string_view name) {
  for (const Strategy& strategy : strategies()) {
    if (strategy.name == name) return &strategy;
  }
  return nullptr;
}

Result<const Strategy*> strategy_named(std::string_view name) {
  if (const Strategy* strategy = find_strategy(name)) return strategy;
  std::string names;
  for (const Strategy& strategy : strategies()) {
    if (!names.empty()) names += ", ";
    names += strategy.name;
  }
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("there is no strategy '{}' (there are {})", name, names)};
}

Proposal stopped(Stop reason) {
  Proposal proposal;
  switch (reason) {
    case Stop::kTime:
      proposal.stop_reason = StopReason::kTimeLimit;
      proposal.message = "stopped by the time limit";
      break;
    case Stop::kWork:
      proposal.stop_reason = StopReason::kWorkLimit;
      proposal.message = "stopped by the work limit";
      break;
    case Stop::kInterrupt:
      proposal.stop_reason = StopReason::kInterrupted;
      proposal.message = "interrupted";
      break;
  }
  return proposal;
}

Proposal proved_infeasible() {
  Proposal proposal;
  proposal.infeasible = true;
  return proposal;
}

Proposal not_applicable(std::string message) {
  Proposal proposal;
  proposal.stop_reason = StopReason::kNotApplicable;
  proposal.message = std::move(message);
  return proposal;
}

}  // namespace rematch
