// SPDX-License-Identifier: Apache-2.0
// Invariants of our own code: a violation is a bug of ours and throws.
#pragma once

#include <stdexcept>
#include <string>

namespace rematch {

// Thrown when an invariant of this library does not hold.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_check(const char* condition, const std::string& what,
                             const char* file, int line);

}  // namespace rematch

// Throws InternalError unless `condition` holds. `what` says what should be
// true. Checked in every build: it guards certificates.
#define REMATCH_CHECK(condition, what) \
  ((condition) ? static_cast<void>(0)  \
               : ::rematch::fail_check(#condition, what, __FILE__, __LINE__))
