// SPDX-License-Identifier: Apache-2.0
#include "rematch/lp/export_model.h"

#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace rematch {
namespace {

constexpr std::size_t kTermsPerLine = 6;

template <class... Args>
void put(std::string& text, fmt::format_string<Args...> format,
         Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

bool has_no_bound(double lower, double upper) {
  return lower == -kInfinity && upper == kInfinity;
}

// MPS

// How a row is declared: a type, a right hand side and perhaps a range. A G row
// reaches up to rhs + range, an L row down to rhs - range.
struct MpsRow {
  RowId row;
  char type = 'N';
  double rhs = 0;
  double range = 0;
  bool second = false;  // The upper half of a row that is written as two.
};

void add_mps_rows(const LinearModel& model, RowId row,
                  std::vector<MpsRow>& rows) {
  const double lower = model.row_lower(row);
  const double upper = model.row_upper(row);
  const double range = upper - lower;
  if (has_no_bound(lower, upper)) {
    rows.push_back({row, 'N'});
  } else if (lower == upper) {
    rows.push_back({row, 'E', lower});
  } else if (upper == kInfinity) {
    rows.push_back({row, 'G', lower});
  } else if (lower == -kInfinity) {
    rows.push_back({row, 'L', upper});
  } else if (lower + range == upper) {
    rows.push_back({row, 'G', lower, range});
  } else if (upper - range == lower) {
    rows.push_back({row, 'L', upper, range});
  } else {
    rows.push_back({row, 'G', lower});
    rows.push_back({row, 'L', upper, 0, true});
  }
}

std::string mps_name(const LinearModel& model, const MpsRow& row) {
  return model.name(row.row) + (row.second ? ".upper" : "");
}

// MPS lists terms by column: for each column, which MPS rows it is in.
struct MpsTerm {
  std::size_t row = 0;
  double value = 0;
};

std::vector<std::vector<MpsTerm>> terms_by_column(
    const LinearModel& model, const std::vector<MpsRow>& rows) {
  std::vector<std::vector<MpsTerm>> terms(model.num_columns());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto columns = model.row_columns(rows[i].row);
    const auto values = model.row_values(rows[i].row);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      terms[static_cast<std::size_t>(columns[k])].push_back({i, values[k]});
    }
  }
  return terms;
}

void put_mps_columns(const LinearModel& model, const std::vector<MpsRow>& rows,
                     const std::vector<std::string>& names, std::string& text) {
  const auto terms = terms_by_column(model, rows);
  text += "COLUMNS\n";
  bool in_integers = false;
  for (const ColumnId id : model.columns()) {
    const LinearColumn column = model.column(id);
    if (column.integer != in_integers) {
      put(text, " marker 'MARKER' '{}'\n", in_integers ? "INTEND" : "INTORG");
      in_integers = column.integer;
    }
    const std::string name = model.name(id);
    // Also where it is zero: a column must be somewhere.
    if (column.cost != 0 || terms[id.index()].empty()) {
      put(text, " {} cost {}\n", name, column.cost);
    }
    for (const MpsTerm& term : terms[id.index()]) {
      put(text, " {} {} {}\n", name, names[term.row], term.value);
    }
  }
  if (in_integers) text += " marker 'MARKER' 'INTEND'\n";
}

void put_mps_sides(const LinearModel& model, const std::vector<MpsRow>& rows,
                   const std::vector<std::string>& names, std::string& text) {
  text += "RHS\n";
  // By convention the objective is a row whose right hand side is subtracted.
  if (model.offset() != 0) put(text, " rhs cost {}\n", -model.offset());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].rhs != 0) put(text, " rhs {} {}\n", names[i], rows[i].rhs);
  }
  text += "RANGES\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].range != 0)
      put(text, " range {} {}\n", names[i], rows[i].range);
  }
}

// Integer columns always say both bounds: readers do not agree on the defaults.
void put_mps_bounds(const LinearModel& model, std::string& text) {
  text += "BOUNDS\n";
  for (const ColumnId id : model.columns()) {
    const auto [lower, upper, cost, integer] = model.column(id);
    const std::string name = model.name(id);
    if (lower == upper) {
      put(text, " FX bound {} {}\n", name, lower);
      continue;
    }
    if (has_no_bound(lower, upper)) {
      put(text, " FR bound {}\n", name);
      continue;
    }
    if (lower == -kInfinity) {
      put(text, " MI bound {}\n", name);
    } else if (lower != 0 || integer || upper < 0) {
      put(text, " LO bound {} {}\n", name, lower);
    }
    if (upper != kInfinity) {
      put(text, " UP bound {} {}\n", name, upper);
    } else if (integer) {
      put(text, " PL bound {}\n", name);
    }
  }
}

