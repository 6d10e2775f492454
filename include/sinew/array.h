#pragma once

#include <cassert>
#include <cstddef>
#include <vector>

namespace sinew {

/// A std::vector (and as such usable as a std::span) indexed by int, the type of all ids and sizes in Model and Data.
/// Debug builds check the index.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::ptrdiff_t n, const T& value = T()) : values_(static_cast<std::size_t>(n), value) {}

  T& operator[](std::ptrdiff_t i) {
    assert(i >= 0 && i < size());
    return values_[i];
  }
  const T& operator[](std::ptrdiff_t i) const {
    assert(i >= 0 && i < size());
    return values_[i];
  }

  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(values_.size()); }
  bool empty() const { return values_.empty(); }
  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  T& back() { return values_.back(); }
  const T& back() const { return values_.back(); }

  void assign(std::ptrdiff_t n, const T& value) { values_.assign(static_cast<std::size_t>(n), value); }
  void resize(std::ptrdiff_t n) { values_.resize(static_cast<std::size_t>(n)); }
  std::ptrdiff_t capacity() const { return static_cast<std::ptrdiff_t>(values_.capacity()); }
  void reserve(std::ptrdiff_t n) { values_.reserve(static_cast<std::size_t>(n)); }
  void push_back(const T& value) { values_.push_back(value); }
  void clear() { values_.clear(); }

  friend bool operator==(const Array&, const Array&) = default;

 private:
  std::vector<T> values_;
};

}  // namespace sinew
