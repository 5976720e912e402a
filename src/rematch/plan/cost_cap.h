// SPDX-License-Identifier: Apache-2.0
// How much a plan may cost, as people write it: one more forward pass, or a
// percentage on top of the base cost.
#pragma once

#include <string_view>
#include <variant>

#include "rematch/base/cost.h"
#include "rematch/base/decimal.h"
#include "rematch/base/result.h"
#include "rematch/graph/graph.h"

namespace rematch {

struct OneMoreForward {
  friend bool operator==(const OneMoreForward&,
                         const OneMoreForward&) = default;
};

struct PercentOfBaseCost {
  Decimal percent;

  friend bool operator==(const PercentOfBaseCost&,
                         const PercentOfBaseCost&) = default;
};

using OverheadSpec = std::variant<OneMoreForward, PercentOfBaseCost>;

// Reads "forward", "10%" or "62.5%". Fails with kInvalidArgument, or with
// kOutOfRange on a number with too many digits.
Result<OverheadSpec> parse_overhead(std::string_view text);

// The largest cost that the overhead allows. With OneMoreForward it is that of
// running every forward op twice and the others once, to the last bit. Fails
// with kInvalidArgument if that is asked of a graph without a forward op.
Result<Cost> cost_cap(const OverheadSpec& spec, const Graph& graph);

}  // namespace rematch
