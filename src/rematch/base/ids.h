// SPDX-License-Identifier: Apache-2.0
// Typed indices, so that an op number can never be used as a tensor number.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rematch {

// A dense, zero-based index of one kind of thing. `Tag` is never defined.
template <class Tag>
struct Id {
  std::int32_t value = 0;

  constexpr Id() = default;
  constexpr explicit Id(std::int32_t v) : value(v) {}
  constexpr explicit Id(std::size_t v) : value(static_cast<std::int32_t>(v)) {}

  constexpr std::size_t index() const {
    return static_cast<std::size_t>(value);
  }
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads <=>.
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using OpId = Id<struct OpTag>;
using TensorId = Id<struct TensorTag>;
using StorageId = Id<struct StorageTag>;

// The half-open range of ids [begin, end), for range-based for loops.
template <class I>
class IdRange {
 public:
  class Iterator {
   public:
    using value_type = I;
    using difference_type = std::ptrdiff_t;

    constexpr explicit Iterator(std::int32_t v = 0) : value_(v) {}
    constexpr I operator*() const { return I(value_); }
    constexpr Iterator& operator++() {
      ++value_;
      return *this;
    }
    constexpr Iterator operator++(int) {
      Iterator old = *this;
      ++value_;
      return old;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    std::int32_t value_;
  };

  constexpr IdRange(I begin, I end) : begin_(begin.value), end_(end.value) {}
  constexpr explicit IdRange(std::size_t size)
      : begin_(0), end_(static_cast<std::int32_t>(size)) {}
  constexpr Iterator begin() const { return Iterator(begin_); }
  constexpr Iterator end() const { return Iterator(end_); }

 private:
  std::int32_t begin_;
  std::int32_t end_;
};

// A vector that is indexed by ids of one kind only.
template <class I, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t size, const T& fill = T())
      : items_(size, fill) {}

  decltype(auto) operator[](I id) { return items_[id.index()]; }
  decltype(auto) operator[](I id) const { return items_[id.index()]; }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  IdRange<I> ids() const { return IdRange<I>(items_.size()); }
  I push_back(T item) {
    items_.push_back(std::move(item));
    return I(items_.size() - 1);
  }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }

  friend bool operator==(const IdVector&, const IdVector&) = default;

 private:
  std::vector<T> items_;
};

}  // namespace rematch
