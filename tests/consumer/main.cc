// SPDX-License-Identifier: Apache-2.0
// The smallest program that uses the library as someone else's project would:
// it prints the version, and solves a linear program to see that HiGHS links.
#include <iostream>

#include "rematch/base/version.h"
#include "rematch/lp/lp_solver.h"

int main() {
  rematch::LinearModel model;
  const auto x = model.family("x");
  const auto a = model.add_column(x, {0, 1, -1, true});
  const auto b = model.add_column(x, {0, 1, -1, true});
  model.add_row(x, 0, 1, {{a, 1.0}, {b, 1.0}});
  const rematch::LpSolution solution = rematch::solve_integers(model, {});
  if (solution.status != rematch::LpStatus::kOptimal) return 1;
  if (solution.objective != -1) return 1;
  std::cout << rematch::kVersion << '\n';
}
