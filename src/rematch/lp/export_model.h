// SPDX-License-Identifier: Apache-2.0
// Linear models as text that other solvers read.
#pragma once

#include <string>

#include "rematch/lp/linear_model.h"

namespace rematch {

// Both formats are written in the model's order, with the shortest numbers that
// read back as the same doubles, so equal models give equal text and a reader
// gets the very model, but for what is said below. O(columns + terms) time and
// as much text.

// Free-format MPS. Names are those of the model: "keep_source[12]". The
// objective is the row "cost". Rows without any bound are rows of type N, which
// readers drop. A row with two bounds that no range expresses exactly is
// written as two rows, "keep_source[12]" and "keep_source[12].upper".
std::string to_mps(const LinearModel& model);

// The LP format of CPLEX. Brackets mean something there, so names are
// "keep_source_12"; a leading e, which would read as an exponent, gets an
// underscore in front. Names are unique all the same. The objective is "cost".
// Rows without any bound are left out. A row with two different bounds is
// written as two rows, the second named with ".upper" at its end. A model
// without columns gets a column "nothing", fixed at 0.
std::string to_lp(const LinearModel& model);

}  // namespace rematch
