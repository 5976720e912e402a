// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/anneal/load_profile.h"

#include <algorithm>
#include <utility>

namespace rematch {
namespace {

// Subtracted from the load of an empty slot, so that it is never the largest
// and never above the limit.
constexpr Bytes kEmpty = kMaxBytes;

}  // namespace

LoadProfile::LoadProfile(std::size_t slots, Bytes limit, Bytes most)
    : limit_(limit) {
  const std::size_t per_block = kChunk * kBlock;
  const std::size_t blocks =
      std::max<std::size_t>(1, (slots + per_block - 1) / per_block);
  loads_.assign(blocks * per_block, -kEmpty);
  chunks_.assign(blocks * kBlock, {0, -kEmpty, 0});
  blocks_.assign(blocks, {0, -kEmpty, 0});
  const auto room = kMaxBytes / static_cast<Bytes>(loads_.size());
  while ((most >> excess_shift_) >= room) ++excess_shift_;
}

void LoadProfile::set_limit(Bytes limit) {
  limit_ = limit;
  excess_ = 0;
  for (Part& chunk : chunks_) chunk.excess = 0;
  for (Part& block : blocks_) block.excess = 0;
  for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
    refresh_excess(chunk);
  }
}

Bytes LoadProfile::load(std::size_t slot) const {
  const Bytes value = loads_[slot] + offset(slot / kChunk);
  // Taken slots have loads of 0 or more; empty ones are at most 0 after the
  // subtraction, and 0 only at the very largest load there may be.
  return value < 0 ? value + kEmpty : value;
}

void LoadProfile::take(std::size_t slot, Bytes load) { set(slot, load); }

void LoadProfile::clear(std::size_t slot, Bytes load) {
  set(slot, load - kEmpty);
}

void LoadProfile::set(std::size_t slot, Bytes value) {
  const std::size_t chunk = slot / kChunk;
  Part& part = chunks_[chunk];
  Part& block = blocks_[chunk / kBlock];
  const Bytes load = value - offset(chunk);
  const Bytes old = std::exchange(loads_[slot], load);
  const Bytes limit = limit_ - offset(chunk);
  add_excess(chunk, excess_of(load, limit) - excess_of(old, limit));
  const Bytes before = part.most;
  if (load + part.added >= before) {
    part.most = load + part.added;
    block.most = std::max(block.most, part.most + block.added);
  } else if (old + part.added == before) {
    refresh_most(chunk);
    if (before + block.added == block.most) refresh_block(chunk / kBlock);
  }
}

// The parts above must be refreshed afterwards.
void LoadProfile::refresh_most(std::size_t chunk) {
  const Bytes* load = loads_.data() + chunk * kChunk;
  Bytes a = load[0];
  Bytes b = load[1];
  for (std::size_t i = 2; i < kChunk; i += 2) {
    a = std::max(a, load[i]);
    b = std::max(b, load[i + 1]);
  }
  chunks_[chunk].most = std::max(a, b) + chunks_[chunk].added;
}

// In units, of a load against a limit that are both less what was added.
std::int64_t LoadProfile::excess_of(Bytes load, Bytes limit) const {
  const Bytes round_up = (Bytes{1} << excess_shift_) - 1;
  return (std::max<Bytes>(0, load - limit) + round_up) >> excess_shift_;
}

void LoadProfile::add_excess(std::size_t chunk, std::int64_t excess) {
  chunks_[chunk].excess += excess;
  blocks_[chunk / kBlock].excess += excess;
  excess_ += excess;
}

void LoadProfile::refresh_excess(std::size_t chunk) {
  Part& part = chunks_[chunk];
  const Part& block = blocks_[chunk / kBlock];
  std::int64_t excess = 0;
  if (part.most + block.added > limit_) {
    const Bytes limit = limit_ - offset(chunk);
    const Bytes round_up = (Bytes{1} << excess_shift_) - 1;
    const Bytes* load = loads_.data() + chunk * kChunk;
    if (excess_shift_ == 0) {
      for (std::size_t i = 0; i < kChunk; ++i) {
        excess += std::max<Bytes>(0, load[i] - limit);
      }
    } else {
      for (std::size_t i = 0; i < kChunk; ++i) {
        const Bytes over = std::max<Bytes>(0, load[i] - limit);
        excess += (over + round_up) >> excess_shift_;
      }
    }
  }
  if (excess != part.excess) add_excess(chunk, excess - part.excess);
}

void LoadProfile::refresh_block(std::size_t block) {
  const Part* part = chunks_.data() + block * kBlock;
  Bytes a = part[0].most;
  Bytes b = part[1].most;
  for (std::size_t i = 2; i < kBlock; i += 2) {
    a = std::max(a, part[i].most);
    b = std::max(b, part[i + 1].most);
  }
  blocks_[block].most = std::max(a, b) + blocks_[block].added;
}

