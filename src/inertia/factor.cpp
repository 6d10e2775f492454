#include <algorithm>
#include <atomic>
#include <cmath>

#include "inertia/inertia.h"
#include "math/kernel.h"
#include "math/types.h"
#include "model/awake.h"
#include "model/tree_pieces.h"

namespace sinew {

// The dofs above dof i in the tree are the columns of row i, and the row of an ancestor has as its columns the first
// ones of row i. Eliminating i therefore subtracts prefixes of row i from the rows of its ancestors: dense, without
// searching, and without fill-in.

namespace {

constexpr int kGroup = 4;  // dofs in a row that are eliminated together

/// Subtracts what N eliminated rows contribute from the rows of their common ancestors, the columns [0, count): one
/// pass over each for all N, in the order of elimination.
template <int N>
inline __attribute__((always_inline)) void subtractFromAncestors(const Model& m, const int* column, int count,
                                                                 double* const* row, const double* inverse,
                                                                 double* LD) {
  for (int k = count - 1; k >= 0; --k) {
    double* ancestor = LD + m.M_rowadr[column[k]];
    double scale[N];
    for (int q = 0; q < N; ++q) scale[q] = row[q][k] * inverse[q];
    int c = 0;
    for (; c + kLanes <= k + 1; c += kLanes) {
      Wide sum = loadWide(ancestor + c);
      for (int q = 0; q < N; ++q) sum -= scale[q] * loadWide(row[q] + c);
      store(ancestor + c, sum);
    }
    for (; c <= k; ++c) {
      double sum = ancestor[c];
      for (int q = 0; q < N; ++q) sum -= scale[q] * row[q][c];
      ancestor[c] = sum;
    }
    for (int q = 0; q < N; ++q) row[q][k] = scale[q];
  }
}

/// Trees whose dofs are [begin, end).
SINEW_KERNEL int factorDofs(const Model& m, double* LD, double* diagInv, Pivots pivots, int begin, int end) {
  int bad = -1;
  for (int i = end - 1; i >= begin;) {
    // i and the dofs right above it, as long as each is the parent of the one before: at most kGroup of them
    const int* column = m.M_colind.data() + m.M_rowadr[i];
    const int above = m.M_rownnz[i] - 1;
    if (above == 0 && LD[m.M_rowadr[i]] >= kMinVal) {  // a dof by itself, as those of most free bodies
      diagInv[i] = 1 / LD[m.M_rowadr[i]];
      --i;
      continue;
    }
    int size = 1;
    while (size < kGroup && size <= above && column[above - size] == i - size) ++size;

    double* row[kGroup];
    double inverse[kGroup];
    for (int q = 0; q < size; ++q) {
      row[q] = LD + m.M_rowadr[i - q];
      double& pivot = row[q][above - q];
      if (!((pivots == Pivots::Any ? std::abs(pivot) : pivot) >= kMinVal)) {  // also catches NaN
        pivot = kMinVal;
        if (bad < 0) bad = i - q;
      }
      inverse[q] = diagInv[i - q] = 1 / pivot;
      for (int k = above - q - 1; k > above - size; --k) {
        double* ancestor = LD + m.M_rowadr[column[k]];
        const double scale = row[q][k] * inverse[q];
        for (int c = 0; c <= k; ++c) ancestor[c] -= scale * row[q][c];
        row[q][k] = scale;
      }
    }
    const int common = above - size + 1;
    switch (size) {
      case 1:
        subtractFromAncestors<1>(m, column, common, row, inverse, LD);
        break;
      case 2:
        subtractFromAncestors<2>(m, column, common, row, inverse, LD);
        break;
      case 3:
        subtractFromAncestors<3>(m, column, common, row, inverse, LD);
        break;
      default:
        subtractFromAncestors<4>(m, column, common, row, inverse, LD);
        break;
    }
    i -= size;
  }
  return bad;
}

__attribute__((noinline)) void solveDofs(const Model& m, const double* LD, const double* diagInv, double* x, int begin,
                                         int end) {
  // x <- inv(L') x
  for (int i = end - 1; i >= begin; --i) {
    const double* row = LD + m.M_rowadr[i];
    const int* column = m.M_colind.data() + m.M_rowadr[i];
    const int above = m.M_rownnz[i] - 1;
    const double xi = x[i];
    for (int k = 0; k < above; ++k) x[column[k]] -= row[k] * xi;
  }
  // x <- inv(L) inv(D) x, in two sums, so that an addition need not wait for the one before
  for (int i = begin; i < end; ++i) {
    const double* row = LD + m.M_rowadr[i];
    const int* column = m.M_colind.data() + m.M_rowadr[i];
    const int above = m.M_rownnz[i] - 1;
    double even = x[i] * diagInv[i], odd = 0;
    int k = 0;
    for (; k + 2 <= above; k += 2) {
      even -= row[k] * x[column[k]];
      odd += row[k + 1] * x[column[k + 1]];
    }
    if (k < above) even -= row[k] * x[column[k]];
    x[i] = even - odd;
  }
}

}  // namespace

int factorTree(const Model& m, const Data& d, double* LD, double* diagInv, Pivots pivots) {
  std::atomic<int> bad = -1;  // the last one
  forEachTreePiece(m, d, [&](const TreePiece& piece) {
    int last = -1;
    forEachAwakeRunIn(m, d, piece, [&](int begin, int end) {
      last = std::max(last, factorDofs(m, LD, diagInv, pivots, begin, end));
    });
    for (int before = bad; last > before && !bad.compare_exchange_weak(before, last);) {
    }
  });
  return bad;
}

void solveTree(const Model& m, const Data& d, const double* LD, const double* diagInv, double* x) {
  forEachTreePiece(m, d, [&](const TreePiece& piece) {
    forEachAwakeRunIn(m, d, piece, [&](int begin, int end) { solveDofs(m, LD, diagInv, x, begin, end); });
  });
}

void copyAwakeRows(const Model& m, const Data& d, const double* from, double* to) {
  forEachAwakeRun(m, d, [&](int begin, int end) {
    const int first = m.M_rowadr[begin];
    std::copy_n(from + first, (end < m.nv ? m.M_rowadr[end] : m.nM) - first, to + first);
  });
}

void factorMass(const Model& m, Data& d) {
  copyAwakeRows(m, d, d.M.data(), d.qLD.data());
  const int bad = factorTree(m, d, d.qLD.data(), d.qLDiagInv.data());
  // what is pinned does not yield to any force, not even by one part in 1e20
  for (int node = 0; node < m.nflexnode; ++node) {
    if (m.flexnode_pinned[node]) std::fill_n(d.qLDiagInv.data() + m.nv_rigid + 3 * node, 3, 0.0);
  }
  if (bad < 0) return;
  TroubleReport& report = d.status[Trouble::Inertia];
  if (report.count++ == 0) {
    report.first = bad;
    report.time = d.time;
  }
}

void solveMass(const Model& m, const Data& d, double* x) { solveTree(m, d, d.qLD.data(), d.qLDiagInv.data(), x); }

void solveMass(const Model& m, const Data& d, int begin, int end, double* x) {
  solveDofs(m, d.qLD.data(), d.qLDiagInv.data(), x, begin, end);
}

void multiplyMass(const Model& m, const Data& d, const double* x, double* y) {
  // y_i starts with its own row; rows of later dofs add what the upper triangle holds
  for (int i = 0; i < m.nv; ++i) {
    const double* row = d.M.data() + m.M_rowadr[i];
    const int* column = m.M_colind.data() + m.M_rowadr[i];
    const int above = m.M_rownnz[i] - 1;
    const double xi = x[i];
    double yi = row[above] * xi;
    for (int k = 0; k < above; ++k) {
      yi += row[k] * x[column[k]];
      y[column[k]] += row[k] * xi;
    }
    y[i] = yi;
  }
}

}  // namespace sinew
