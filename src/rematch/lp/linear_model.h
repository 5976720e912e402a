// SPDX-License-Identifier: Apache-2.0
// A linear program, with integer columns or without, that belongs to no solver.
//
// Minimise offset + sum(cost * column) subject to lower <= row <= upper and
// lower <= column <= upper; infinite bounds mean none.
//
// Scale before you build. Solvers work with absolute tolerances of about 1e-6:
// in a row whose coefficients are near 1e11, as bytes are, rounding alone is
// larger than that, and in a row whose coefficients are near 1e-6 a violation
// of any size passes. Multiply such a row, bounds included, by `scale_for` its
// largest coefficient; that is a power of two and so changes no digit.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rematch/base/ids.h"

namespace rematch {

using ColumnId = Id<struct ColumnTag>;
using RowId = Id<struct RowTag>;
using FamilyId = Id<struct FamilyTag>;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What the solvers behind us take for zero, for infinite and for no bound.
inline constexpr double kLeastCoefficient = 1e-9;
inline constexpr double kCoefficientLimit = 1e15;
inline constexpr double kBoundLimit = 1e20;

struct LinearColumn {
  double lower = 0;
  double upper = kInfinity;
  double cost = 0;
  bool integer = false;

  friend bool operator==(const LinearColumn&, const LinearColumn&) = default;
};

struct LinearTerm {
  ColumnId column;
  double value = 0;

  friend bool operator==(const LinearTerm&, const LinearTerm&) = default;
};

// Rows, or columns, of one kind. Its size is what a formulation is judged by.
struct LinearFamily {
  std::string name;
  std::int32_t columns = 0;
  std::int32_t rows = 0;

  friend bool operator==(const LinearFamily&, const LinearFamily&) = default;
};

// Columns and rows are added and never removed; bounds and costs may change. A
// row is taken out of force by making its bounds infinite. Sizes are limited to
// 2^31 - 1 columns, rows and terms.
//
// Mistakes throw InternalError: a number that is not finite where it must be
// (costs, coefficients, bounds other than infinity of the right sign), a finite
// bound of kBoundLimit or more, a lower bound above the upper one, a
// coefficient with a magnitude outside of [kLeastCoefficient,
// kCoefficientLimit), an id that does not exist.
class LinearModel {
 public:
  void reserve(std::size_t columns, std::size_t rows, std::size_t terms);

  // The family of that name, made if there is none. A name has 1 to 64 letters,
  // digits and underscores and begins with a letter.
  FamilyId family(std::string_view name);

  // Amortised O(1).
  ColumnId add_column(FamilyId family, const LinearColumn& column);

  // Amortised O(terms). Terms may come in any order; those of one column add
  // up, and a sum of zero is left out.
  RowId add_row(FamilyId family, double lower, double upper,
                std::span<const LinearTerm> terms);
  RowId add_row(FamilyId family, double lower, double upper,
                std::initializer_list<LinearTerm> terms);

  void set_bounds(ColumnId column, double lower, double upper);
  void set_cost(ColumnId column, double cost);
  void set_row_bounds(RowId row, double lower, double upper);
  void set_offset(double offset);

  std::size_t num_columns() const { return cost_.size(); }
  std::size_t num_rows() const { return row_lower_.size(); }
  std::size_t num_terms() const { return values_.size(); }
  std::size_t num_integers() const { return num_integers_; }
  IdRange<ColumnId> columns() const { return IdRange<ColumnId>(num_columns()); }
  IdRange<RowId> rows() const { return IdRange<RowId>(num_rows()); }

  double offset() const { return offset_; }
  LinearColumn column(ColumnId column) const;
  double row_lower(RowId row) const { return row_lower_[row.index()]; }
  double row_upper(RowId row) const { return row_upper_[row.index()]; }
  // The terms of a row as parallel lists: column numbers and coefficients.
  std::span<const std::int32_t> row_columns(RowId row) const;
  std::span<const double> row_values(RowId row) const;

  std::span<const LinearFamily> families() const { return families_; }
  FamilyId family_of(ColumnId column) const;
  FamilyId family_of(RowId row) const;
  // "keep_source[12]": the family, and which of its members, counted from 0.
  std::string name(ColumnId column) const;
  std::string name(RowId row) const;
  std::int32_t index_in_family(ColumnId column) const;
  std::int32_t index_in_family(RowId row) const;

  // Everything as lists, for solvers. starts() has one entry per row and one
  // more: row r has the terms [starts()[r], starts()[r + 1]).
  std::span<const double> costs() const { return cost_; }
  std::span<const double> lowers() const { return lower_; }
  std::span<const double> uppers() const { return upper_; }
  std::span<const std::uint8_t> integers() const { return integer_; }
  std::span<const double> row_lowers() const { return row_lower_; }
  std::span<const double> row_uppers() const { return row_upper_; }
  std::span<const std::int32_t> starts() const { return starts_; }
  std::span<const std::int32_t> term_columns() const { return term_columns_; }
  std::span<const double> term_values() const { return values_; }

 private:
  struct Member {
    FamilyId family;
    std::int32_t index = 0;
  };

  std::string member_name(const Member& member) const;
  void append_terms(std::span<const LinearTerm> terms);

  double offset_ = 0;
  std::vector<double> cost_;
  std::vector<double> lower_;
  std::vector<double> upper_;
  std::vector<std::uint8_t> integer_;
  std::vector<Member> column_member_;
  std::vector<std::int32_t> last_term_;  // Per column: its latest term, or -1.
  std::vector<double> row_lower_;
  std::vector<double> row_upper_;
  std::vector<Member> row_member_;
  std::vector<std::int32_t> starts_ = {0};
  std::vector<std::int32_t> term_columns_;
  std::vector<double> values_;
  std::size_t num_integers_ = 0;
  std::vector<LinearFamily> families_;
  std::map<std::string, FamilyId, std::less<>> family_ids_;
};

// The objective at a point with one value per column, offset included. O(n).
double objective_at(const LinearModel& model, std::span<const double> values);

// By how much a point breaks the bound, row or integrality that it breaks most;
// 0 if it is feasible. Infinite if a value is not finite. O(columns + terms).
double violation_at(const LinearModel& model, std::span<const double> values);

// The power of two that brings a magnitude into [1, 2); 1 for zero.
double scale_for(double magnitude);

}  // namespace rematch
