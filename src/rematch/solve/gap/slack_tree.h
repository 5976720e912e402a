// SPDX-License-Identifier: Apache-2.0
// Room to spare per stage: add to a range, ask for the least of a range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "rematch/base/bytes.h"

namespace rematch {

// A segment tree; both operations take O(log n).
class SlackTree {
 public:
  explicit SlackTree(const std::vector<Bytes>& slack) {
    while (leaves_ < slack.size()) leaves_ *= 2;
    least_.assign(2 * leaves_, kMaxBytes);
    added_.assign(2 * leaves_, 0);
    std::copy(slack.begin(), slack.end(),
              least_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t i = leaves_; i-- > 1;) {
      least_[i] = std::min(least_[2 * i], least_[2 * i + 1]);
    }
  }

  // Both ends included.
  void add(std::size_t first, std::size_t last, Bytes bytes) {
    add(1, 0, leaves_ - 1, first, last, bytes);
  }
  Bytes least(std::size_t first, std::size_t last) const {
    return least(1, 0, leaves_ - 1, first, last);
  }

 private:
  void add(std::size_t node, std::size_t low, std::size_t high,
           std::size_t first, std::size_t last, Bytes bytes) {
    if (last < low || high < first) return;
    if (first <= low && high <= last) {
      least_[node] += bytes;
      added_[node] += bytes;
      return;
    }
    const std::size_t middle = (low + high) / 2;
    add(2 * node, low, middle, first, last, bytes);
    add(2 * node + 1, middle + 1, high, first, last, bytes);
    least_[node] =
        std::min(least_[2 * node], least_[2 * node + 1]) + added_[node];
  }

  Bytes least(std::size_t node, std::size_t low, std::size_t high,
              std::size_t first, std::size_t last) const {
    if (last < low || high < first) return kMaxBytes;
    if (first <= low && high <= last) return least_[node];
    const std::size_t middle = (low + high) / 2;
    return std::min(least(2 * node, low, middle, first, last),
                    least(2 * node + 1, middle + 1, high, first, last)) +
           added_[node];
  }

  std::size_t leaves_ = 1;
  std::vector<Bytes> least_;
  std::vector<Bytes> added_;  // To the whole subtree, in least_ already.
};

}  // namespace rematch
