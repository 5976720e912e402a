// SPDX-License-Identifier: Apache-2.0
// Lines on a terminal that are rewritten in place while something goes on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "rematch/cli/console.h"

namespace rematch {

// Shows `text(seconds)` a few times a second, from `first` on, and wipes it out
// when it goes. Where the terminal has too few lines, the last ones are shown.
// Does nothing where the console's error stream is no terminal. `text` is
// called by another thread and gives lines without a line end at the end.
// Refers to the console.
class LiveText {
 public:
  LiveText(const Console& console, std::function<std::string(double)> text,
           std::chrono::milliseconds first = std::chrono::milliseconds(500));
  LiveText(const LiveText&) = delete;
  LiveText& operator=(const LiveText&) = delete;
  ~LiveText();

 private:
  void run();

  const Console& console_;
  std::function<std::string(double)> text_;
  std::chrono::milliseconds first_;
  std::chrono::steady_clock::time_point begin_ =
      std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;  // Guarded by the mutex.
  std::thread thread_;
};

}  // namespace rematch
