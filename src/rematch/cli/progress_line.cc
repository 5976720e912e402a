// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/progress_line.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "rematch/cli/summary.h"

namespace rematch {

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
      const double gap = progress.cost / bound - 1;
      text += fmt::format("  gap {}", gap > 0 ? format_gap(gap) : "0%");
    }
  }
  return text + fmt::format("  {:.1f} s", seconds);
}

ProgressLine::ProgressLine(const Console& console, const Graph& graph,
                           std::chrono::milliseconds first)
    : graph_(graph),
      text_(
          console,
          [this](double seconds) {
            const std::lock_guard lock(mutex_);
            return progress_text(graph_, progress_, seconds);
          },
          first) {}

void ProgressLine::update(const SearchProgress& progress) {
  const std::lock_guard lock(mutex_);
  progress_ = progress;
}

}  // namespace rematch
