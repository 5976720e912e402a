// SPDX-License-Identifier: Apache-2.0
// Makes one sequence of two: the reruns of one outside a window of stages,
// those of the other inside.
#pragma once

#include <span>
#include <vector>

#include "rematch/graph/graph.h"

namespace rematch {

// The first runs are in the order of `outside`. The stage of a rerun is the
// number, in its own sequence, of the first run that it precedes; reruns of
// `inside` come from the stages whose op is one of those at stages [begin, end)
// of `outside`. A rerun that would come before its op's first run is left out,
// so the result is valid if both sequences are. Linear.
std::vector<OpId> crossover(const Graph& graph, std::span<const OpId> outside,
                            std::span<const OpId> inside, std::size_t begin,
                            std::size_t end);

// The stages before whose first runs two sequences run different things again,
// ascending; counted as first runs in `one`.
std::vector<std::size_t> differing_stages(const Graph& graph,
                                          std::span<const OpId> one,
                                          std::span<const OpId> other);

}  // namespace rematch
