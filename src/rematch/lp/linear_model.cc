// SPDX-License-Identifier: Apache-2.0
#include "rematch/lp/linear_model.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "rematch/base/check.h"

namespace rematch {
namespace {

constexpr std::size_t kMaxSize = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kMaxNameLength = 64;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_family_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameLength) return false;
  return is_letter(name.front()) && std::ranges::all_of(name, [](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
         });
}

void check_bounds(double lower, double upper) {
  REMATCH_CHECK(lower <= upper,
                fmt::format("a lower bound is at most the upper one, but {} "
                            "is not at most {}",
                            lower, upper));
  REMATCH_CHECK(lower == -kInfinity || std::fabs(lower) < kBoundLimit,
                fmt::format("a lower bound is -infinity or smaller than {} in "
                            "magnitude, not {}",
                            kBoundLimit, lower));
  REMATCH_CHECK(upper == kInfinity || std::fabs(upper) < kBoundLimit,
                fmt::format("an upper bound is infinity or smaller than {} in "
                            "magnitude, not {}",
                            kBoundLimit, upper));
}

// As an exponent: products of scales, and what they are divided by, are finite.
constexpr int kLargestScale = 960;

void check_cost(double cost) {
  REMATCH_CHECK(std::fabs(cost) < kBoundLimit,
                fmt::format("a cost is smaller than {} in magnitude, not {}",
                            kBoundLimit, cost));
}

bool is_coefficient(double value) {
  const double magnitude = std::fabs(value);
  return magnitude >= kLeastCoefficient && magnitude < kCoefficientLimit;
}

// How far a value is outside of [lower, upper]; infinite if it is not finite.
double outside(double value, double lower, double upper) {
  if (!std::isfinite(value)) return kInfinity;
  return std::max({0.0, lower - value, value - upper});
}

}  // namespace

void LinearModel::reserve(std::size_t columns, std::size_t rows,
                          std::size_t terms) {
  cost_.reserve(columns);
  lower_.reserve(columns);
  upper_.reserve(columns);
  integer_.reserve(columns);
  column_member_.reserve(columns);
  last_term_.reserve(columns);
  row_lower_.reserve(rows);
  row_upper_.reserve(rows);
  row_member_.reserve(rows);
  starts_.reserve(rows + 1);
  term_columns_.reserve(terms);
  values_.reserve(terms);
}

FamilyId LinearModel::family(std::string_view name) {
  const auto found = family_ids_.find(name);
  if (found != family_ids_.end()) return found->second;
  REMATCH_CHECK(is_family_name(name),
                fmt::format("a family's name is a word, not '{}'", name));
  const FamilyId id(families_.size());
  families_.push_back({std::string(name), 0, 0});
  family_ids_.emplace(name, id);
  return id;
}

ColumnId LinearModel::add_column(FamilyId family, const LinearColumn& column) {
  REMATCH_CHECK(num_columns() < kMaxSize, "columns can be counted");
  REMATCH_CHECK(family.index() < families_.size(), "the family exists");
  check_bounds(column.lower, column.upper);
  check_cost(column.cost);
  cost_.push_back(column.cost);
  lower_.push_back(column.lower);
  upper_.push_back(column.upper);
  integer_.push_back(column.integer ? 1 : 0);
  num_integers_ += column.integer ? 1 : 0;
  column_member_.push_back({family, families_[family.index()].columns++});
  last_term_.push_back(-1);
  return ColumnId(num_columns() - 1);
}

RowId LinearModel::add_row(FamilyId family, double lower, double upper,
                           std::span<const LinearTerm> terms) {
  REMATCH_CHECK(num_rows() < kMaxSize - 1, "rows can be counted");
  REMATCH_CHECK(terms.size() <= kMaxSize - num_terms(), "terms can be counted");
  REMATCH_CHECK(family.index() < families_.size(), "the family exists");
  check_bounds(lower, upper);
  append_terms(terms);
  row_lower_.push_back(lower);
  row_upper_.push_back(upper);
  row_member_.push_back({family, families_[family.index()].rows++});
  starts_.push_back(static_cast<std::int32_t>(num_terms()));
  return RowId(num_rows() - 1);
}

RowId LinearModel::add_row(FamilyId family, double lower, double upper,
                           std::initializer_list<LinearTerm> terms) {
  return add_row(family, lower, upper,
                 std::span<const LinearTerm>(terms.begin(), terms.size()));
}

