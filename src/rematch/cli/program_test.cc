// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/program.h"

#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "rematch/base/version.h"
#include "rematch/cli/summary.h"
#include "rematch/cli/table.h"
#include "rematch/cli/validators.h"

namespace rematch {
namespace {

struct Answer {
  int code = 0;
  std::string out;
  std::string err;
};

Answer run(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "rematch");
  std::ostringstream out;
  std::ostringstream err;
  const Console console{.out = out, .err = err, .colour = false};
  const int code = run_program(static_cast<int>(arguments.size()),
                               arguments.data(), console);
  return {code, out.str(), err.str()};
}

TEST(Program, TellsItsVersion) {
  const Answer version = run({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out, "rematch " + std::string(kVersion) + "\n");
}

TEST(Program, SaysWhatIsWrongInOneSentence) {
  const Answer nothing = run({});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_EQ(nothing.err,
            "rematch: no command given; 'rematch --help' lists them\n");
  EXPECT_EQ(
      run({"fly"}).err,
      "rematch: there is no command 'fly'; 'rematch --help' lists them\n");
  EXPECT_EQ(run({"plan", "missing.json", "-b", "1"}).err,
            "rematch: missing.json: cannot be read: no such file or "
            "directory\n");
  EXPECT_EQ(run({"plan", "missing.json", "-b", "1"}).code, 2);
}

TEST(Program, NeverSendsControlCharactersToTheTerminal) {
  const Answer hostile = run({"plan", "a\x1b[31m\nb.json", "-b", "1"});
  EXPECT_EQ(hostile.code, 2);
  EXPECT_EQ(hostile.err.find('\x1b'), std::string::npos);
  EXPECT_EQ(hostile.err.find('\n'), hostile.err.size() - 1);
}

TEST(DisplayName, CutsAtCodePointsAndReplacesControls) {
  EXPECT_EQ(display_name("a\tb"), "a?b");
  EXPECT_EQ(display_name("äöü", 2), "äö…");
  EXPECT_EQ(display_width("äö"), 2u);
}

TEST(Table, AlignsByCodePoints) {
  std::ostringstream out;
  const Console console{.out = out, .err = out, .colour = false};
  Table table(Table::Align::kRight);
  table.add_row({"é", "1"});
  table.add_row({"long", "12"});
  table.print(console);
  EXPECT_EQ(out.str(), "é      1\nlong  12\n");
}

TEST(Table, ColoursOnlyWhenAllowed) {
  std::ostringstream out;
  const Console console{.out = out, .err = out, .colour = true};
  Table table(Table::Align::kLeft);
  table.add_row({{"a", Style::kGood}});
  table.print(console);
  EXPECT_EQ(out.str(), "\x1b[32ma\x1b[0m\n");
}

TEST(FormatPercent, ShowsEnoughDigits) {
  EXPECT_EQ(format_percent(0), "+0%");
  EXPECT_EQ(format_percent(0.0186), "+1.86%");
  EXPECT_EQ(format_percent(0.00012), "+0.0120%");
  EXPECT_EQ(format_percent(0.713), "+71.3%");
  EXPECT_EQ(format_percent(6.7), "+670%");
}

TEST(Validators, AnswerInOurWords) {
  EXPECT_EQ(positive_integer()("12"), "");
  EXPECT_EQ(positive_integer()("0"), "'0' is not a whole number above 0");
  EXPECT_EQ(positive_integer()("1.5"), "'1.5' is not a whole number above 0");
  EXPECT_EQ(non_negative_number()("0.5"), "");
  EXPECT_EQ(non_negative_number()("-1"), "'-1' is not a number of at least 0");
  EXPECT_EQ(non_negative_number()("nan"),
            "'nan' is not a number of at least 0");
  EXPECT_EQ(one_of({"a", "b"})("c"), "'c' is not one of a, b");
}

}  // namespace
}  // namespace rematch
