#include "compile/statistics.h"

#include <algorithm>
#include <vector>

#include "math/types.h"

namespace sinew::draft {
namespace {

struct Box {
  Vec3 lower = Vec3::Constant(1e10);
  Vec3 upper = Vec3::Constant(-1e10);
  void add(const Vec3& center, double radius) {
    lower = lower.cwiseMin(center - Vec3::Constant(radius));
    upper = upper.cwiseMax(center + Vec3::Constant(radius));
  }
};

/// Radius of a geom for the bounding box; planes, which have no end, count a little.
double radiusOf(const Model& m, int g) {
  if (m.geom_rbound[g] > 0) return m.geom_rbound[g];
  if (m.geom_type[g] != GeomType::Plane) return 0;
  const double size = std::max(m.geom_size[3 * g], m.geom_size[3 * g + 1]);
  return m.geom_size[3 * g] != 0 || m.geom_size[3 * g + 1] != 0 ? 0.1 * size : 0.01;
}

ConstMapVec3 restOf(const Model& m, int node) { return ConstMapVec3(m.qpos0.data() + m.nq_rigid + 3 * node); }

Box boundsOf(const Model& m, const Data& d) {
  Box box;
  for (int b = 1; b < m.nbody; ++b) {
    box.add(vec3(d.xpos.data(), b), 0);
    box.add(vec3(d.xipos.data(), b), 0);
  }
  for (int j = 0; j < m.njnt; ++j) box.add(vec3(d.xanchor.data(), j), 0);
  for (int s = 0; s < m.nsite; ++s) box.add(vec3(d.site_xpos.data(), s), 0);
  for (int g = 0; g < m.ngeom; ++g) box.add(vec3(d.geom_xpos.data(), g), radiusOf(m, g));
  for (int n = 0; n < m.nflexnode; ++n) {
    if (!m.flexnode_pinned[n]) box.add(restOf(m, n), 0);
  }
  return box;
}

/// Size of each body: how far joints (its own and its children's) and geoms reach from its centre of mass.
std::vector<double> bodySizes(const Model& m, const Data& d) {
  std::vector<double> size(static_cast<std::size_t>(m.nbody), 0.0);
  const auto reach = [&](int body, double distance) {
    double& s = size[body];
    s = std::max(s, distance);
  };
  for (int j = 0; j < m.njnt; ++j) {
    const Vec3 anchor = vec3(d.xanchor.data(), j);
    const int body = m.jnt_bodyid[j], parent = m.body_parentid[body];
    reach(body, (vec3(d.xipos.data(), body) - anchor).norm());
    reach(parent, (vec3(d.xipos.data(), parent) - anchor).norm());
  }
  size[0] = 0;
  for (int g = 0; g < m.ngeom; ++g) {
    const int body = m.geom_bodyid[g];
    if (body == 0 || !(m.geom_rbound[g] > 0)) continue;
    reach(body, m.geom_rbound[g] + (vec3(d.xipos.data(), body) - vec3(d.geom_xpos.data(), g)).norm());
  }
  for (int n = 0; n < m.nflexnode; ++n) {  // a free node counts as a body with joints at its place
    const int parent = m.flexnode_bodyid[n];
    if (!m.flexnode_pinned[n] && parent > 0) reach(parent, (vec3(d.xipos.data(), parent) - restOf(m, n)).norm());
  }
  return size;
}

/// Sizes of the free nodes: how far edges, or in an interpolated flex other nodes, reach from them. Points on bodies
/// enlarge these.
std::vector<double> nodeSizes(const Model& m, const Data& d, std::vector<double>& bodySize) {
  std::vector<double> size(static_cast<std::size_t>(m.nflexnode), 1e-5);
  const auto reach = [&](int point, double distance) {
    const int node = m.flexpoint_nodeid[point];
    double& s = node >= 0 && !m.flexnode_pinned[node] ? size[node] : bodySize[m.flexpoint_bodyid[point]];
    s = std::max(s, distance);
  };
  for (int e = 0; e < m.nflexedge; ++e) {
    const int flex = m.flexedge_flexid[e];
    if (m.flex_interp[flex] != 0) continue;
    for (int k = 0; k < 2; ++k) reach(m.flex_pointadr[flex] + m.flex_edge[2 * e + k], m.flexedge_length0[e]);
  }
  for (int f = 0; f < m.nflex; ++f) {
    if (m.flex_interp[f] == 0) continue;
    const int begin = m.flex_pointadr[f], end = begin + m.flex_pointnum[f];
    // where the bodies of the nodes are: pinned ones are the parent
    const auto placeOf = [&](int point) -> Vec3 {
      const int node = m.flexpoint_nodeid[point];
      if (node >= 0 && !m.flexnode_pinned[node]) return restOf(m, node);
      return vec3(d.xpos.data(), m.flexpoint_bodyid[point]);
    };
    constexpr int kFew = 1000;  // beyond this the corner of the box stands for the farthest node
    Box box;
    for (int p = begin; p < end; ++p) box.add(placeOf(p), 0);
    for (int p = begin; p < end; ++p) {
      const Vec3 at = placeOf(p);
      double farthest = 0;
      if (end - begin > kFew) farthest = (at - box.lower).cwiseMax(box.upper - at).norm();
      for (int q = begin; q < end && end - begin <= kFew; ++q) farthest = std::max(farthest, (at - placeOf(q)).norm());
      reach(p, farthest);
    }
  }
  bodySize[0] = 0;
  return size;
}

void writeDofLengths(const std::vector<double>& bodySize, Model& m) {
  for (int i = 0; i < m.nv_rigid; ++i) {  // those of nodes are lengths
    const int joint = m.dof_jntid[i];
    const JointType type = m.jnt_type[joint];
    const bool rotation = type == JointType::Ball || type == JointType::Hinge ||
                          (type == JointType::Free && i - m.jnt_dofadr[joint] >= 3);
    m.dof_length[i] = rotation ? bodySize[m.dof_bodyid[i]] : 1;
  }
}

}  // namespace

void writeStatistics(const spec::Statistic& given, Model& m, const Data& d) {
  const Box box = boundsOf(m, d);
  const Vec3 center = 0.5 * (box.lower + box.upper), sides = box.upper - box.lower;
  m.stat.center = {center[0], center[1], center[2]};
  if (box.upper[0] > box.lower[0]) m.stat.extent = std::max(1e-5, sides.maxCoeff());

  std::vector<double> size = bodySizes(m, d);
  const std::vector<double> nodes = nodeSizes(m, d, size);
  for (std::size_t b = 1; b < size.size(); ++b) size[b] = std::max(size[b], 1e-5);
  writeDofLengths(size, m);
  const int numNodes = static_cast<int>(std::count(m.flexnode_pinned.begin(), m.flexnode_pinned.end(), 0));
  if (const int count = m.nbody - 1 + numNodes; count > 0) {
    m.stat.meansize = m.stat.meanmass = 0;
    for (int b = 1; b < m.nbody; ++b) {
      m.stat.meansize += size[b] / count;
      m.stat.meanmass += m.body_mass[b];
    }
    for (int n = 0; n < m.nflexnode; ++n) {
      if (m.flexnode_pinned[n]) continue;
      m.stat.meansize += nodes[n] / count;
      m.stat.meanmass += m.flexnode_mass[n];
    }
    m.stat.meanmass /= count;
  }
  m.stat.extent = std::max(m.stat.extent, 2 * m.stat.meansize);
  if (m.nv > 0) {
    m.stat.meaninertia = 0;
    int movable = 0;
    for (int i = 0; i < m.nv; ++i) {
      if (m.dof_treeid[i] < 0) continue;  // pinned nodes
      m.stat.meaninertia += d.M[m.M_rowadr[i] + m.M_rownnz[i] - 1];
      ++movable;
    }
    m.stat.meaninertia /= std::max(movable, 1);
  }

  m.stat.extent = given.extent.value_or(m.stat.extent);
  m.stat.meaninertia = given.meaninertia.value_or(m.stat.meaninertia);
  m.stat.meanmass = given.meanmass.value_or(m.stat.meanmass);
  m.stat.meansize = given.meansize.value_or(m.stat.meansize);
  m.stat.center = given.center.value_or(m.stat.center);
}

}  // namespace sinew::draft
