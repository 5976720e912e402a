// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/chain/block_table.h"

#include <algorithm>
#include <limits>

#include "rematch/base/check.h"

namespace rematch {
namespace {

constexpr Cost kInfinite = std::numeric_limits<Cost>::infinity();

}  // namespace

// How a range [from, to] is run: `cut` == from saves everything of the first
// block and goes on behind it; otherwise the range is advanced to `cut`, whose
// input is stored, and the part before it is run again later.
struct BlockTable::Choice {
  std::size_t cut = 0;
  Cost cost = kInfinite;
};

BlockTable::BlockTable(const BlockChain& chain, Bytes unit,
                       std::int64_t most_units)
    : chain_(chain), unit_(unit), units_(most_units) {
  const std::size_t n = chain.blocks.size();
  forward_before_.assign(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    forward_before_[i + 1] = forward_before_[i] + chain.blocks[i].forward_cost;
  }
  cells_.assign(n * (n + 1) / 2 * static_cast<std::size_t>(units_ + 1),
                kInfinite);
}

// Ranges that end at the same block lie together.
std::size_t BlockTable::row(std::size_t from, std::size_t to) const {
  return (to * (to + 1) / 2 + from) * static_cast<std::size_t>(units_ + 1);
}

Cost BlockTable::at(std::size_t from, std::size_t to,
                    std::int64_t units) const {
  if (units < 0) return kInfinite;
  return cells_[row(from, to) + static_cast<std::size_t>(units)];
}

std::int64_t BlockTable::units_of(Bytes bytes) const {
  return bytes / unit_ + (bytes % unit_ != 0);
}

std::int64_t BlockTable::gradient_after(std::size_t to) const {
  if (to + 1 >= chain_.blocks.size()) return 0;
  return units_of(chain_.blocks[to + 1].gradient);
}

Cost BlockTable::single_cost(std::size_t block) const {
  const Block& what = chain_.blocks[block];
  return what.backward_reads_block ? what.forward_cost : 0;
}

std::int64_t BlockTable::save_need(std::size_t from, std::size_t to) const {
  const Block& block = chain_.blocks[from];
  return std::max(units_of(block.save_peak) + gradient_after(to),
                  units_of(block.backward_peak));
}

std::int64_t BlockTable::advance_need(std::size_t from, std::size_t to,
                                      std::size_t cut) const {
  std::int64_t need = units_of(chain_.blocks[from].forward_peak);
  for (std::size_t i = from + 1; i < cut; ++i) {
    need = std::max(need, units_of(chain_.blocks[i].forward_peak_with_input));
  }
  return need + gradient_after(to);
}

void BlockTable::fill_single(std::size_t block) {
  const Block& what = chain_.blocks[block];
  const std::int64_t need = what.backward_reads_block
                                ? save_need(block, block)
                                : units_of(what.backward_peak);
  for (std::int64_t m = need; m <= units_; ++m) {
    cells_[row(block, block) + static_cast<std::size_t>(m)] =
        single_cost(block);
  }
}

void BlockTable::fill_range(std::size_t from, std::size_t to) {
  Cost* cells = &cells_[row(from, to)];
  const Block& first = chain_.blocks[from];
  const std::int64_t saved = units_of(first.saved);
  const Cost* behind = &cells_[row(from + 1, to)];
  for (std::int64_t m = std::max(save_need(from, to), saved); m <= units_;
       ++m) {
    cells[m] = first.forward_cost + behind[m - saved];
  }
  std::int64_t need = 0;
  for (std::size_t cut = from + 1; cut <= to; ++cut) {
    const Block& last = chain_.blocks[cut - 1];
    const Bytes peak =
        cut - 1 == from ? last.forward_peak : last.forward_peak_with_input;
    need = std::max(need, units_of(peak) + gradient_after(to));
    const std::int64_t stored = units_of(last.output);
    const Cost advance = forward_before_[cut] - forward_before_[from];
    const Cost* after = &cells_[row(cut, to)];
    const Cost* before = &cells_[row(from, cut - 1)];
    for (std::int64_t m = std::max(need, stored); m <= units_; ++m) {
      cells[m] = std::min(cells[m], advance + after[m - stored] + before[m]);
    }
  }
}

bool BlockTable::fill(Meter& meter) {
  for (std::size_t to = 0; to < chain_.blocks.size(); ++to) {
    fill_single(to);
    for (std::size_t from = to; from-- > 0;) {
      fill_range(from, to);
      const auto entries = static_cast<std::int64_t>(to - from) * units_;
      if (meter.stop(entries)) return false;
    }
  }
  return true;
}

Cost BlockTable::cost(std::int64_t units) const {
  return at(0, chain_.blocks.size() - 1, units);
}

BlockTable::Choice BlockTable::choose(std::size_t from, std::size_t to,
                                      std::int64_t units) const {
  const Block& first = chain_.blocks[from];
  Choice best{.cut = from, .cost = kInfinite};
  if (units >= save_need(from, to)) {
    best.cost =
        first.forward_cost + at(from + 1, to, units - units_of(first.saved));
  }
  for (std::size_t cut = from + 1; cut <= to; ++cut) {
    if (units < advance_need(from, to, cut)) break;
    const std::int64_t left = units - units_of(chain_.blocks[cut - 1].output);
    const Cost cost = forward_before_[cut] - forward_before_[from] +
                      at(cut, to, left) + at(from, cut - 1, units);
    if (cost < best.cost) best = {.cut = cut, .cost = cost};
  }
  return best;
}

// Writes down the ops of a schedule. An op that must run once is left out when
// its block is run again: its outputs are still there.
class BlockTable::Emitter {
 public:
  Emitter(const Graph& graph, const BlockTable& table)
      : table_(table), graph_(graph), ran_(graph.num_ops()) {}

  std::vector<OpId> ops;

  void emit_range(std::size_t from, std::size_t to, std::int64_t units) {
    if (from == to) {
      const Block& block = table_.chain_.blocks[from];
      if (block.backward_reads_block) forward(from);
      backward(from);
      return;
    }
    const Choice choice = table_.choose(from, to, units);
    REMATCH_CHECK(choice.cost < kInfinite, "a finite cost has a schedule");
    if (choice.cut == from) {
      const Bytes saved = table_.chain_.blocks[from].saved;
      forward(from);
      emit_range(from + 1, to, units - table_.units_of(saved));
      backward(from);
      return;
    }
    for (std::size_t i = from; i < choice.cut; ++i) forward(i);
    const Bytes output = table_.chain_.blocks[choice.cut - 1].output;
    emit_range(choice.cut, to, units - table_.units_of(output));
    emit_range(from, choice.cut - 1, units);
  }

 private:
  void forward(std::size_t block) {
    for (OpId op : table_.chain_.blocks[block].forward) {
      if (ran_[op] && !graph_.op(op).recomputable) continue;
      ran_[op] = true;
      ops.push_back(op);
    }
  }
  void backward(std::size_t block) {
    const auto& backward_ops = table_.chain_.blocks[block].backward;
    ops.insert(ops.end(), backward_ops.begin(), backward_ops.end());
  }

  const BlockTable& table_;
  const Graph& graph_;
  IdVector<OpId, bool> ran_;
};

std::vector<OpId> BlockTable::sequence(const Graph& graph,
                                       std::int64_t units) const {
  Emitter emitter(graph, *this);
  emitter.emit_range(0, chain_.blocks.size() - 1, units);
  return std::move(emitter.ops);
}

}  // namespace rematch
