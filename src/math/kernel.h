#pragma once

#include <cstring>

/// For the few loops that everything waits for. SINEW_KERNEL before a function compiles it once for any x86-64 and once
/// for AVX2; the program takes the better one when it starts. Both give the same bits: lanes are written out in the
/// source, nothing is reordered, and multiplications are never fused with additions. GCC only: Clang wants the
/// attribute on every declaration. Not under sanitizers, which are not ready yet when the choice is made.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__ELF__) && defined(__OPTIMIZE__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SINEW_KERNEL __attribute__((target_clones("avx2", "default")))
#else
#define SINEW_KERNEL
#endif

namespace sinew {

/// Numbers that are worked on together.
using Wide = double __attribute__((vector_size(32)));
using WideFloat = float __attribute__((vector_size(16)));
using Pair = double __attribute__((vector_size(16)));
inline constexpr int kLanes = 4;

/// The numbers from `first` on, which need not be aligned as a vector is. They are copied: a reference to a vector type
/// with less alignment does not keep it (Clang then reads as if all were aligned). These functions, and all that take
/// or return vectors by value, are always inlined, because no calling convention holds for vectors with and without
/// AVX.
inline __attribute__((always_inline)) Wide loadWide(const double* first) {
  Wide numbers;
  std::memcpy(&numbers, first, sizeof numbers);
  return numbers;
}
inline __attribute__((always_inline)) WideFloat loadWide(const float* first) {
  WideFloat numbers;
  std::memcpy(&numbers, first, sizeof numbers);
  return numbers;
}
inline __attribute__((always_inline)) Pair loadPair(const double* first) {
  Pair numbers;
  std::memcpy(&numbers, first, sizeof numbers);
  return numbers;
}
inline __attribute__((always_inline)) void store(double* first, const Wide& numbers) {
  std::memcpy(first, &numbers, sizeof numbers);
}
inline __attribute__((always_inline)) void store(float* first, const WideFloat& numbers) {
  std::memcpy(first, &numbers, sizeof numbers);
}
inline __attribute__((always_inline)) void store(double* first, const Pair& numbers) {
  std::memcpy(first, &numbers, sizeof numbers);
}

}  // namespace sinew
