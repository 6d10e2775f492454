#include "sensor/object_frame.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "kinematics/jacobian.h"

namespace sinew {
namespace {

/// Is the point (in the frame of the shape) strictly inside?
bool isInside(GeomType type, const Vec3& size, const Vec3& p) {
  const double radial = p.x() * p.x() + p.y() * p.y();
  switch (type) {
    case GeomType::Sphere:
      return p.squaredNorm() < size[0] * size[0];
    case GeomType::Capsule: {
      const double beyond = p.z() - std::clamp(p.z(), -size[1], size[1]);
      return radial + beyond * beyond < size[0] * size[0];
    }
    case GeomType::Ellipsoid:
      return p.cwiseQuotient(size).squaredNorm() < 1;
    case GeomType::Cylinder:
      return std::abs(p.z()) < size[1] && radial < size[0] * size[0];
    case GeomType::Box:
      return (p.cwiseAbs().array() < size.array()).all();
    case GeomType::Plane:
      return p.z() < 0;
    default:
      return false;
  }
}

bool moves(const Model& m, int body) { return m.body_dofnum[m.body_weldid[body]] > 0; }

}  // namespace

ObjectFrame objectFrame(const Model& m, const Data& d, ObjType type, int id) {
  switch (type) {
    case ObjType::Body:
      return {id, vec3(d.xipos.data(), id), mat3(d.ximat.data(), id)};
    case ObjType::Geom:
      return {m.geom_bodyid[id], vec3(d.geom_xpos.data(), id), mat3(d.geom_xmat.data(), id)};
    case ObjType::Site:
      return {m.site_bodyid[id], vec3(d.site_xpos.data(), id), mat3(d.site_xmat.data(), id)};
    case ObjType::Camera:
      return {m.cam_bodyid[id], vec3(d.cam_xpos.data(), id), mat3(d.cam_xmat.data(), id)};
    default:
      assert(type == ObjType::XBody);
      return {id, vec3(d.xpos.data(), id), mat3(d.xmat.data(), id)};
  }
}

Quat objectQuat(const Model& m, const Data& d, ObjType type, int id) {
  const auto composed = [&](int body, const Array<double>& local) {
    return Quat::load(&d.xquat[4 * body]) * Quat::load(&local[4 * id]);
  };
  switch (type) {
    case ObjType::Body:
      return composed(id, m.body_iquat);
    case ObjType::Geom:
      return composed(m.geom_bodyid[id], m.geom_quat);
    case ObjType::Site:
      return composed(m.site_bodyid[id], m.site_quat);
    case ObjType::Camera:
      return composed(m.cam_bodyid[id], m.cam_quat);
    default:
      assert(type == ObjType::XBody);
      return Quat::load(&d.xquat[4 * id]);
  }
}

FrameMotion frameVelocity(const Model& m, const Data& d, const ObjectFrame& frame) {
  if (!moves(m, frame.body)) return {};
  const PointVelocity v = pointVelocity(m, d, frame.body, frame.pos);
  return {v.linear, v.angular};
}

FrameMotion frameAcceleration(const Model& m, const Data& d, const ObjectFrame& frame) {
  if (!moves(m, frame.body)) return {};
  const PointVelocity a = pointAcceleration(m, d, frame.body, frame.pos);
  return {a.linear, a.angular};
}

bool isInsideSite(const Model& m, const Data& d, int site, const Vec3& point) {
  const Vec3 local = mat3(d.site_xmat.data(), site).transpose() * (point - vec3(d.site_xpos.data(), site));
  return isInside(m.site_type[site], vec3(m.site_size.data(), site), local);
}

}  // namespace sinew
