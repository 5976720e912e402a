// SPDX-License-Identifier: Apache-2.0
// One line on a terminal that follows a search: best cost, bound, gap, time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "rematch/cli/console.h"
#include "rematch/graph/graph.h"
#include "rematch/solve/request.h"

namespace rematch {

// "best 1.03662x  bound 1.03548x  gap 0.11%  3.2 s" without colours.
std::string progress_text(const Graph& graph, const SearchProgress& progress,
                          double seconds);

// Rewrites the line a few times a second, from `first` on, and wipes it out
// when it goes. Does nothing where the console's error stream is no terminal.
// Refers to the console and the graph.
class ProgressLine {
 public:
  ProgressLine(
      const Console& console, const Graph& graph,
      std::chrono::milliseconds first = std::chrono::milliseconds(500));
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  // For Request::on_progress. Thread-safe.
  void update(const SearchProgress& progress);

 private:
  void run();

  const Console& console_;
  const Graph& graph_;
  std::chrono::milliseconds first_;
  std::chrono::steady_clock::time_point begin_ =
      std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  SearchProgress progress_;  // This and what follows are guarded by the mutex.
  bool over_ = false;
  std::thread thread_;
};

}  // namespace rematch
