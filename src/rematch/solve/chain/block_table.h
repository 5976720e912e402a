// SPDX-License-Identifier: Apache-2.0
// The table of the chain dynamic program: the least cost of running a range of
// blocks within an amount of memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rematch/base/limits.h"
#include "rematch/solve/chain/blocks.h"

namespace rematch {

// Costs count forward ops only; every backward op runs once. Refers to the
// chain, which must outlive it.
class BlockTable {
 public:
  // Memory is counted in units of `unit` bytes, up to `most_units`.
  BlockTable(const BlockChain& chain, Bytes unit, std::int64_t most_units);

  // Fills the table; false if the meter says stop.
  bool fill(Meter& meter);

  // The forward cost of the whole chain within `units`; infinite if none.
  Cost cost(std::int64_t units) const;

  // The ops of a cheapest schedule within `units`, whose cost is finite, with
  // repeats, in order.
  std::vector<OpId> sequence(const Graph& graph, std::int64_t units) const;

 private:
  struct Choice;
  class Emitter;

  std::size_t row(std::size_t from, std::size_t to) const;
  Cost at(std::size_t from, std::size_t to, std::int64_t units) const;
  std::int64_t units_of(Bytes bytes) const;
  // What running one range takes whatever is chosen inside.
  std::int64_t gradient_after(std::size_t to) const;
  std::int64_t save_need(std::size_t from, std::size_t to) const;
  std::int64_t advance_need(std::size_t from, std::size_t to,
                            std::size_t cut) const;
  Cost single_cost(std::size_t block) const;
  void fill_single(std::size_t block);
  void fill_range(std::size_t from, std::size_t to);
  Choice choose(std::size_t from, std::size_t to, std::int64_t units) const;

  const BlockChain& chain_;
  Bytes unit_;
  std::int64_t units_;
  std::vector<Cost> forward_before_;  // Prefix sums of forward costs.
  std::vector<Cost> cells_;           // By row(from, to), then memory.
};

}  // namespace rematch
