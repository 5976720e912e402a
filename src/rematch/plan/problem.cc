// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/problem.h"

namespace rematch {

std::string_view order_name(OrderRule order) {
  return order == OrderRule::kFixed ? "fixed" : "free";
}

std::optional<OrderRule> order_from_name(std::string_view name) {
  if (name == "fixed") return OrderRule::kFixed;
  if (name == "free") return OrderRule::kFree;
  return std::nullopt;
}

}  // namespace rematch
