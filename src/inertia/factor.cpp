#include <algorithm>

#include "inertia/inertia.h"
#include "math/types.h"

namespace sinew {

// The dofs above dof i in the tree are the columns of row i, and the row of an ancestor has as its columns the first
// ones of row i. Eliminating i therefore subtracts prefixes of row i from the rows of its ancestors: dense, without
// searching, and without fill-in.

int factorTree(const Model& m, double* LD, double* diagInv) {
  int bad = -1;
  for (int i = m.nv - 1; i >= 0; --i) {
    double* __restrict row = LD + m.M_rowadr[i];
    const int* column = m.M_colind.data() + m.M_rowadr[i];
    const int above = m.M_rownnz[i] - 1;
    if (!(row[above] >= kMinVal)) {  // also catches NaN
      row[above] = kMinVal;
      if (bad < 0) bad = i;
    }
    const double inverse = 1 / row[above];
    diagInv[i] = inverse;
    for (int k = above - 1; k >= 0; --k) {
      double* __restrict ancestor = LD + m.M_rowadr[column[k]];
      const double scale = row[k] * inverse;
      for (int c = 0; c <= k; ++c) ancestor[c] -= scale * row[c];
      row[k] = scale;
    }
  }
  return bad;
}

void solveTree(const Model& m, const double* LD, const double* diagInv, double* x) {
  // x <- inv(L') x
  for (int i = m.nv - 1; i >= 0; --i) {
    const double* row = LD + m.M_rowadr[i];
    const int* column = m.M_colind.data() + m.M_rowadr[i];
    const int above = m.M_rownnz[i] - 1;
    const double xi = x[i];
    for (int k = 0; k < above; ++k) x[column[k]] -= row[k] * xi;
  }
  // x <- inv(L) inv(D) x
  for (int i = 0; i < m.nv; ++i) {
    const double* row = LD + m.M_rowadr[i];
    const int* column = m.M_colind.data() + m.M_rowadr[i];
    const int above = m.M_rownnz[i] - 1;
    double xi = x[i] * diagInv[i];
    for (int k = 0; k < above; ++k) xi -= row[k] * x[column[k]];
    x[i] = xi;
  }
}

void factorMass(const Model& m, Data& d) {
  std::copy(d.M.begin(), d.M.end(), d.qLD.data());
  const int bad = factorTree(m, d.qLD.data(), d.qLDiagInv.data());
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

void solveMass(const Model& m, const Data& d, double* x) { solveTree(m, d.qLD.data(), d.qLDiagInv.data(), x); }

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
