// SPDX-License-Identifier: Apache-2.0
// A solution in words and numbers for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "rematch/base/cost.h"
#include "rematch/cli/console.h"
#include "rematch/graph/graph.h"
#include "rematch/plan/solution.h"

namespace rematch {

void print_solution(const Graph& graph, const Solution& solution,
                    const Console& console);

// "181.625 us": a cost for people, with the graph's unit.
std::string cost_with_unit(const Graph& graph, Cost cost);

// ", stopped by the time limit", or by what else; empty if nothing did.
std::string_view stop_words(StopReason reason);

// "1 op", "2 ops".
std::string count_of(std::size_t count, std::string_view what);

// "resnet50: 353 ops, 751 edges".
std::string size_of(const Graph& graph);

// "5.027 GiB (5,397,690,368 bytes)".
std::string format_size(Bytes bytes);

}  // namespace rematch
