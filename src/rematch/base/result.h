// SPDX-License-Identifier: Apache-2.0
// A value, or the error that says why there is none.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "rematch/base/check.h"

namespace rematch {

enum class ErrorCode {
  kInvalidArgument,  // A number, name or option that makes no sense.
  kInvalidGraph,     // A graph that breaks a rule of the model.
  kInvalidPlan,      // A plan that replay refuses.
  kOutOfRange,       // A number that is too large to work with.
  kTooLarge,         // Something that makes sense, but takes too much memory.
  kParse,            // Text that is not in the expected format.
  kIo,               // A file that cannot be read or written.
};

// What went wrong in the world outside. The message is one sentence in lower
// case without a full stop; it names the thing and the numbers.
struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string message;

  friend bool operator==(const Error&, const Error&) = default;
};

// Either a T or an Error. Reading the one that is not there throws
// InternalError.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  T& value() & {
    REMATCH_CHECK(ok(), "a result is read only when it is ok");
    return std::get<T>(state_);
  }
  const T& value() const& {
    REMATCH_CHECK(ok(), "a result is read only when it is ok");
    return std::get<T>(state_);
  }
  T&& value() && {
    REMATCH_CHECK(ok(), "a result is read only when it is ok");
    return std::get<T>(std::move(state_));
  }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }

  const Error& error() const {
    REMATCH_CHECK(!ok(), "an error is read only when there is one");
    return std::get<Error>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

// The result of an action that returns nothing but may fail.
using Status = Result<std::monostate>;

inline Status ok_status() { return Status(std::monostate{}); }

}  // namespace rematch
