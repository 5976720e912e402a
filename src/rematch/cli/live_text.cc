// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/live_text.h"

#include <algorithm>
#include <ostream>
#include <utility>

namespace rematch {
namespace {

constexpr std::chrono::milliseconds kInterval{200};
// Long lines are cut off: they must not take two.
constexpr std::string_view kNoWrap = "\x1b[?7l";
constexpr std::string_view kWrap = "\x1b[?7h";

// From the end of the last of `lines` lines to the begin of the first.
std::string wipe(std::size_t lines) {
  std::string text = "\r\x1b[K";
  for (std::size_t i = 1; i < lines; ++i) text += "\x1b[A\r\x1b[K";
  return text;
}

std::size_t num_lines(std::string_view text) {
  return 1 +
         static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string last_lines(std::string text, std::size_t most) {
  for (std::size_t lines = num_lines(text); lines > most; --lines) {
    text.erase(0, text.find('\n') + 1);
  }
  return text;
}

}  // namespace

LiveText::LiveText(const Console& console,
                   std::function<std::string(double)> text,
                   std::chrono::milliseconds first)
    : console_(console), text_(std::move(text)), first_(first) {
  if (console.live) thread_ = std::thread([this] { run(); });
}

LiveText::~LiveText() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LiveText::run() {
  std::unique_lock lock(mutex_);
  std::size_t shown = 0;  // Lines.
  auto wait = first_;
  while (!changed_.wait_for(lock, wait, [&] { return over_; })) {
    const std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin_;
    const std::string text = last_lines(text_(spent.count()), console_.lines);
    console_.err << wipe(shown) << kNoWrap << text << kWrap << std::flush;
    shown = num_lines(text);
    wait = kInterval;
  }
  if (shown > 0) console_.err << wipe(shown) << std::flush;
}

}  // namespace rematch
