// SPDX-License-Identifier: Apache-2.0
// Where the program writes, and whether a person is looking.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace rematch {

enum class Style { kPlain, kBold, kDim, kGood, kWarning, kBad };

// Output streams and what they can show. Refers to the streams.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool colour = false;  // Escape sequences may be written to `out`.
  bool live = false;    // `err` is a terminal on which lines can be rewritten.
  std::size_t lines = kUsualLines;  // That this terminal has.
  bool person = false;  // `out` is a terminal: pictures are welcome.
  bool unicode = true;  // `out` shows more than ASCII.
  std::size_t columns = kUsualColumns;  // Of the terminal behind `out`.

  static constexpr std::size_t kUsualLines = 24;
  static constexpr std::size_t kUsualColumns = 80;

  // The text, wrapped in escape sequences if colour is on.
  std::string styled(Style style, std::string_view text) const;
};

// Standard output and error; colour only on a terminal that is not "dumb", and
// not if NO_COLOR is set to anything but the empty string; live if standard
// error is a terminal that is not "dumb"; Unicode if the locale says UTF-8.
Console standard_console();

}  // namespace rematch
