// SPDX-License-Identifier: Apache-2.0
// Any bytes as a budget, and as a list of budgets: what parses resolves to a
// number of bytes in range, or to an error.
#include "rematch/plan/budget.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rematch/base/check.h"

namespace rematch {
namespace {

void check(const BudgetSpec& spec) {
  for (Bytes peak : {Bytes{0}, Bytes{1}, Bytes{15825108992}, kMaxBytes}) {
    const auto budget = resolve_budget(spec, peak);
    if (!budget || !*budget) continue;
    REMATCH_CHECK(**budget >= 0, "a budget is not negative");
    REMATCH_CHECK(**budget <= kMaxBytes, "a budget is in range");
  }
}

}  // namespace
}  // namespace rematch

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace rematch;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto spec = parse_budget(text)) check(*spec);
  if (const auto list = parse_budgets(text)) {
    REMATCH_CHECK(!list->empty(), "a list has a budget");
    for (const BudgetSpec& spec : *list) check(spec);
  }
  return 0;
}
