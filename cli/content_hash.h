#pragma once

#include <cstdint>
#include <string_view>

namespace sinew::cli {

/// FNV-1a over bytes, 64 bits, continued from `before` (0: from the start). Tells files apart; not for security.
inline std::uint64_t contentHash(std::string_view bytes, std::uint64_t before = 0) {
  std::uint64_t value = before == 0 ? 14695981039346656037ull : before;
  for (const char c : bytes) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return value;
}

}  // namespace sinew::cli
