// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/progress_line.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include <fmt/format.h>

#include "rematch/cli/summary.h"

namespace rematch {
namespace {

constexpr std::chrono::milliseconds kInterval{200};
constexpr std::string_view kWipe = "\r\x1b[K";

}  // namespace

std::string progress_text(const Graph& graph, const SearchProgress& progress,
                          double seconds) {
  const Cost base = graph.base_cost();
  const bool found = std::isfinite(progress.cost);
  const Cost bound = std::max(base, progress.lower_bound);
  std::string text = "searching";
  if (base > 0) {
    text = found ? fmt::format("best {}", format_ratio(progress.cost / base))
                 : std::string("no plan yet");
    text += fmt::format("  bound {}", format_ratio(bound / base));
    if (found) {
      text += fmt::format("  gap {}",
                          format_percent(progress.cost / bound - 1).substr(1));
    }
  }
  return text + fmt::format("  {:.1f} s", seconds);
}

ProgressLine::ProgressLine(const Console& console, const Graph& graph,
                           std::chrono::milliseconds first)
    : console_(console), graph_(graph), first_(first) {
  if (console.live) thread_ = std::thread([this] { run(); });
}

ProgressLine::~ProgressLine() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ProgressLine::update(const SearchProgress& progress) {
  const std::lock_guard lock(mutex_);
  progress_ = progress;
}

void ProgressLine::run() {
  std::unique_lock lock(mutex_);
  bool shown = false;
  auto wait = first_;
  while (!changed_.wait_for(lock, wait, [&] { return over_; })) {
    const std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin_;
    console_.err << kWipe << progress_text(graph_, progress_, spent.count())
                 << std::flush;
    shown = true;
    wait = kInterval;
  }
  if (shown) console_.err << kWipe << std::flush;
}

}  // namespace rematch
