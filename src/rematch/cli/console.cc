// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/console.h"

#include <cctype>
#include <cstdlib>
#include <iostream>

#include <sys/ioctl.h>
#include <unistd.h>

namespace rematch {
namespace {

std::string_view escape(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kBold:
      return "\x1b[1m";
    case Style::kDim:
      return "\x1b[2m";
    case Style::kGood:
      return "\x1b[32m";
    case Style::kWarning:
      return "\x1b[33m";
    case Style::kBad:
      return "\x1b[31m";
  }
  return "";
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

std::size_t terminal_lines() {
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
  return known && size.ws_row > 0 ? size.ws_row : Console::kUsualLines;
}

std::size_t terminal_columns() {
  winsize size = {};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 0 ? size.ws_col : Console::kUsualColumns;
}

// What the first variable that is set says, as setlocale() looks at them.
bool locale_is_utf8() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (!is_set(variable)) continue;
    std::string name = std::getenv(variable);
    for (char& c : name) {
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return name.find("utf-8") != name.npos || name.find("utf8") != name.npos;
  }
  return false;
}

}  // namespace

std::string Console::styled(Style style, std::string_view text) const {
  if (!colour || style == Style::kPlain) return std::string(text);
  return std::string(escape(style)) + std::string(text) + "\x1b[0m";
}

Console standard_console() {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  const bool colour =
      isatty(STDOUT_FILENO) == 1 && !dumb && !is_set("NO_COLOR");
  return {.out = std::cout,
          .err = std::cerr,
          .colour = colour,
          .live = isatty(STDERR_FILENO) == 1 && !dumb,
          .lines = terminal_lines(),
          .person = isatty(STDOUT_FILENO) == 1 && !dumb,
          .unicode = locale_is_utf8(),
          .columns = terminal_columns()};
}

}  // namespace rematch
