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

Box boundsOf(const Model& m, const Data& d) {
  Box box;
  for (int b = 1; b < m.nbody; ++b) {
    box.add(vec3(d.xpos.data(), b), 0);
    box.add(vec3(d.xipos.data(), b), 0);
  }
  for (int j = 0; j < m.njnt; ++j) box.add(vec3(d.xanchor.data(), j), 0);
  for (int s = 0; s < m.nsite; ++s) box.add(vec3(d.site_xpos.data(), s), 0);
  for (int g = 0; g < m.ngeom; ++g) box.add(vec3(d.geom_xpos.data(), g), radiusOf(m, g));
  return box;
}

/// Size of each body: how far joints (its own and its children's) and geoms reach from its centre of mass.
std::vector<double> bodySizes(const Model& m, const Data& d) {
  std::vector<double> size(static_cast<std::size_t>(m.nbody), 0.0);
  const auto reach = [&](int body, double distance) {
    double& s = size[static_cast<std::size_t>(body)];
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
  for (int b = 1; b < m.nbody; ++b) reach(b, 1e-5);
  return size;
}

void writeDofLengths(const std::vector<double>& bodySize, Model& m) {
  for (int i = 0; i < m.nv_rigid; ++i) {  // those of nodes are lengths
    const int joint = m.dof_jntid[i];
    const JointType type = m.jnt_type[joint];
    const bool rotation = type == JointType::Ball || type == JointType::Hinge ||
                          (type == JointType::Free && i - m.jnt_dofadr[joint] >= 3);
    m.dof_length[i] = rotation ? bodySize[static_cast<std::size_t>(m.dof_bodyid[i])] : 1;
  }
}

}  // namespace

void writeStatistics(const spec::Statistic& given, Model& m, const Data& d) {
  const Box box = boundsOf(m, d);
  const Vec3 center = 0.5 * (box.lower + box.upper), sides = box.upper - box.lower;
  m.stat.center = {center[0], center[1], center[2]};
  if (box.upper[0] > box.lower[0]) m.stat.extent = std::max(1e-5, sides.maxCoeff());

  const std::vector<double> size = bodySizes(m, d);
  writeDofLengths(size, m);
  if (m.nbody > 1) {
    m.stat.meansize = m.stat.meanmass = 0;
    for (int b = 1; b < m.nbody; ++b) {
      m.stat.meansize += size[static_cast<std::size_t>(b)] / (m.nbody - 1);
      m.stat.meanmass += m.body_mass[b];
    }
    m.stat.meanmass /= m.nbody - 1;
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
