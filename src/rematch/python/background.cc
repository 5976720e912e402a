// SPDX-License-Identifier: Apache-2.0
#include "rematch/python/background.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace rematch {
namespace {

// How long a signal may go unnoticed.
constexpr std::chrono::milliseconds kBetweenSignals{50};

// What the searching thread leaves for the waiting one.
class Mailbox {
 public:
  void post(const SearchProgress& progress) {
    ProgressNote note{.cost = progress.cost,
                      .lower_bound = progress.lower_bound,
                      .plan = std::nullopt};
    if (progress.plan != nullptr) note.plan = *progress.plan;
    const std::lock_guard lock(mutex_);
    // What is known already stays known.
    if (!note.plan && note_ && note_->cost == note.cost) {
      note.plan = std::move(note_->plan);
    }
    note_ = std::move(note);
    changed_.notify_one();
  }

  void finish(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
    over_ = true;
    changed_.notify_one();
  }

  // Waits for a note, for the end, or for a moment. False: it is over.
  bool wait() {
    const nb::gil_scoped_release unlocked;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kBetweenSignals, [&] { return over_ || note_; });
    return !over_;
  }

  std::optional<ProgressNote> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(note_, std::nullopt);
  }

  // Only when it is over.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<ProgressNote> note_;  // This and what follows: by the mutex.
  std::exception_ptr error_;
  bool over_ = false;
};

// A thread that is asked to stop, and waited for, when it goes.
class SearchThread {
 public:
  SearchThread(const std::function<void()>& search, Mailbox& mailbox,
               std::atomic<bool>& interrupt)
      : interrupt_(interrupt), thread_([&search, &mailbox] {
          std::exception_ptr error;
          try {
            search();
          } catch (...) {
            error = std::current_exception();
          }
          mailbox.finish(std::move(error));
        }) {}
  SearchThread(const SearchThread&) = delete;
  SearchThread& operator=(const SearchThread&) = delete;
  ~SearchThread() {
    interrupt_ = true;
    const nb::gil_scoped_release unlocked;
    thread_.join();
  }

 private:
  std::atomic<bool>& interrupt_;
  std::thread thread_;
};

}  // namespace

void run_in_background(Request& request, const ProgressCallback& on_progress,
                       const std::function<void()>& search) {
  Mailbox mailbox;
  std::atomic<bool> interrupt = false;
  request.limits.interrupt = &interrupt;
  if (on_progress) {
    request.on_progress = [&mailbox](const SearchProgress& progress) {
      mailbox.post(progress);
    };
  }
  const auto deliver = [&] {
    if (const auto note = mailbox.take()) on_progress(*note);
  };
  {
    const SearchThread thread(search, mailbox, interrupt);
    while (mailbox.wait()) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      deliver();
    }
  }
  mailbox.rethrow();
  deliver();
}

}  // namespace rematch