// Returns what the chunk's largest load was before.
Bytes LoadProfile::add_in_chunk(std::size_t chunk, std::size_t begin,
                                std::size_t end, Bytes bytes) {
  Part& part = chunks_[chunk];
  const Bytes before = part.most;
  const Bytes room = limit_ - blocks_[chunk / kBlock].added;
  if (end - begin == kChunk) {
    part.added += bytes;
    part.most += bytes;
    if (part.excess > 0 || part.most > room) refresh_excess(chunk);
    return before;
  }
  Bytes most = -2 * kEmpty;
  for (std::size_t slot = begin; slot < end; ++slot) {
    loads_[slot] += bytes;
    most = std::max(most, loads_[slot]);
  }
  most += part.added;
  if (std::max(most, most - bytes) > room) {
    const Bytes limit = room - part.added;
    std::int64_t excess = 0;
    for (std::size_t slot = begin; slot < end; ++slot) {
      excess += excess_of(loads_[slot], limit) -
                excess_of(loads_[slot] - bytes, limit);
    }
    add_excess(chunk, excess);
  }
  if (bytes > 0) {
    part.most = std::max(before, most);
  } else if (most - bytes == before) {
    refresh_most(chunk);
  }
  return before;
}

void LoadProfile::add_in_block(std::size_t block, std::size_t begin,
                               std::size_t end, Bytes bytes) {
  if (end - begin == kChunk * kBlock) {
    add_to_block(block, bytes);
    return;
  }
  Part& part = blocks_[block];
  Bytes most_before = -2 * kEmpty;
  Bytes most = -2 * kEmpty;
  for (std::size_t at = begin; at < end;) {
    const std::size_t chunk = at / kChunk;
    const std::size_t stop = std::min(end, (chunk + 1) * kChunk);
    most_before = std::max(most_before, add_in_chunk(chunk, at, stop, bytes));
    most = std::max(most, chunks_[chunk].most);
    at = stop;
  }
  if (bytes > 0) {
    part.most = std::max(part.most, most + part.added);
  } else if (most_before + part.added == part.most) {
    refresh_block(block);
  }
}

void LoadProfile::add_to_block(std::size_t block, Bytes bytes) {
  Part& part = blocks_[block];
  part.added += bytes;
  part.most += bytes;
  if (part.excess == 0 && part.most <= limit_) return;
  for (std::size_t c = block * kBlock; c < (block + 1) * kBlock; ++c) {
    refresh_excess(c);
  }
}

void LoadProfile::add(std::size_t begin, std::size_t end, Bytes bytes) {
  if (begin >= end || bytes == 0) return;
  constexpr std::size_t kPerBlock = kChunk * kBlock;
  for (std::size_t at = begin; at < end;) {
    const std::size_t block = at / kPerBlock;
    const std::size_t stop = std::min(end, (block + 1) * kPerBlock);
    add_in_block(block, at, stop, bytes);
    at = stop;
  }
}

Bytes LoadProfile::largest(std::size_t begin, std::size_t end) const {
  constexpr std::size_t kPerBlock = kChunk * kBlock;
  Bytes most = -kEmpty;
  for (std::size_t at = begin; at < end;) {
    if (at % kPerBlock == 0 && at + kPerBlock <= end) {
      most = std::max(most, blocks_[at / kPerBlock].most);
      at += kPerBlock;
    } else if (at % kChunk == 0 && at + kChunk <= end) {
      const std::size_t chunk = at / kChunk;
      most =
          std::max(most, chunks_[chunk].most + blocks_[chunk / kBlock].added);
      at += kChunk;
    } else {
      const std::size_t chunk = at / kChunk;
      const std::size_t stop = std::min(end, (chunk + 1) * kChunk);
      Bytes here = loads_[at];
      while (++at < stop) here = std::max(here, loads_[at]);
      most = std::max(most, here + offset(chunk));
    }
  }
  return most;
}

Bytes LoadProfile::largest() const {
  Bytes most = -kEmpty;
  for (const Part& block : blocks_) most = std::max(most, block.most);
  return most;
}

std::size_t LoadProfile::slot_at_excess(double share) const {
  auto left = static_cast<std::int64_t>(share * static_cast<double>(excess_));
  left = std::min(left, excess_ - 1);
  std::size_t block = 0;
  while (left >= blocks_[block].excess) left -= blocks_[block++].excess;
  std::size_t chunk = block * kBlock;
  while (left >= chunks_[chunk].excess) left -= chunks_[chunk++].excess;
  const Bytes limit = limit_ - offset(chunk);
  const Bytes round_up = (Bytes{1} << excess_shift_) - 1;
  std::size_t slot = chunk * kChunk;
  for (;; ++slot) {
    const Bytes over = loads_[slot] - limit;
    if (over <= 0) continue;
    left -= (over + round_up) >> excess_shift_;
    if (left < 0) return slot;
  }
}

std::size_t LoadProfile::busiest() const {
  const Bytes most = largest();
  std::size_t block = 0;
  while (blocks_[block].most != most) ++block;
  std::size_t chunk = block * kBlock;
  while (chunks_[chunk].most + blocks_[block].added != most) ++chunk;
  std::size_t slot = chunk * kChunk;
  while (loads_[slot] + offset(chunk) != most) ++slot;
  return slot;
}

}  // namespace rematch
