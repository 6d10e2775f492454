#include "compile/stiff_pattern.h"

namespace sinew::draft {
namespace {

bool isStiff(const Model& m, int flex) {
  for (int p = m.flex_pointadr[flex]; p < m.flex_pointadr[flex] + m.flex_pointnum[flex]; ++p) {
    if (m.flexpoint_blocknum[p] > 0) return true;
  }
  return false;
}

/// Numbers the movable nodes of a flex, if anything stiff couples them.
void numberNodes(Model& m, int flex) {
  m.flex_stiffadr[flex] = static_cast<int>(m.stiff_nodeid.size());
  if (!isStiff(m, flex)) return;
  for (int p = m.flex_pointadr[flex]; p < m.flex_pointadr[flex] + m.flex_pointnum[flex]; ++p) {
    const int node = m.flexpoint_nodeid[p];
    if (node < 0 || m.flexnode_pinned[node]) continue;
    m.flexnode_stiffid[node] = static_cast<int>(m.stiff_nodeid.size());
    m.stiff_nodeid.push_back(node);
  }
  m.flex_stiffnum[flex] = static_cast<int>(m.stiff_nodeid.size()) - m.flex_stiffadr[flex];
}

/// The three rows of a stiff node: all of its earlier neighbours, then itself up to the diagonal.
void writeRows(Model& m, int flex, int stiff) {
  const int point = m.flexnode_pointid[m.stiff_nodeid[stiff]];
  const int first = m.flex_stiffadr[flex];
  for (int i = 0; i < 3; ++i) {
    const int adr = static_cast<int>(m.K_colind.size());
    m.K_rowadr.push_back(adr);
    for (int b = m.flexpoint_blockadr[point]; b < m.flexpoint_blockadr[point] + m.flexpoint_blocknum[point]; ++b) {
      const int node = m.flexpoint_nodeid[m.flexblock_point[2 * b + 1]];
      const int other = node < 0 ? -1 : m.flexnode_stiffid[node];
      if (other < 0 || other == stiff) continue;
      for (int j = 0; j < 3; ++j) m.K_colind.push_back(3 * (other - first) + j);
    }
    for (int j = 0; j <= i; ++j) m.K_colind.push_back(3 * (stiff - first) + j);
    m.K_rownnz.push_back(static_cast<int>(m.K_colind.size()) - adr);
  }
}

}  // namespace

void writeStiffPattern(Model& m) {
  m.flexnode_stiffid.assign(m.nflexnode, -1);
  m.stiff_nodeid.clear();
  m.K_rownnz.clear();
  m.K_rowadr.clear();
  m.K_colind.clear();
  for (int f = 0; f < m.nflex; ++f) {
    numberNodes(m, f);
    for (int s = m.flex_stiffadr[f]; s < m.flex_stiffadr[f] + m.flex_stiffnum[f]; ++s) writeRows(m, f, s);
  }
  m.nstiffnode = static_cast<int>(m.stiff_nodeid.size());
  m.nK = static_cast<int>(m.K_colind.size());
}

}  // namespace sinew::draft
