// SPDX-License-Identifier: Apache-2.0
// One line on a terminal that follows a search: best cost, bound, gap, time.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "rematch/cli/console.h"
#include "rematch/cli/live_text.h"
#include "rematch/graph/graph.h"
#include "rematch/solve/request.h"

namespace rematch {

// "best 1.03662x  bound 1.03548x  gap 0.11%  3.2 s" without colours.
std::string progress_text(const Graph& graph, const SearchProgress& progress,
                          double seconds);

// Shows that line, as LiveText does. Refers to the console and the graph.
class ProgressLine {
 public:
  ProgressLine(
      const Console& console, const Graph& graph,
      std::chrono::milliseconds first = std::chrono::milliseconds(500));

  // For Request::on_progress. Thread-safe.
  void update(const SearchProgress& progress);

 private:
  const Graph& graph_;
  std::mutex mutex_;
  SearchProgress progress_;  // Guarded by the mutex.
  LiveText text_;
};

}  // namespace rematch
