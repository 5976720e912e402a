// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/chain/binomial.h"

#include <algorithm>

namespace rematch {
namespace {

// W without storing anything: step k has to be computed k times.
std::int64_t quadratic_runs(std::int64_t length) {
  return length * (length + 1) / 2;
}

}  // namespace

std::int64_t least_forward_runs(std::int64_t length, std::int64_t slots) {
  if (length <= 0) return 0;
  if (slots == 1) return quadratic_runs(length);
  // reach = C(slots+r, slots), above = C(slots+r, slots+1), grown with r until
  // reach >= length + 1; both stay below (length + 1) * (slots + length).
  std::int64_t reach = 1;
  std::int64_t above = 0;
  std::int64_t r = 0;
  while (reach < length + 1) {
    ++r;
    above += reach;  // Pascal: C(s+r, s+1) = C(s+r-1, s+1) + C(s+r-1, s).
    reach = reach * (slots + r) / r;
  }
  return r * (length + 1) - above;
}

std::int64_t best_advance(std::int64_t length, std::int64_t slots) {
  // W is convex in the length, so this is convex in the advance: halve.
  const auto runs = [&](std::int64_t advance) {
    return advance + least_forward_runs(length - advance, slots - 1) +
           least_forward_runs(advance - 1, slots);
  };
  std::int64_t low = 1;
  std::int64_t high = length;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (runs(middle) <= runs(middle + 1)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace rematch
