#include "compile/stiff_pattern.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "forces/elasticity.h"
#include "kinematics/flexes.h"
#include "math/types.h"

namespace sinew::draft {
namespace {

using Pairs = std::vector<std::array<int, 2>>;  // row and column, row > column

/// A body that does nothing but slide in three directions at right angles, by itself: a point mass in all but name.
bool isSlidingPoint(const Model& m, const Data& d, int body) {
  if (m.body_dofnum[body] != 3 || m.body_jntnum[body] != 3) return false;
  const int joint = m.body_jntadr[body];
  if (m.tree_dofnum[m.dof_treeid[m.jnt_dofadr[joint]]] != 3) return false;
  for (int j = joint; j < joint + 3; ++j) {
    if (m.jnt_type[j] != JointType::Slide) return false;
  }
  const Mat3 axes = mat3(d.xaxis.data() + 3 * joint, 0);  // one row each
  return (axes * axes.transpose() - Mat3::Identity()).cwiseAbs().maxCoeff() < 1e-12;
}

/// First of the three dofs that move a point, -1 if it does not move that way.
int firstDofOf(const Model& m, const Data& d, int point) {
  const int node = m.flexpoint_nodeid[point];
  if (node >= 0) return m.flexnode_pinned[node] ? -1 : m.nv_rigid + 3 * node;
  const int body = m.body_weldid[m.flexpoint_bodyid[point]];
  return isSlidingPoint(m, d, body) ? m.body_dofadr[body] : -1;
}

/// Numbers the dofs that move points of a flex. A body that carries points of several flexes is stiff in the first.
void numberNodes(Model& m, const Data& d, int flex) {
  std::map<int, int> stiffOf;  // by first dof
  const int begin = m.flex_pointadr[flex], end = begin + m.flex_pointnum[flex];
  for (int p = begin; p < end; ++p) {
    const int dof = firstDofOf(m, d, p);
    if (dof >= m.nv_rigid) stiffOf[dof] = 0;
    if (dof < 0 || dof >= m.nv_rigid) continue;
    if (std::find(m.stiff_dofadr.begin(), m.stiff_dofadr.end(), dof) == m.stiff_dofadr.end()) stiffOf[dof] = 0;
  }
  for (auto& [dof, stiff] : stiffOf) {
    stiff = static_cast<int>(m.stiff_dofadr.size());
    m.stiff_dofadr.push_back(dof);
    Mat3 axes = Mat3::Identity();
    if (dof < m.nv_rigid) axes = mat3(d.xaxis.data() + 3 * m.dof_jntid[dof], 0).transpose();
    for (int k = 0; k < 9; ++k) m.stiff_axes.push_back(axes.data()[k]);
    m.stiff_aligned.push_back(axes == Mat3::Identity());
  }
  for (int p = begin; p < end; ++p) {
    const int dof = firstDofOf(m, d, p);
    if (const auto found = stiffOf.find(dof); found != stiffOf.end()) m.flexpoint_stiffid[p] = found->second;
  }
  m.flex_stiffnum[flex] = static_cast<int>(m.stiff_dofadr.size()) - m.flex_stiffadr[flex];
}

bool hasElements(const Model& m, const Data& d, int flex) {
  bool any = false;
  visitStiffness(m, d, flex, [&](std::span<const int>, const double*, const double*) { any = true; });
  return any;
}

/// Pairs of stiff nodes that elements of the flex couple, each once, growing.
Pairs coupledNodes(const Model& m, const Data& d, int flex) {
  Pairs pairs;
  visitStiffness(m, d, flex, [&](std::span<const int> points, const double*, const double*) {
    for (const int p : points) {
      for (const int q : points) {
        const int row = m.flexpoint_stiffid[p], column = m.flexpoint_stiffid[q];
        if (row > column && column >= 0) pairs.push_back({row, column});
      }
    }
  });
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

/// Three rows per stiff node: all of its earlier neighbours, then itself up to the diagonal.
void writeRows(Model& m, int flex, const Pairs& pairs) {
  const int first = m.flex_stiffadr[flex];
  auto begin = pairs.begin();
  for (int s = first; s < first + m.flex_stiffnum[flex]; ++s) {
    auto end = begin;
    while (end != pairs.end() && (*end)[0] == s) ++end;
    for (int i = 0; i < 3; ++i) {
      const int adr = static_cast<int>(m.K_colind.size());
      m.K_rowadr.push_back(adr);
      for (auto pair = begin; pair != end; ++pair) {
        for (int j = 0; j < 3; ++j) m.K_colind.push_back(3 * ((*pair)[1] - first) + j);
      }
      for (int j = 0; j <= i; ++j) m.K_colind.push_back(3 * (s - first) + j);
      m.K_rownnz.push_back(static_cast<int>(m.K_colind.size()) - adr);
    }
    begin = end;
  }
}

}  // namespace

void writeStiffPattern(Model& m, Data& d) {
  m.flexpoint_stiffid.assign(m.nflexpoint, -1);
  const int disabled = m.opt.disableflags;
  m.opt.disableflags = 0;  // what is switched off now may be switched on later
  flexes(m, d);
  for (int f = 0; f < m.nflex; ++f) {
    m.flex_stiffadr[f] = static_cast<int>(m.stiff_dofadr.size());
    if (!hasElements(m, d, f)) continue;
    numberNodes(m, d, f);
    writeRows(m, f, coupledNodes(m, d, f));
  }
  m.opt.disableflags = disabled;
  m.nstiffnode = static_cast<int>(m.stiff_dofadr.size());
  m.nK = static_cast<int>(m.K_colind.size());
}

}  // namespace sinew::draft
