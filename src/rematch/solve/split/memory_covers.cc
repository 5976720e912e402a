// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/memory_covers.h"

#include <algorithm>

namespace rematch {

std::optional<MemoryCover> memory_cover(const Problem& problem,
                                        const SplitProgram& program,
                                        std::span<const double> columns,
                                        std::int32_t stage) {
  const Graph& graph = problem.graph;
  const Lives& lives = program.lives();
  const auto touched = storages_of(lives, OpId(stage));
  Bytes over =
      graph.fixed_bytes() + graph.op(OpId(stage)).workspace - problem.budget;
  for (StorageId storage : touched) over += graph.storage(storage).bytes;
  std::vector<LifeId> live;  // One of each storage.
  for (StorageId storage : lives.lives_in.ids()) {
    if (std::ranges::binary_search(touched, storage)) continue;
    const auto& in = lives.lives_in[storage];
    const auto found = std::ranges::find_if(in, [&](LifeId id) {
      return program.surely_live(id, stage).at(columns) > 0.5;
    });
    if (found == in.end()) continue;
    live.push_back(*found);
    over += graph.storage(storage).bytes;
  }
  if (over <= 0) return std::nullopt;
  const auto bytes = [&](LifeId id) {
    return graph.storage(lives.all[id].storage).bytes;
  };
  std::ranges::stable_sort(live, {}, bytes);
  std::erase_if(live, [&](LifeId id) {
    if (over - bytes(id) <= 0) return false;
    over -= bytes(id);
    return true;
  });
  std::ranges::sort(live);
  return MemoryCover{stage, std::move(live)};
}

void add_cover_row(const SplitProgram& program, const MemoryCover& cover,
                   LinearModel& model) {
  LinearSum sum;
  for (LifeId id : cover.lives) {
    sum.add(program.surely_live(id, cover.stage), 1);
  }
  const auto most = static_cast<double>(cover.lives.size()) - 1;
  model.add_row(model.family("cover"), -kInfinity, most - sum.constant,
                sum.terms);
}

}  // namespace rematch
