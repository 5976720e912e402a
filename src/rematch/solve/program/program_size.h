// SPDX-License-Identifier: Apache-2.0
// How large a program would be, so that one that does not fit is not begun.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rematch {

struct ProgramSize {
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::int64_t terms = 0;

  // About what the model and its solver take.
  std::int64_t bytes() const;
};

inline constexpr std::int64_t kProgramLimit = std::int64_t{4} << 30;

// Why a program of that size is not built; none if it may be.
std::optional<std::string> too_large(std::string_view program,
                                     const ProgramSize& size);

}  // namespace rematch
