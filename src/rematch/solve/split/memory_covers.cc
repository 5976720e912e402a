// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/memory_covers.h"

#include <algorithm>

namespace rematch {
namespace {

// Bytes in use at a stage whatever is decided, minus the budget.
Bytes certain_excess(const Problem& problem, const SplitProgram& program,
                     std::int32_t stage) {
  const Graph& graph = problem.graph;
  Bytes over =
      graph.fixed_bytes() + graph.op(OpId(stage)).workspace - problem.budget;
  for (StorageId storage : storages_of(program.lives(), OpId(stage))) {
    over += graph.storage(storage).bytes;
  }
  return over;
}

// A storage that may be there at a stage.
struct Item {
  LifeId life;  // The one that is most likely to.
  Bytes bytes = 0;
  double missing = 0;  // How much it is not there at a point.
};

// All of them; those that certainly are there are added to `over` instead.
std::vector<Item> items_at(const Problem& problem, const SplitProgram& program,
                           std::span<const double> columns, std::int32_t stage,
                           Bytes& over) {
  const Lives& lives = program.lives();
  const auto touched = storages_of(lives, OpId(stage));
  std::vector<Item> items;
  for (StorageId storage : lives.lives_in.ids()) {
    if (std::ranges::binary_search(touched, storage)) continue;
    Item item{LifeId(0), problem.graph.storage(storage).bytes, 2};
    bool is_certain = false;
    for (LifeId id : lives.lives_in[storage]) {
      const Binary live = program.surely_live(id, stage);
      is_certain = is_certain || live.is_one();
      if (live.is_zero() || 1 - live.at(columns) >= item.missing) continue;
      item.life = id;
      item.missing = 1 - live.at(columns);
    }
    if (is_certain) over += item.bytes;
    if (!is_certain && item.missing <= 1.5 && item.bytes > 0) {
      items.push_back(item);
    }
  }
  return items;
}

}  // namespace

std::optional<MemoryCover> memory_cover(const Problem& problem,
                                        const SplitProgram& program,
                                        std::span<const double> columns,
                                        std::int32_t stage) {
  const Graph& graph = problem.graph;
  const Lives& lives = program.lives();
  const auto touched = storages_of(lives, OpId(stage));
  Bytes over = certain_excess(problem, program, stage);
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
  const std::size_t most = live.size() - 1;
  return MemoryCover{stage, std::move(live), most};
}

std::optional<MemoryCover> broken_cover(const Problem& problem,
                                        const SplitProgram& program,
                                        std::span<const double> columns,
                                        std::int32_t stage, double least) {
  Bytes over = certain_excess(problem, program, stage);
  auto items = items_at(problem, program, columns, stage, over);
  if (over > 0) return std::nullopt;
  std::ranges::stable_sort(items, {}, &Item::missing);
  auto end = items.begin();
  for (; end != items.end() && over <= 0; ++end) over += end->bytes;
  if (over <= 0) return std::nullopt;
  std::vector<Item> cover(items.begin(), end);
  std::ranges::stable_sort(cover, std::greater<>(), &Item::missing);
  std::erase_if(cover, [&](const Item& item) {
    if (over - item.bytes <= 0) return false;
    over -= item.bytes;
    return true;
  });
  double missing = 0;
  for (const Item& item : cover) missing += item.missing;
  if (missing >= 1 - least) return std::nullopt;
  MemoryCover result{stage, {}, cover.size() - 1};
  for (const Item& item : cover) result.lives.push_back(item.life);
  const Bytes largest = std::ranges::max(cover, {}, &Item::bytes).bytes;
  for (const Item& item : items) {
    const bool is_in =
        std::ranges::find(result.lives, item.life) != result.lives.end();
    if (!is_in && item.bytes >= largest) result.lives.push_back(item.life);
  }
  std::ranges::sort(result.lives);
  return result;
}

void add_cover_row(const SplitProgram& program, const MemoryCover& cover,
                   LinearModel& model) {
  LinearSum sum;
  for (LifeId id : cover.lives) {
    sum.add(program.surely_live(id, cover.stage), 1);
  }
  const auto most = static_cast<double>(cover.most);
  model.add_row(model.family("cover"), -kInfinity, most - sum.constant,
                sum.terms);
}

}  // namespace rematch
