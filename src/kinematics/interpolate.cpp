#include "kinematics/interpolate.h"

#include <algorithm>
#include <span>

#include "math/kernel.h"
#include "sinew/model.h"

namespace sinew {
namespace {

constexpr int kTogether = 4;  // vertices whose sums grow side by side: each has to wait for its last addition

/// N vertices with `count` shares each, one after the other in the lists: points by fours of numbers, `out` by threes.
template <int N>
inline __attribute__((always_inline)) void sumShares(int count, const double* weight, const int* point, int first,
                                                     const double* x, double* out) {
  Wide sum[N] = {};
  for (int k = 0; k < count; ++k) {
    for (int n = 0; n < N; ++n) {
      sum[n] += weight[n * count + k] * loadWide(x + kLanes * (point[n * count + k] - first));
    }
  }
  for (int n = 0; n < N; ++n) {
    for (int i = 0; i < 3; ++i) out[3 * n + i] = sum[n][i];
  }
}

SINEW_KERNEL void sumAllShares(const Model& m, int flex, const double* x, double* out) {
  const int *adr = m.flexvert_supportadr.data(), *num = m.flexvert_supportnum.data();
  const int first = m.flex_pointadr[flex], end = m.flex_vertadr[flex] + m.flex_vertnum[flex];
  const double* weight = m.flexsupport_weight.data();
  const int* point = m.flexsupport_pointid.data();
  const auto alike = [&](int v) __attribute__((always_inline)) {
    for (int n = 1; n < kTogether; ++n) {
      if (num[v + n] != num[v] || adr[v + n] != adr[v] + n * num[v]) return false;
    }
    return true;
  };
  for (int v = m.flex_vertadr[flex]; v < end;) {
    if (v + kTogether <= end && alike(v)) {
      sumShares<kTogether>(num[v], weight + adr[v], point + adr[v], first, x, out + 3 * v);
      v += kTogether;
    } else {
      sumShares<1>(num[v], weight + adr[v], point + adr[v], first, x, out + 3 * v);
      ++v;
    }
  }
}

}  // namespace

void interpolate(const Model& m, int flex, const double* points, double* vertices, Arena& scratch) {
  const double* own = points + 3 * m.flex_pointadr[flex];
  const int count = m.flex_pointnum[flex];
  if (m.flex_interp[flex] == 0) {
    std::copy_n(own, 3 * m.flex_vertnum[flex], vertices + 3 * m.flex_vertadr[flex]);
    return;
  }
  const Arena::Scope scope(scratch);
  const std::span<double> x = scratch.take<double>(kLanes * count);
  for (int p = 0; p < count; ++p) {
    for (int i = 0; i < 3; ++i) x[kLanes * p + i] = own[3 * p + i];
    x[kLanes * p + 3] = 0;
  }
  sumAllShares(m, flex, x.data(), vertices);
}

}  // namespace sinew
