// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/neighbourhood.h"

#include <algorithm>

namespace rematch {
namespace {

constexpr std::size_t kMostRegions = 64;
// One draw in so many is from all storages.
constexpr std::size_t kElsewhere = 8;

// The first and the last op that touch a storage.
std::pair<std::size_t, std::size_t> span_of(const Graph& graph,
                                            StorageId storage) {
  std::size_t first = graph.num_ops();
  std::size_t last = 0;
  for (TensorId tensor : graph.tensors_in(storage)) {
    if (graph.is_input(tensor)) continue;
    first = std::min(first, graph.tensor(tensor).producer->index());
    for (OpId reader : graph.readers(tensor)) {
      last = std::max(last, reader.index());
    }
  }
  return {first, last};
}

}  // namespace

Neighbourhood::Neighbourhood(const Graph& graph,
                             std::vector<StorageId> storages)
    : storages_(std::move(storages)) {
  const std::size_t ops = std::max<std::size_t>(1, graph.num_ops());
  ops_per_region_ = (ops + kMostRegions - 1) / kMostRegions;
  const std::size_t regions = (ops + ops_per_region_ - 1) / ops_per_region_;
  lists_.resize(regions);
  listed_.assign(regions, std::vector<bool>(graph.num_storages()));
  for (StorageId storage : storages_) {
    const auto [first, last] = span_of(graph, storage);
    for (std::size_t region = first / ops_per_region_;
         region <= last / ops_per_region_ && region < regions; ++region) {
      lists_[region].push_back(storage);
      listed_[region][storage.index()] = true;
    }
  }
}

Neighbourhood::Draw Neighbourhood::draw(OpId op, Dice& dice) const {
  const std::size_t region = op.index() / ops_per_region_;
  const auto& list = lists_[region];
  if (list.empty() || dice.below(kElsewhere) == 0) {
    return {any(dice), region, list.size()};
  }
  const std::size_t place = dice.below(list.size());
  return {list[place], region, place};
}

void Neighbourhood::was_there(const Draw& draw) {
  auto& list = lists_[draw.region];
  if (draw.place < list.size() || listed_[draw.region][draw.storage.index()]) {
    return;
  }
  listed_[draw.region][draw.storage.index()] = true;
  list.push_back(draw.storage);
}

void Neighbourhood::was_not_there(const Draw& draw) {
  auto& list = lists_[draw.region];
  if (draw.place >= list.size()) return;
  listed_[draw.region][draw.storage.index()] = false;
  list[draw.place] = list.back();
  list.pop_back();
}

}  // namespace rematch
