#include "compile/sparsity.h"

#include <algorithm>
#include <vector>

namespace sinew::draft {
namespace {

using Rows = std::vector<std::vector<int>>;

/// Ancestor dofs of each dof and itself, growing.
Rows ancestorRows(const Model& m, bool reduceSimple) {
  Rows rows(static_cast<std::size_t>(m.nv));
  for (int i = 0; i < m.nv; ++i) {
    std::vector<int>& row = rows[i];
    row.push_back(i);
    if (reduceSimple && m.dof_simplenum[i] > 0) continue;
    for (int j = m.dof_parentid[i]; j >= 0; j = m.dof_parentid[j]) row.push_back(j);
    std::reverse(row.begin(), row.end());
  }
  return rows;
}

/// Returns the number of entries.
int store(const Rows& rows, Array<int>& count, Array<int>& address, Array<int>& column) {
  column.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::ptrdiff_t>(i);
    address[row] = static_cast<int>(column.size());
    count[row] = static_cast<int>(rows[i].size());
    for (const int j : rows[i]) column.push_back(j);
  }
  return static_cast<int>(column.size());
}

/// Position of (row, column) in a pattern, -1 if it is not there.
int entryOf(const Array<int>& count, const Array<int>& address, const Array<int>& column, int i, int j) {
  const auto begin = column.begin() + address[i], end = begin + count[i];
  const auto found = std::lower_bound(begin, end, j);
  return found != end && *found == j ? static_cast<int>(found - column.begin()) : -1;
}

}  // namespace

void writePatterns(Model& m) {
  m.nM = store(ancestorRows(m, true), m.M_rownnz, m.M_rowadr, m.M_colind);

  Rows rows = ancestorRows(m, false);
  for (int i = 0; i < m.nv; ++i) {
    // i is a descendant of its ancestors; going up in i keeps the rows sorted
    for (int j = m.dof_parentid[i]; j >= 0; j = m.dof_parentid[j]) rows[j].push_back(i);
  }
  m.nD = store(rows, m.D_rownnz, m.D_rowadr, m.D_colind);

  m.mapM2D.assign(m.nD, -1);
  m.mapD2M.assign(m.nM, 0);
  for (int i = 0; i < m.nv; ++i) {
    for (int k = 0; k < m.D_rownnz[i]; ++k) {
      const int entry = m.D_rowadr[i] + k, j = m.D_colind[entry];
      if (j == i) m.D_diag[i] = k;
      m.mapM2D[entry] = entryOf(m.M_rownnz, m.M_rowadr, m.M_colind, std::max(i, j), std::min(i, j));
    }
    for (int k = m.M_rowadr[i]; k < m.M_rowadr[i] + m.M_rownnz[i]; ++k) {
      m.mapD2M[k] = entryOf(m.D_rownnz, m.D_rowadr, m.D_colind, i, m.M_colind[k]);
    }
  }
}

}  // namespace sinew::draft
