// SPDX-License-Identifier: Apache-2.0
// Aligned columns of text.
#pragma once

#include <string>
#include <vector>

#include "rematch/cli/console.h"

namespace rematch {

struct Cell {
  std::string text;
  Style style = Style::kPlain;

  Cell() = default;
  Cell(std::string t, Style s = Style::kPlain) : text(std::move(t)), style(s) {}
  Cell(const char* t) : text(t) {}
};

// Columns are as wide as their widest cell, with two spaces between them. The
// first column is aligned left, the others as the table says.
class Table {
 public:
  enum class Align { kLeft, kRight };

  explicit Table(Align others) : others_(others) {}

  void add_row(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  void print(const Console& console) const;

 private:
  Align others_;
  std::vector<std::vector<Cell>> rows_;
};

// How many columns a terminal needs for UTF-8 text, counting each code point
// as one.
std::size_t display_width(std::string_view text);

// Text from a file as it may appear on a terminal: characters that control it
// or turn the direction of the text replaced by ?, cut to `most` code points
// with an ellipsis.
std::string display_name(std::string_view name, std::size_t most = 48);

}  // namespace rematch
