// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/program/units.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rematch/lp/linear_model.h"

namespace rematch {
namespace {

constexpr double kExact = 0x1p53;

}  // namespace

double ProgramUnits::size(Bytes bytes) const {
  auto units = static_cast<double>(bytes / byte_unit);
  if (units > kExact) units = std::nextafter(units, 0.0);
  const double value = units * memory_scale;
  return value < kLeastCoefficient ? 0 : value;
}

double ProgramUnits::room(Bytes bytes) const {
  Bytes whole = bytes / byte_unit;
  if (bytes < 0 && whole * byte_unit != bytes) --whole;
  auto units = static_cast<double>(whole);
  if (std::fabs(units) > kExact) units = std::nextafter(units, kInfinity);
  return units * memory_scale;
}

ProgramUnits program_units(const Graph& graph) {
  Bytes divisor = 0;
  Bytes largest = 0;
  const auto see = [&](Bytes bytes) {
    divisor = std::gcd(divisor, bytes);
    largest = std::max(largest, bytes);
  };
  for (StorageId storage : graph.storages()) {
    if (!graph.storage(storage).resident) see(graph.storage(storage).bytes);
  }
  Cost dearest = 0;
  for (OpId op : graph.ops()) {
    see(graph.op(op).workspace);
    dearest = std::max(dearest, graph.op(op).cost);
  }
  ProgramUnits units;
  if (divisor > 0) units.byte_unit = divisor;
  units.memory_scale =
      scale_for(static_cast<double>(largest / units.byte_unit));
  units.cost_scale = scale_for(dearest);
  return units;
}

}  // namespace rematch
