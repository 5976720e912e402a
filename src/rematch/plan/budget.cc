// SPDX-License-Identifier: Apache-2.0
#include "rematch/plan/budget.h"

#include <fmt/format.h>

namespace rematch {
namespace {

Error too_large(std::string_view budget) {
  return {
      ErrorCode::kOutOfRange,
      fmt::format("budget '{}' has too many digits or is more than {} bytes",
                  budget, kMaxBytes)};
}

}  // namespace

Result<BudgetSpec> parse_budget(std::string_view text) {
  if (text == "min") return BudgetSpec(LeastBudget{});
  const bool percent = !text.empty() && text.back() == '%';
  if (percent) {
    const auto share = parse_decimal(text.substr(0, text.size() - 1));
    if (share) return BudgetSpec(PercentOfKeepAll{*share});
    if (share.error().code == ErrorCode::kOutOfRange) return too_large(text);
  } else {
    const auto bytes = parse_bytes(text);
    if (bytes) return BudgetSpec(*bytes);
    if (bytes.error().code == ErrorCode::kOutOfRange) return too_large(text);
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("budget '{}' is not a size such as 8GiB, a "
                           "percentage of the keep-all peak such as 90%, or "
                           "min",
                           text)};
}

Result<std::vector<BudgetSpec>> parse_budgets(std::string_view text) {
  std::vector<BudgetSpec> budgets;
  while (true) {
    const std::size_t comma = text.find(',');
    auto budget = parse_budget(text.substr(0, comma));
    if (!budget) return budget.error();
    budgets.push_back(*std::move(budget));
    if (comma == std::string_view::npos) return budgets;
    text.remove_prefix(comma + 1);
  }
}

Result<std::optional<Bytes>> resolve_budget(const BudgetSpec& spec,
                                            Bytes keep_all_peak) {
  if (const auto* bytes = std::get_if<Bytes>(&spec)) {
    return std::optional<Bytes>(*bytes);
  }
  if (const auto* share = std::get_if<PercentOfKeepAll>(&spec)) {
    const auto bytes = scale_up(share->percent, keep_all_peak, 100);
    if (!bytes) {
      const auto& [numerator, denominator] = share->percent;
      return too_large(fmt::format(
          "{}%",
          static_cast<double>(numerator) / static_cast<double>(denominator)));
    }
    return std::optional<Bytes>(*bytes);
  }
  return std::optional<Bytes>();
}

std::vector<Bytes> evenly_spaced(Bytes first, Bytes last, int count) {
  __extension__ using Wide = __int128;
  std::vector<Bytes> budgets = {first};
  for (int i = 1; i < count; ++i) {
    const Wide offset = Wide{last - first} * i / (count - 1);
    budgets.push_back(first + static_cast<Bytes>(offset));
  }
  return budgets;
}

}  // namespace rematch
