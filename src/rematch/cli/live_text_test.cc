// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/live_text.h"

#include <atomic>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rematch {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// What a terminal with `lines` lines receives while the text is shown twice.
std::string shown_on(std::size_t lines, bool live, const std::string& text) {
  std::ostringstream out;
  std::ostringstream err;
  const Console console{.out = out, .err = err, .live = live, .lines = lines};
  std::atomic<int> calls = 0;
  {
    LiveText shown(
        console,
        [&](double) {
          ++calls;
          calls.notify_all();
          return text;
        },
        std::chrono::milliseconds(0));
    while (live && calls < 2) calls.wait(calls);
  }
  EXPECT_THAT(out.str(), IsEmpty());
  return err.str();
}

TEST(LiveText, IsSilentWhereNobodyLooks) {
  EXPECT_THAT(shown_on(24, false, "text"), IsEmpty());
}

TEST(LiveText, WipesOutEveryLineThatItWrote) {
  const std::string seen = shown_on(24, true, "one\ntwo\nthree");
  EXPECT_THAT(seen, HasSubstr("one\ntwo\nthree"));
  EXPECT_THAT(seen, EndsWith("\r\x1b[K\x1b[A\r\x1b[K\x1b[A\r\x1b[K"));
}

TEST(LiveText, ShowsTheLastLinesWhereThereAreTooMany) {
  const std::string seen = shown_on(2, true, "one\ntwo\nthree");
  EXPECT_THAT(seen, HasSubstr("two\nthree"));
  EXPECT_THAT(seen, Not(HasSubstr("one")));
}

}  // namespace
}  // namespace rematch
