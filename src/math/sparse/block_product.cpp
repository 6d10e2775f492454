#include "math/sparse/block_product.h"

#include <algorithm>
#include <cstddef>

#include "math/kernel.h"

namespace sinew::sparse {
namespace {

constexpr int kMaxBasis = 6;  // rows of B
/// Columns of a block that are worked on with copies on the stack; contacts of two free bodies have 12.
constexpr int kFew = 64;
/// Columns of a single row that are worked on one by one.
constexpr int kShort = 12;

/// B with its columns in order and rows padded to `width`, T = W B in the same layout: H(i, j) += B(:, i) . T(:, j).
template <int N>
inline __attribute__((always_inline)) void addProduct(int nc, int width, const double* B, const double* T,
                                                      const BlockPiece& piece, double* H) {
  double g[kFew];
  const int* place = piece.place - piece.begin;
  for (int j = piece.begin; j < piece.end; ++j) {
    double t[N];
    for (int a = 0; a < N; ++a) t[a] = T[a * width + j];
    for (int i = j - j % kLanes; i < nc; i += kLanes) {
      Wide sum = loadWide(B + i) * t[0];
      for (int a = 1; a < N; ++a) sum += loadWide(B + a * width + i) * t[a];
      store(g + i, sum);
    }
    double* h = H + piece.matrix + static_cast<std::ptrdiff_t>(place[j]) * piece.ld;
    for (int i = j; i < nc;) {
      if (i + kLanes <= nc && place[i + kLanes - 1] - place[i] == kLanes - 1) {
        store(h + place[i], loadWide(h + place[i]) + loadWide(g + i));
        i += kLanes;
      } else {
        h[place[i]] += g[i];
        ++i;
      }
    }
  }
}

SINEW_KERNEL void addFewColumns(int nb, int nc, const double* B, const double* W, const int* order,
                                std::span<const BlockPiece> pieces, double* H) {
  const int width = (nc + kLanes - 1) / kLanes * kLanes;
  double b[kMaxBasis * kFew], T[kMaxBasis * kFew];
  for (int a = 0; a < nb; ++a) {
    double* row = b + a * width;
    for (int c = 0; c < nc; ++c) row[c] = B[a * nc + (order ? order[c] : c)];
    for (int c = nc; c < width; ++c) row[c] = 0;
  }
  for (int a = 0; a < nb; ++a) {
    for (int c = 0; c < width; c += kLanes) {
      Wide sum = loadWide(b + c) * W[a * nb];
      for (int k = 1; k < nb; ++k) sum += loadWide(b + k * width + c) * W[a * nb + k];
      store(T + a * width + c, sum);
    }
  }
  for (const BlockPiece& piece : pieces) {
    switch (nb) {
      case 1:
        addProduct<1>(nc, width, b, T, piece, H);
        break;
      case 2:
        addProduct<2>(nc, width, b, T, piece, H);
        break;
      case 3:
        addProduct<3>(nc, width, b, T, piece, H);
        break;
      case 4:
        addProduct<4>(nc, width, b, T, piece, H);
        break;
      case 5:
        addProduct<5>(nc, width, b, T, piece, H);
        break;
      default:
        addProduct<6>(nc, width, b, T, piece, H);
    }
  }
}

/// One row with a few columns, such as the length of an edge: too little to work on in lanes.
void addRow(int nc, const double* B, double weight, const int* order, std::span<const BlockPiece> pieces, double* H) {
  double b[kShort];
  for (int c = 0; c < nc; ++c) b[c] = B[order ? order[c] : c];
  for (const BlockPiece& piece : pieces) {
    const int* place = piece.place - piece.begin;
    for (int j = piece.begin; j < piece.end; ++j) {
      double* h = H + piece.matrix + static_cast<std::ptrdiff_t>(place[j]) * piece.ld;
      const double t = weight * b[j];
      for (int i = j; i < nc; ++i) h[place[i]] += b[i] * t;
    }
  }
}

void addManyColumns(int nb, int nc, const double* B, const double* W, const int* order,
                    std::span<const BlockPiece> pieces, double* H) {
  const auto at = [&](int c) { return order ? order[c] : c; };
  double t[kMaxBasis];
  for (const BlockPiece& piece : pieces) {
    const int* place = piece.place - piece.begin;
    for (int j = piece.begin; j < piece.end; ++j) {
      for (int a = 0; a < nb; ++a) {
        t[a] = 0;
        for (int k = 0; k < nb; ++k) t[a] += W[a * nb + k] * B[k * nc + at(j)];
      }
      double* h = H + piece.matrix + static_cast<std::ptrdiff_t>(place[j]) * piece.ld;
      for (int a = 0; a < nb; ++a) {
        if (t[a] == 0) continue;
        const double* row = B + a * nc;
        for (int i = j; i < nc; ++i) h[place[i]] += row[at(i)] * t[a];
      }
    }
  }
}

}  // namespace

void addBlockProduct(int nb, int nc, const double* B, const double* W, const int* order,
                     std::span<const BlockPiece> pieces, double* H) {
  if (nb == 1 && nc <= kShort) {
    addRow(nc, B, W[0], order, pieces, H);
  } else if (nc <= kFew) {
    addFewColumns(nb, nc, B, W, order, pieces, H);
  } else {
    addManyColumns(nb, nc, B, W, order, pieces, H);
  }
}

}  // namespace sinew::sparse
