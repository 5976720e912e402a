// SPDX-License-Identifier: Apache-2.0
// Bytes per slot of a line: add to a range, ask for the largest of a range, and
// know at any time how much lies above a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rematch/base/bytes.h"

namespace rematch {

// A slot is taken or empty. Both have a load that range additions change; only
// taken slots count for largest() and excess(). Loads lie in [0, kMaxBytes].
//
// add() and largest() take O(kChunk + kBlock + slots / (kChunk * kBlock)).
class LoadProfile {
 public:
  static constexpr std::size_t kChunk = 32;  // Slots.
  static constexpr std::size_t kBlock = 32;  // Chunks.

  LoadProfile() = default;
  // `slots` empty slots of load 0, rounded up to full blocks. No load will
  // exceed `most`.
  LoadProfile(std::size_t slots, Bytes limit, Bytes most);

  std::size_t size() const { return loads_.size(); }
  Bytes limit() const { return limit_; }
  void set_limit(Bytes limit);

  // Adds to the loads of [begin, end).
  void add(std::size_t begin, std::size_t end, Bytes bytes);
  // The largest load of a taken slot in [begin, end); negative if there is
  // none.
  Bytes largest(std::size_t begin, std::size_t end) const;
  // Of all taken slots; negative if there is none.
  Bytes largest() const;
  // The sum of load - limit over the taken slots above the limit, in units of
  // a byte or, where that might overflow, of more; each slot is rounded up.
  std::int64_t excess() const { return excess_; }

  // The load of a slot, be it taken or empty.
  Bytes load(std::size_t slot) const;
  void take(std::size_t slot, Bytes load);
  void clear(std::size_t slot, Bytes load);

  // The slot where the running sum of the excess first exceeds `share` of the
  // whole, which must be positive; 0 <= share < 1.
  std::size_t slot_at_excess(double share) const;
  // The first taken slot with the largest load; there must be one.
  std::size_t busiest() const;

 private:
  // Added to a chunk or block as a whole.
  struct Part {
    Bytes added = 0;
    Bytes most = 0;  // Of what lies below, `added` included.
    std::int64_t excess = 0;
  };

  Bytes offset(std::size_t chunk) const {
    return chunks_[chunk].added + blocks_[chunk / kBlock].added;
  }
  Bytes add_in_chunk(std::size_t chunk, std::size_t begin, std::size_t end,
                     Bytes bytes);
  void add_in_block(std::size_t block, std::size_t begin, std::size_t end,
                    Bytes bytes);
  void add_to_block(std::size_t block, Bytes bytes);
  std::int64_t excess_of(Bytes load, Bytes limit) const;
  void add_excess(std::size_t chunk, std::int64_t excess);
  void refresh_most(std::size_t chunk);
  void refresh_excess(std::size_t chunk);
  void refresh_block(std::size_t block);
  void set(std::size_t slot, Bytes value);

  Bytes limit_ = 0;
  int excess_shift_ = 0;  // A unit of excess is 1 << excess_shift_ bytes.
  std::int64_t excess_ = 0;
  std::vector<Bytes> loads_;  // Less kEmpty where empty; less what was added.
  std::vector<Part> chunks_;
  std::vector<Part> blocks_;
};

}  // namespace rematch
