// SPDX-License-Identifier: Apache-2.0
// Bytes and costs as coefficients that a solver with absolute tolerances can
// work with.
#pragma once

#include "rematch/plan/problem.h"

namespace rematch {

// Sizes are counted in the largest number of bytes of which all are multiples,
// then multiplied by a power of two so that the largest is between 1 and 2;
// costs are multiplied by such a power. Up to 2^53 units no digit is lost; what
// is larger is rounded so that a plan that fits still does.
struct ProgramUnits {
  Bytes byte_unit = 1;
  double memory_scale = 1;
  double cost_scale = 1;

  // Of something that takes memory; 0 if a solver would take it for zero.
  double size(Bytes bytes) const;
  // Of memory that there is; whole units, rounded down. May be negative.
  double room(Bytes bytes) const;
  double cost(Cost cost) const { return cost * cost_scale; }
  // The other way.
  Cost cost_from(double scaled) const { return scaled / cost_scale; }
};

ProgramUnits program_units(const Graph& graph);

}  // namespace rematch