// LP

std::string lp_name(const LinearModel& model, FamilyId family,
                    std::int32_t index) {
  const std::string& name = model.families()[family.index()].name;
  const bool like_exponent = name.front() == 'e' || name.front() == 'E';
  return fmt::format("{}{}_{}", like_exponent ? "_" : "", name, index);
}

void put_lp_term(double value, const std::string& name, std::string& text) {
  if (value < 0) {
    put(text, " - {} {}", -value, name);
  } else {
    put(text, " + {} {}", value, name);
  }
}

// A line break after every few terms: old readers take 255 characters a line.
void put_lp_terms(std::span<const std::int32_t> columns,
                  std::span<const double> values,
                  const std::vector<std::string>& names, std::string& text) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0 && i % kTermsPerLine == 0) text += "\n  ";
    put_lp_term(values[i], names[static_cast<std::size_t>(columns[i])], text);
  }
  if (columns.empty()) put_lp_term(0, names.front(), text);
}

// With every column, zero cost or not: readers number columns as they come.
void put_lp_objective(const LinearModel& model,
                      const std::vector<std::string>& names,
                      std::string& text) {
  text += "Minimize\n cost:";
  std::vector<std::int32_t> columns(model.num_columns());
  std::iota(columns.begin(), columns.end(), 0);
  put_lp_terms(columns, model.costs(), names, text);
  if (model.offset() != 0) {
    put(text, " {} {}", model.offset() < 0 ? '-' : '+',
        model.offset() < 0 ? -model.offset() : model.offset());
  }
  text += '\n';
}

void put_lp_rows(const LinearModel& model,
                 const std::vector<std::string>& names, std::string& text) {
  const auto put_row = [&](RowId row, std::string_view end,
                           std::string_view sense, double side) {
    put(text, " {}{}:",
        lp_name(model, model.family_of(row), model.index_in_family(row)), end);
    put_lp_terms(model.row_columns(row), model.row_values(row), names, text);
    put(text, " {} {}\n", sense, side);
  };
  text += "Subject To\n";
  for (const RowId row : model.rows()) {
    const double lower = model.row_lower(row);
    const double upper = model.row_upper(row);
    if (lower == upper) {
      put_row(row, "", "=", lower);
      continue;
    }
    const bool both = lower != -kInfinity && upper != kInfinity;
    if (lower != -kInfinity) put_row(row, "", ">=", lower);
    if (upper != kInfinity) put_row(row, both ? ".upper" : "", "<=", upper);
  }
}

void put_lp_bounds(const LinearModel& model,
                   const std::vector<std::string>& names, std::string& text) {
  text += "Bounds\n";
  for (const ColumnId id : model.columns()) {
    const auto [lower, upper, cost, integer] = model.column(id);
    const std::string& name = names[id.index()];
    if (lower == upper) {
      put(text, " {} = {}\n", name, lower);
    } else if (has_no_bound(lower, upper)) {
      put(text, " {} free\n", name);
    } else if (lower == -kInfinity) {
      put(text, " -inf <= {} <= {}\n", name, upper);
    } else if (upper != kInfinity) {
      put(text, " {} <= {} <= {}\n", lower, name, upper);
    } else if (lower != 0) {
      put(text, " {} >= {}\n", name, lower);
    }
  }
}

}  // namespace

std::string to_mps(const LinearModel& model) {
  std::vector<MpsRow> rows;
  for (const RowId row : model.rows()) add_mps_rows(model, row, rows);
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const MpsRow& row : rows) names.push_back(mps_name(model, row));

  std::string text = "NAME rematch\nROWS\n N cost\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    put(text, " {} {}\n", rows[i].type, names[i]);
  }
  put_mps_columns(model, rows, names, text);
  put_mps_sides(model, rows, names, text);
  put_mps_bounds(model, text);
  text += "ENDATA\n";
  return text;
}

std::string to_lp(const LinearModel& model) {
  std::vector<std::string> names;
  names.reserve(model.num_columns());
  for (const ColumnId id : model.columns()) {
    names.push_back(
        lp_name(model, model.family_of(id), model.index_in_family(id)));
  }
  const bool empty = names.empty();
  if (empty) names.emplace_back("nothing");

  std::string text;
  put_lp_objective(model, names, text);
  put_lp_rows(model, names, text);
  put_lp_bounds(model, names, text);
  if (empty) text += " nothing = 0\n";
  if (model.num_integers() > 0) text += "General\n";
  for (const ColumnId id : model.columns()) {
    if (model.column(id).integer) put(text, " {}\n", names[id.index()]);
  }
  text += "End\n";
  return text;
}

}  // namespace rematch
