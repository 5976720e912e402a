// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/table.h"

#include <algorithm>
#include <ostream>

namespace rematch {
namespace {

bool starts_code_point(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

// False for what moves the cursor, starts an escape sequence or turns the
// direction of the text: C0 and C1 controls, bidirectional marks, overrides,
// embeddings and isolates, line and paragraph separators.
bool is_harmless(std::string_view point) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(point[i]);
  };
  if (point.size() == 1) return byte(0) >= 0x20 && byte(0) != 0x7F;
  if (point.size() == 2) {
    const bool c1 = byte(0) == 0xC2 && byte(1) < 0xA0;
    const bool arabic_mark = byte(0) == 0xD8 && byte(1) == 0x9C;
    return !c1 && !arabic_mark;
  }
  if (point.size() != 3 || byte(0) != 0xE2) return true;
  if (byte(1) == 0x80) {  // U+2000 to U+203F.
    return byte(2) != 0x8E && byte(2) != 0x8F &&
           !(byte(2) >= 0xA8 && byte(2) <= 0xAE);
  }
  return !(byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string display_name(std::string_view name, std::size_t most) {
  std::string result;
  std::size_t points = 0;
  for (std::size_t at = 0; at < name.size();) {
    std::size_t end = at + 1;
    while (end < name.size() && !starts_code_point(name[end])) ++end;
    if (points++ == most) return result + "…";
    const std::string_view point = name.substr(at, end - at);
    if (is_harmless(point)) {
      result += point;
    } else {
      result += '?';
    }
    at = end;
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
    while (!line.empty() && line.back() == ' ') line.pop_back();
    console.out << line << '\n';
  }
}

}  // namespace rematch
