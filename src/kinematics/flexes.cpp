#include "kinematics/flexes.h"

#include <algorithm>

#include "kinematics/interpolate.h"
#include "kinematics/kinematics.h"
#include "kinematics/side.h"
#include "math/quat.h"
#include "model/awake.h"
#include "model/workspace.h"

namespace sinew {
namespace {

/// A flex whose vertices are its points.
bool carriesItself(const Model& m, int flex) { return m.flex_interp[flex] == 0; }

Vec3 placeOf(const Model& m, const Data& d, int point) {
  const int node = m.flexpoint_nodeid[point];
  if (node >= 0) return vec3(d.qpos.data() + m.nq_rigid, node);
  const int body = m.flexpoint_bodyid[point];
  return vec3(d.xpos.data(), body) + mat3(d.xmat.data(), body) * vec3(m.flexpoint_pos.data(), point);
}

void placePoints(const Model& m, Data& d, int flex) {
  const int end = m.flex_pointadr[flex] + m.flex_pointnum[flex];
  for (int p = m.flex_pointadr[flex]; p < end; ++p) vec3(d.flexpoint_xpos.data(), p) = placeOf(m, d, p);
}

}  // namespace

bool pointHasMoved(const Model& m, const Data& d, int point) {
  return placeOf(m, d, point) != vec3(d.flexpoint_xpos.data(), point);
}

void flexes(const Model& m, Data& d) {
  ++d.work->queryTrees.placed;
  for (int f = 0; f < m.nflex; ++f) {
    if (flexAsleep(m, d, f)) continue;
    placePoints(m, d, f);
    interpolate(m, f, d.flexpoint_xpos.data(), d.flexvert_xpos.data(), d.work->arena);
    const double* x = d.flexvert_xpos.data() + 3 * m.flex_vertadr[f];
    for (int e = m.flex_edgeadr[f]; e < m.flex_edgeadr[f] + m.flex_edgenum[f]; ++e) {
      d.flexedge_length[e] = (vec3(x, m.flex_edge[2 * e + 1]) - vec3(x, m.flex_edge[2 * e])).norm();
    }
  }
}

namespace {

void pointVelocities(const Model& m, Data& d, int flex) {
  for (int p = m.flex_pointadr[flex]; p < m.flex_pointadr[flex] + m.flex_pointnum[flex]; ++p) {
    const int node = m.flexpoint_nodeid[p];
    if (node >= 0) {
      std::copy_n(d.qvel.data() + m.nv_rigid + 3 * node, 3, d.flexpoint_xvel.data() + 3 * p);
    } else {
      vec3(d.flexpoint_xvel.data(), p) =
          pointVelocity(m, d, m.flexpoint_bodyid[p], vec3(d.flexpoint_xpos.data(), p)).linear;
    }
  }
}

}  // namespace

void flexVelocities(const Model& m, Data& d) {
  for (int f = 0; f < m.nflex; ++f) {
    if (flexAsleep(m, d, f)) continue;
    pointVelocities(m, d, f);
    if (!carriesItself(m, f)) continue;
    const double* x = d.flexvert_xpos.data() + 3 * m.flex_vertadr[f];
    const double* v = d.flexpoint_xvel.data() + 3 * m.flex_pointadr[f];
    for (int e = m.flex_edgeadr[f]; e < m.flex_edgeadr[f] + m.flex_edgenum[f]; ++e) {
      const int a = m.flex_edge[2 * e], b = m.flex_edge[2 * e + 1];
      const double length = d.flexedge_length[e];
      const Vec3 along = vec3(x, b) - vec3(x, a);
      d.flexedge_velocity[e] = length > elastic::kMinLength ? along.dot(vec3(v, b) - vec3(v, a)) / length : 0;
    }
  }
}

Vec3 restOfPoint(const Model& m, int point) {
  const int node = m.flexpoint_nodeid[point];
  if (node >= 0) return vec3(m.qpos0.data() + m.nq_rigid, node);
  Vec3 x = vec3(m.flexpoint_pos.data(), point);
  for (int b = m.flexpoint_bodyid[point]; b > 0; b = m.body_parentid[b]) {
    x = vec3(m.body_pos.data(), b) + rotate(Quat::load(&m.body_quat[4 * b]), x);
  }
  return x;
}

Vec3 pointOfCarrier(const Model& m, const Data& d, Carrier carrier, const Vec3& local) {
  const int body = carrier.body(), node = carrier.node();
  if (carrier.isBody()) return vec3(d.xpos.data(), body) + mat3(d.xmat.data(), body) * local;
  return vec3(d.qpos.data() + m.nq_rigid, node) + mat3(d.xmat.data(), m.flexnode_bodyid[node]) * local;
}

void addPointForce(const Model& m, const Data& d, int point, const Vec3& force, double* qfrc) {
  addForce(m, d, Carrier::ofPoint(m, point), vec3(d.flexpoint_xpos.data(), point), force, Vec3::Zero(), qfrc);
}

}  // namespace sinew
