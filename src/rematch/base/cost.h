// SPDX-License-Identifier: Apache-2.0
// What an op costs to run, in whatever unit the graph declares.
#pragma once

#include <string>

namespace rematch {

// Non-negative and finite. Sums of integers stay exact up to 2^53.
using Cost = double;

// The shortest text that reads back as the same number: "26", "0.125".
std::string format_cost(Cost cost);

// "1.0196x": a cost as a multiple of another. 1 when both are zero.
std::string format_ratio(double ratio);

// "+1.86%": an overhead, with as many digits as it takes to tell it from zero.
std::string format_percent(double share);

// "1.87%": how far a cost may be above a bound, rounded up, so that "at most"
// stays true. `gap` is above zero.
std::string format_gap(double gap);

}  // namespace rematch
