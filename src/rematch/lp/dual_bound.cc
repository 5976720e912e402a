// SPDX-License-Identifier: Apache-2.0
#include "rematch/lp/dual_bound.h"

#include <cmath>
#include <vector>

#include "rematch/base/check.h"

namespace rematch {
namespace {

using Wide = long double;
constexpr Wide kRounding = std::numeric_limits<Wide>::epsilon();

// A sum with a bound on how far rounding moved it.
struct Sum {
  Wide value = 0;
  Wide error = 0;

  // Adds a term that is itself off by at most `term_error`.
  void add(Wide term, Wide term_error = 0) {
    value += term;
    error += term_error + kRounding * (std::fabs(term) + std::fabs(value));
  }
};

// The least of price * x over lower <= x <= upper, added to `sum`, where the
// price is off by at most `price_error`. An interval price that reaches past
// zero counts against both bounds.
void add_least(Wide price, Wide price_error, double lower, double upper,
               Sum& sum) {
  if (price == 0 && price_error == 0) return;
  const double at = price > 0 ? lower : upper;
  const double other = price > 0 ? upper : lower;
  Wide worst = price_error * std::fabs(static_cast<Wide>(at));
  if (price_error > std::fabs(price)) {
    worst += 2 * price_error * std::fabs(static_cast<Wide>(other));
  }
  sum.add(price * at, worst);
}

}  // namespace

double dual_bound(const LinearModel& model,
                  std::span<const double> row_prices) {
  REMATCH_CHECK(row_prices.size() == model.num_rows(), "one price per row");
  std::vector<Sum> reduced(model.num_columns());
  for (const ColumnId column : model.columns()) {
    reduced[column.index()].value = model.costs()[column.index()];
  }
  Sum bound;
  bound.value = model.offset();
  for (const RowId row : model.rows()) {
    const double price = row_prices[row.index()];
    REMATCH_CHECK(std::isfinite(price), "a price is finite");
    if (price == 0) continue;
    // Solvers leave tiny prices where a row has no bound; such a row proves
    // nothing, so it is left out.
    if (!std::isfinite(price > 0 ? model.row_lower(row)
                                 : model.row_upper(row))) {
      continue;
    }
    add_least(price, 0, model.row_lower(row), model.row_upper(row), bound);
    const auto columns = model.row_columns(row);
    const auto values = model.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto column = static_cast<std::size_t>(columns[i]);
      reduced[column].add(-static_cast<Wide>(price) * values[i]);
    }
  }
  for (const ColumnId column : model.columns()) {
    const Sum& price = reduced[column.index()];
    add_least(price.value, price.error, model.lowers()[column.index()],
              model.uppers()[column.index()], bound);
  }
  const Wide proved = bound.value - 2 * bound.error;
  if (!std::isfinite(proved)) return -kInfinity;
  return std::nextafter(static_cast<double>(proved), -kInfinity);
}

}  // namespace rematch
