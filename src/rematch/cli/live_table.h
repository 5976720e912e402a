// SPDX-License-Identifier: Apache-2.0
// What sits in memory at one moment, largest first.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rematch/cli/console.h"
#include "rematch/graph/graph.h"

namespace rematch {

// Prints up to `most` storages of the live tensors and a line for the rest.
void print_live(const Graph& graph, const std::vector<TensorId>& live,
                std::size_t most, const Console& console);

// The same as a JSON list of all of them: name and bytes of each storage.
std::string live_to_json(const Graph& graph, const std::vector<TensorId>& live);

}  // namespace rematch
