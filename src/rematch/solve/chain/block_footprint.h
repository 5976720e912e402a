// SPDX-License-Identifier: Apache-2.0
// Measures what running the blocks of a chain takes.
#pragma once

#include "rematch/solve/chain/blocks.h"

namespace rematch {

// Fills in the sizes and peaks of every block from its ops.
void measure_blocks(const Graph& graph, BlockChain& chain);

}  // namespace rematch
