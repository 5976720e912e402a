// SPDX-License-Identifier: Apache-2.0
// Turns an Error into a Python exception, once, for every function.
#pragma once

#include <stdexcept>
#include <string_view>
#include <utility>

#include "rematch/base/result.h"

namespace rematch {

// Becomes the Python exception of the error's code (errors.cc).
class RaisedError : public std::runtime_error {
 public:
  explicit RaisedError(const Error& error)
      : std::runtime_error(error.message), code_(error.code) {}

  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

template <class T>
T or_raise(Result<T> result) {
  if (!result) throw RaisedError(result.error());
  return *std::move(result);
}

// The same function, but for what it does with an error.
template <class T, class... Args>
auto or_raise(Result<T> (*function)(Args...)) {
  return [function](Args... args) -> T {
    return or_raise(function(std::forward<Args>(args)...));
  };
}

}  // namespace rematch
