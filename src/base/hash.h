#pragma once

#include <cstddef>
#include <cstdint>

namespace sinew {

/// FNV-1a over bytes, 64 bits. Not for security: two runs are the same if their hashes are.
class Hasher {
 public:
  void add(const void* bytes, std::size_t count) {
    const auto* p = static_cast<const unsigned char*>(bytes);
    for (std::size_t i = 0; i < count; ++i) value_ = (value_ ^ p[i]) * 1099511628211ull;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037ull;
};

}  // namespace sinew
