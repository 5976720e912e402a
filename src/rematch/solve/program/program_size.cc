// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/program_size.h"

#include <fmt/format.h>

namespace rematch {
namespace {

// The model, the solver's copies of it by column and by row, presolve's, and
// the factors of a basis.
constexpr std::int64_t kBytesPerColumn = 500;
constexpr std::int64_t kBytesPerRow = 600;
constexpr std::int64_t kBytesPerTerm = 120;

std::string grouped(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

}  // namespace

std::int64_t ProgramSize::bytes() const {
  return columns * kBytesPerColumn + rows * kBytesPerRow +
         terms * kBytesPerTerm;
}

std::optional<std::string> too_large(std::string_view program,
                                     const ProgramSize& size) {
  if (size.bytes() <= kProgramLimit) return std::nullopt;
  return fmt::format(
      "{} of this graph has {} columns and {} rows, about {:.1f} GiB; the "
      "limit "
      "is {} GiB",
      program, grouped(size.columns), grouped(size.rows),
      static_cast<double>(size.bytes()) / (1 << 30), kProgramLimit >> 30);
}

}  // namespace rematch
