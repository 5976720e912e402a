// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/live_table.h"

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "rematch/cli/table.h"
#include "rematch/io/json_writer.h"

namespace rematch {
namespace {

struct Occupant {
  TensorId tensor;  // The first live tensor of the storage.
  Bytes bytes = 0;
};

// One entry per storage that takes memory of its own, largest first.
std::vector<Occupant> occupants(const Graph& graph,
                                const std::vector<TensorId>& live) {
  IdVector<StorageId, bool> seen(graph.num_storages());
  std::vector<Occupant> result;
  for (TensorId tensor : live) {
    const StorageId storage = graph.tensor(tensor).storage;
    if (seen[storage] || graph.storage(storage).resident) continue;
    seen[storage] = true;
    result.push_back({tensor, graph.storage(storage).bytes});
  }
  std::stable_sort(
      result.begin(), result.end(),
      [](const Occupant& a, const Occupant& b) { return a.bytes > b.bytes; });
  return result;
}

}  // namespace

void print_live(const Graph& graph, const std::vector<TensorId>& live,
                std::size_t most, const Console& console) {
  const std::vector<Occupant> all = occupants(graph, live);
  Table table(Table::Align::kLeft);
  const std::size_t shown = std::min(all.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    table.add_row({"  " + format_bytes(all[i].bytes),
                   display_name(graph.tensor(all[i].tensor).name)});
  }
  Bytes rest = 0;
  for (std::size_t i = shown; i < all.size(); ++i) rest += all[i].bytes;
  if (shown < all.size()) {
    table.add_row({"  " + format_bytes(rest),
                   fmt::format("({} more)", all.size() - shown)});
  }
  if (graph.fixed_bytes() > 0) {
    table.add_row({"  " + format_bytes(graph.fixed_bytes()),
                   "(fixed: graph inputs and what else is always there)"});
  }
  table.print(console);
}

std::string live_to_json(const Graph& graph,
                         const std::vector<TensorId>& live) {
  std::vector<std::string> items;
  for (const Occupant& occupant : occupants(graph, live)) {
    items.push_back(JsonObjectWriter(JsonLayout::kOneLine)
                        .text("tensor", graph.tensor(occupant.tensor).name)
                        .integer("bytes", occupant.bytes)
                        .finish());
  }
  return json_list(items, JsonLayout::kOneLine);
}

}  // namespace rematch
