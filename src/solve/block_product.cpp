#include "solve/block_product.h"

#include <algorithm>
#include <cstddef>

#include "math/kernel.h"
#include "solve/rows.h"

namespace sinew::solve {
namespace {

/// Columns of a block that are worked on with copies on the stack; contacts of two free bodies have 12.
constexpr int kFew = 64;

/// B with its columns in order and rows padded to `width`, T = W B in the same layout: H(i, j) += B(:, i) . T(:, j).
template <int N>
inline __attribute__((always_inline)) void addProduct(int nc, int width, const double* B, const double* T,
                                                      const int* place, int ld, double* H) {
  double g[kFew];
  for (int j = 0; j < nc; ++j) {
    double t[N];
    for (int a = 0; a < N; ++a) t[a] = T[a * width + j];
    for (int i = j - j % kLanes; i < nc; i += kLanes) {
      Wide sum = *reinterpret_cast<const Wide*>(B + i) * t[0];
      for (int a = 1; a < N; ++a) sum += *reinterpret_cast<const Wide*>(B + a * width + i) * t[a];
      *reinterpret_cast<Wide*>(g + i) = sum;
    }
    double* h = H + static_cast<std::ptrdiff_t>(place[j]) * ld;
    for (int i = j; i < nc;) {
      if (i + kLanes <= nc && place[i + kLanes - 1] - place[i] == kLanes - 1) {
        *reinterpret_cast<Wide*>(h + place[i]) += *reinterpret_cast<const Wide*>(g + i);
        i += kLanes;
      } else {
        h[place[i]] += g[i];
        ++i;
      }
    }
  }
}

SINEW_KERNEL void addFewColumns(int nb, int nc, const double* B, const double* W, const int* order, const int* place,
                                int ld, double* H) {
  const int width = (nc + kLanes - 1) / kLanes * kLanes;
  double b[kMaxBasis * kFew], T[kMaxBasis * kFew];
  for (int a = 0; a < nb; ++a) {
    double* row = b + a * width;
    for (int c = 0; c < nc; ++c) row[c] = B[a * nc + (order ? order[c] : c)];
    for (int c = nc; c < width; ++c) row[c] = 0;
  }
  for (int a = 0; a < nb; ++a) {
    for (int c = 0; c < width; c += kLanes) {
      Wide sum = *reinterpret_cast<const Wide*>(b + c) * W[a * nb];
      for (int k = 1; k < nb; ++k) sum += *reinterpret_cast<const Wide*>(b + k * width + c) * W[a * nb + k];
      *reinterpret_cast<Wide*>(T + a * width + c) = sum;
    }
  }
  switch (nb) {
    case 1:
      return addProduct<1>(nc, width, b, T, place, ld, H);
    case 2:
      return addProduct<2>(nc, width, b, T, place, ld, H);
    case 3:
      return addProduct<3>(nc, width, b, T, place, ld, H);
    case 4:
      return addProduct<4>(nc, width, b, T, place, ld, H);
    case 5:
      return addProduct<5>(nc, width, b, T, place, ld, H);
    default:
      return addProduct<6>(nc, width, b, T, place, ld, H);
  }
}

void addManyColumns(int nb, int nc, const double* B, const double* W, const int* order, const int* place, int ld,
                    double* H) {
  const auto at = [&](int c) { return order ? order[c] : c; };
  double t[kMaxBasis];
  for (int j = 0; j < nc; ++j) {
    for (int a = 0; a < nb; ++a) {
      t[a] = 0;
      for (int k = 0; k < nb; ++k) t[a] += W[a * nb + k] * B[k * nc + at(j)];
    }
    double* h = H + static_cast<std::ptrdiff_t>(place[j]) * ld;
    for (int a = 0; a < nb; ++a) {
      if (t[a] == 0) continue;
      const double* row = B + a * nc;
      for (int i = j; i < nc; ++i) h[place[i]] += row[at(i)] * t[a];
    }
  }
}

}  // namespace

void addBlockProduct(const RowBlock& block, const double* B, const double* W, const int* order, const int* place,
                     int ld, double* H) {
  if (block.ncol <= kFew) {
    addFewColumns(block.nbasis, block.ncol, B, W, order, place, ld, H);
  } else {
    addManyColumns(block.nbasis, block.ncol, B, W, order, place, ld, H);
  }
}

}  // namespace sinew::solve
