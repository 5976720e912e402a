// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/table.h"

#include <algorithm>
#include <ostream>

namespace rematch {
namespace {

bool starts_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string display_name(std::string_view name, std::size_t most) {
  std::string result;
  std::size_t points = 0;
  for (char c : name) {
    if (starts_code_point(c) && points++ == most) return result + "…";
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte == 0x7F ? '?' : c;
  }
  return result;
}

void Table::print(const Console& console) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i].text));
    }
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - display_width(row[i].text), ' ');
      const std::string text = console.styled(row[i].style, row[i].text);
      const bool right = i > 0 && others_ == Align::kRight;
      const bool last = i + 1 == row.size();
      line += right ? space + text : last ? text : text + space;
      if (!last) line += "  ";
    }
    console.out << line << '\n';
  }
}

}  // namespace rematch
