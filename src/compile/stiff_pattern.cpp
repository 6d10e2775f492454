#include "compile/stiff_pattern.h"

#include <algorithm>
#include <array>
#include <vector>

#include "forces/elasticity.h"
#include "kinematics/flexes.h"

namespace sinew::draft {
namespace {

using Pairs = std::vector<std::array<int, 2>>;  // row and column, row > column

/// Pairs of movable nodes that elements of the flex couple, each once, growing. False if there is no element at all.
bool coupledNodes(const Model& m, const Data& d, int flex, Pairs& pairs) {
  bool any = false;
  pairs.clear();
  visitStiffness(m, d, flex, [&](std::span<const int> points, const double*, const double*) {
    any = true;
    for (const int p : points) {
      for (const int q : points) {
        const int row = m.flexpoint_nodeid[p], column = m.flexpoint_nodeid[q];
        if (row > column && column >= 0 && !m.flexnode_pinned[row] && !m.flexnode_pinned[column]) {
          pairs.push_back({row, column});
        }
      }
    }
  });
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return any;
}

void numberNodes(Model& m, int flex) {
  for (int p = m.flex_pointadr[flex]; p < m.flex_pointadr[flex] + m.flex_pointnum[flex]; ++p) {
    const int node = m.flexpoint_nodeid[p];
    if (node < 0 || m.flexnode_pinned[node]) continue;
    m.flexnode_stiffid[node] = static_cast<int>(m.stiff_nodeid.size());
    m.stiff_nodeid.push_back(node);
  }
  m.flex_stiffnum[flex] = static_cast<int>(m.stiff_nodeid.size()) - m.flex_stiffadr[flex];
}

/// Three rows per stiff node: all of its earlier neighbours, then itself up to the diagonal.
void writeRows(Model& m, int flex, const Pairs& pairs) {
  const int first = m.flex_stiffadr[flex];
  auto begin = pairs.begin();
  for (int s = first; s < first + m.flex_stiffnum[flex]; ++s) {
    auto end = begin;
    while (end != pairs.end() && (*end)[0] == m.stiff_nodeid[s]) ++end;
    for (int i = 0; i < 3; ++i) {
      const int adr = static_cast<int>(m.K_colind.size());
      m.K_rowadr.push_back(adr);
      for (auto pair = begin; pair != end; ++pair) {
        for (int j = 0; j < 3; ++j) m.K_colind.push_back(3 * (m.flexnode_stiffid[(*pair)[1]] - first) + j);
      }
      for (int j = 0; j <= i; ++j) m.K_colind.push_back(3 * (s - first) + j);
      m.K_rownnz.push_back(static_cast<int>(m.K_colind.size()) - adr);
    }
    begin = end;
  }
}

}  // namespace

void writeStiffPattern(Model& m, Data& d) {
  m.flexnode_stiffid.assign(m.nflexnode, -1);
  m.stiff_nodeid.clear();
  m.K_rownnz.clear();
  m.K_rowadr.clear();
  m.K_colind.clear();
  const int disabled = m.opt.disableflags;
  m.opt.disableflags = 0;  // what is switched off now may be switched on later
  flexes(m, d);
  Pairs pairs;
  for (int f = 0; f < m.nflex; ++f) {
    m.flex_stiffadr[f] = static_cast<int>(m.stiff_nodeid.size());
    if (!coupledNodes(m, d, f, pairs)) continue;
    numberNodes(m, f);
    writeRows(m, f, pairs);
  }
  m.opt.disableflags = disabled;
  m.nstiffnode = static_cast<int>(m.stiff_nodeid.size());
  m.nK = static_cast<int>(m.K_colind.size());
}

}  // namespace sinew::draft