void LinearModel::append_terms(std::span<const LinearTerm> terms) {
  for (const LinearTerm& term : terms) {
    REMATCH_CHECK(term.column.index() < num_columns(), "the column exists");
    REMATCH_CHECK(std::isfinite(term.value), "a coefficient is finite");
  }
  const std::int32_t begin = starts_.back();
  for (const LinearTerm& term : terms) {
    std::int32_t& last = last_term_[term.column.index()];
    if (last >= begin) {
      values_[static_cast<std::size_t>(last)] += term.value;
      continue;
    }
    last = static_cast<std::int32_t>(num_terms());
    term_columns_.push_back(term.column.value);
    values_.push_back(term.value);
  }
  auto kept = static_cast<std::size_t>(begin);
  for (std::size_t i = kept; i < num_terms(); ++i) {
    if (values_[i] == 0) continue;
    term_columns_[kept] = term_columns_[i];
    values_[kept++] = values_[i];
  }
  // Terms moved: nothing may look for this row's again.
  for (const LinearTerm& term : terms) last_term_[term.column.index()] = -1;
  term_columns_.resize(kept);
  values_.resize(kept);
  const auto bad =
      std::find_if_not(values_.begin() + begin, values_.end(), is_coefficient);
  if (bad == values_.end()) return;
  const double value = *bad;
  term_columns_.resize(static_cast<std::size_t>(begin));
  values_.resize(static_cast<std::size_t>(begin));
  REMATCH_CHECK(is_coefficient(value),
                fmt::format("a coefficient has a magnitude in [{}, {}), not {}",
                            kLeastCoefficient, kCoefficientLimit, value));
}

void LinearModel::set_bounds(ColumnId column, double lower, double upper) {
  REMATCH_CHECK(column.index() < num_columns(), "the column exists");
  check_bounds(lower, upper);
  lower_[column.index()] = lower;
  upper_[column.index()] = upper;
}

void LinearModel::set_cost(ColumnId column, double cost) {
  REMATCH_CHECK(column.index() < num_columns(), "the column exists");
  check_cost(cost);
  cost_[column.index()] = cost;
}

void LinearModel::set_row_bounds(RowId row, double lower, double upper) {
  REMATCH_CHECK(row.index() < num_rows(), "the row exists");
  check_bounds(lower, upper);
  row_lower_[row.index()] = lower;
  row_upper_[row.index()] = upper;
}

void LinearModel::set_offset(double offset) {
  check_cost(offset);
  offset_ = offset;
}

LinearColumn LinearModel::column(ColumnId column) const {
  const std::size_t i = column.index();
  return {lower_[i], upper_[i], cost_[i], integer_[i] != 0};
}

std::span<const std::int32_t> LinearModel::row_columns(RowId row) const {
  const auto begin = static_cast<std::size_t>(starts_[row.index()]);
  const auto end = static_cast<std::size_t>(starts_[row.index() + 1]);
  return std::span(term_columns_).subspan(begin, end - begin);
}

std::span<const double> LinearModel::row_values(RowId row) const {
  const auto begin = static_cast<std::size_t>(starts_[row.index()]);
  const auto end = static_cast<std::size_t>(starts_[row.index() + 1]);
  return std::span(values_).subspan(begin, end - begin);
}

FamilyId LinearModel::family_of(ColumnId column) const {
  return column_member_[column.index()].family;
}

FamilyId LinearModel::family_of(RowId row) const {
  return row_member_[row.index()].family;
}

std::int32_t LinearModel::index_in_family(ColumnId column) const {
  return column_member_[column.index()].index;
}

std::int32_t LinearModel::index_in_family(RowId row) const {
  return row_member_[row.index()].index;
}

std::string LinearModel::name(ColumnId column) const {
  return member_name(column_member_[column.index()]);
}

std::string LinearModel::name(RowId row) const {
  return member_name(row_member_[row.index()]);
}

std::string LinearModel::member_name(const Member& member) const {
  return fmt::format("{}[{}]", families_[member.family.index()].name,
                     member.index);
}

double objective_at(const LinearModel& model, std::span<const double> values) {
  REMATCH_CHECK(values.size() == model.num_columns(), "one value per column");
  double sum = model.offset();
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += model.costs()[i] * values[i];
  }
  return sum;
}

double violation_at(const LinearModel& model, std::span<const double> values) {
  REMATCH_CHECK(values.size() == model.num_columns(), "one value per column");
  double worst = 0;
  for (const ColumnId id : model.columns()) {
    const LinearColumn column = model.column(id);
    const double value = values[id.index()];
    worst = std::max(worst, outside(value, column.lower, column.upper));
    if (column.integer) {
      worst = std::max(worst, std::fabs(value - std::round(value)));
    }
  }
  if (!std::isfinite(worst)) return kInfinity;
  for (const RowId row : model.rows()) {
    const auto columns = model.row_columns(row);
    const auto coefficients = model.row_values(row);
    double sum = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      sum += coefficients[i] * values[static_cast<std::size_t>(columns[i])];
    }
    worst = std::max(worst,
                     outside(sum, model.row_lower(row), model.row_upper(row)));
  }
  return worst;
}

double scale_for(double magnitude) {
  if (magnitude == 0) return 1;
  return std::ldexp(1.0, std::min(kLargestScale, -std::ilogb(magnitude)));
}

}  // namespace rematch
