// SPDX-License-Identifier: Apache-2.0
// Which module of the network an op belongs to, as far as its name says so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rematch/base/ids.h"
#include "rematch/graph/graph.h"

namespace rematch {

using ModuleId = Id<struct ModuleTag>;

struct Modules {
  std::vector<std::string> names;  // In the order in which they first appear.
  IdVector<OpId, ModuleId> of;     // Empty if the names say nothing.

  bool known() const { return !names.empty(); }
};

// The path in front of the last dot or slash of an op's name, after an ending
// such as ".backward", which its module has as well: "layer0.mlp" for
// "layer0.mlp.norm.backward". Empty if there is none.
std::string_view module_path(std::string_view op_name);

// Groups the ops by their paths, cut to a level at which there are several: a
// beginning that all paths share is followed, and a number goes with the word
// before it, so that "model.layers.0.mlp" becomes "model.layers.0". Ops without
// a path are in a group with an empty name. Nothing is known if that leaves
// fewer than two groups.
Modules modules_of(const Graph& graph);

}  // namespace rematch
