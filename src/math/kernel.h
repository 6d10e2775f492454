#pragma once

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

/// Four numbers that are worked on together; where they lie in memory need not be aligned.
using Wide = double __attribute__((vector_size(32), aligned(8), may_alias));
inline constexpr int kLanes = 4;

/// The four numbers from `first` on.
inline __attribute__((always_inline)) Wide& wideAt(double* first) { return *reinterpret_cast<Wide*>(first); }
inline __attribute__((always_inline)) const Wide& wideAt(const double* first) {
  return *reinterpret_cast<const Wide*>(first);
}

}  // namespace sinew
