#include "kinematics/kinematics.h"
#include "math/quat.h"
#include "math/types.h"

namespace sinew {
namespace {

/// Rotation whose -z axis looks from `eye` at `target`, x kept horizontal.
Mat3 lookAt(const Vec3& eye, const Vec3& target) {
  const Vec3 z = normalizedOrX(eye - target);
  const Vec3 x = normalizedOrX(Vec3::UnitZ().cross(z));
  const Vec3 y = normalizedOrX(z.cross(x));
  Mat3 R;
  R.col(0) = x;
  R.col(1) = y;
  R.col(2) = z;
  return R;
}

}  // namespace

void cameras(const Model& m, Data& d) {
  for (int i = 0; i < m.ncam; ++i) {
    const int body = m.cam_bodyid[i];
    const int target = m.cam_targetbodyid[i];
    MapVec3 xpos = vec3(d.cam_xpos.data(), i);
    MapMat3 xmat = mat3(d.cam_xmat.data(), i);
    const Vec3 fixed = mat3(d.xmat.data(), body) * vec3(m.cam_pos.data(), i) + vec3(d.xpos.data(), body);
    xpos = fixed;
    xmat = toMatrix(Quat::load(&d.xquat[4 * body]) * Quat::load(&m.cam_quat[4 * i]));

    switch (m.cam_mode[i]) {
      case CameraMode::Fixed:
        break;
      case CameraMode::Track:
        xpos = vec3(d.xpos.data(), body) + vec3(m.cam_pos0.data(), i);
        xmat = mat3(m.cam_mat0.data(), i);
        break;
      case CameraMode::TrackCom:
        xpos = vec3(d.subtree_com.data(), body) + vec3(m.cam_poscom0.data(), i);
        xmat = mat3(m.cam_mat0.data(), i);
        break;
      case CameraMode::TargetBody:
        if (target >= 0) xmat = lookAt(fixed, vec3(d.xpos.data(), target));
        break;
      case CameraMode::TargetBodyCom:
        if (target >= 0) xmat = lookAt(fixed, vec3(d.subtree_com.data(), target));
        break;
    }
  }
}

}  // namespace sinew
