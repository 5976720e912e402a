// SPDX-License-Identifier: Apache-2.0
// A search for better plans on a thread of its own, beside another search.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "rematch/plan/plan.h"
#include "rematch/plan/problem.h"
#include "rematch/solve/request.h"

namespace rematch {

// Begins when it is made and ends when it goes, at the latest. What it finds
// depends on timing. Refers to the problem.
class Companion {
 public:
  // Searches from request.start, if there is one, or from nothing where that
  // leads further, knowing of it. Of the limits only the seed counts, and
  // whether there is time for that.
  Companion(const Problem& problem, const Request& request);
  Companion(const Companion&) = delete;
  Companion& operator=(const Companion&) = delete;
  ~Companion();

  // A plan that was found elsewhere, to search on from.
  void tell(const Plan& plan);
  // The best plan, if it got better since the last call. Throws what stopped
  // the search, if something did.
  std::optional<Plan> news();
  // Ends the search; then the same.
  std::optional<Plan> last_news();

 private:
  void run();
  std::optional<Plan> take_told();
  void end();

  const Problem& problem_;
  Request request_;
  std::atomic<bool> stop_ = false;
  std::optional<Plan> best_;  // Of the thread, which alone reads it.
  std::mutex mutex_;
  std::optional<Plan> news_;  // Guarded by the mutex, as is what follows.
  std::optional<Plan> told_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace rematch
