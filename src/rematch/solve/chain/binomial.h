// SPDX-License-Identifier: Apache-2.0
// The optimal reversal of a uniform chain in closed form (Griewank and Walther,
// "revolve").
#pragma once

#include <cstdint>

namespace rematch {

// The least number of forward computations that reverse a chain of `length`
// forward steps with `slots` >= 1 places for values, the first computation of
// each included: W(n, c) = r (n+1) - C(c+r, c+1), where r is the least integer
// with C(c+r, c) >= n+1.
std::int64_t least_forward_runs(std::int64_t length, std::int64_t slots);

// How many steps to advance before the next value is stored, in an optimal
// reversal; `length` >= 1, `slots` >= 2. In [1, length].
std::int64_t best_advance(std::int64_t length, std::int64_t slots);

}  // namespace rematch
