#include "kinematics/kinematics.h"

#include "math/quat.h"
#include "math/types.h"

namespace sinew {
namespace {

struct BodyFrame {
  Vec3 pos;
  Quat quat;
};

/// The frame a body has before its own joints move it: the parent's frame times the fixed offset, or the mocap pose.
BodyFrame restFrame(const Model& m, const Data& d, int body) {
  const int mocap = m.body_mocapid[body];
  const Vec3 pos = mocap >= 0 ? vec3(d.mocap_pos.data(), mocap) : vec3(m.body_pos.data(), body);
  const Quat quat =
      mocap >= 0 ? normalized(Quat::load(&d.mocap_quat[4 * mocap])) : Quat::load(m.body_quat.data() + 4 * body);
  const int parent = m.body_parentid[body];
  if (parent == 0) return {pos, quat};
  return {mat3(d.xmat.data(), parent) * pos + vec3(d.xpos.data(), parent),
          Quat::load(d.xquat.data() + 4 * parent) * quat};
}

/// Moves `frame` by joint j; the axis and the anchor are those of the frame as the joints before it left it. Rotations
/// are about the anchor, which therefore stays where it is.
void applyJoint(const Model& m, Data& d, int j, BodyFrame& frame) {
  const double* q = &d.qpos[m.jnt_qposadr[j]];
  const Vec3 axis_body = vec3(m.jnt_axis.data(), j);
  const Vec3 anchor_body = vec3(m.jnt_pos.data(), j);
  const Vec3 axis = rotate(frame.quat, axis_body);
  const Vec3 anchor = rotate(frame.quat, anchor_body) + frame.pos;
  vec3(d.xaxis.data(), j) = axis;
  vec3(d.xanchor.data(), j) = anchor;

  const double q0 = m.qpos0[m.jnt_qposadr[j]];
  switch (m.jnt_type[j]) {
    case JointType::Slide:
      frame.pos += axis * (*q - q0);
      return;
    case JointType::Hinge:
      frame.quat = frame.quat * fromAxisAngle(axis_body, *q - q0);
      break;
    case JointType::Ball:
      frame.quat = frame.quat * normalized(Quat::load(q));
      break;
    case JointType::Free:  // handled by bodyFrame(): it is always a body's only joint
      return;
  }
  frame.pos = anchor - rotate(frame.quat, anchor_body);
}

BodyFrame bodyFrame(const Model& m, Data& d, int body) {
  const int first = m.body_jntadr[body];
  const int last = first + m.body_jntnum[body];
  if (first < last && m.jnt_type[first] == JointType::Free) {
    const double* q = &d.qpos[m.jnt_qposadr[first]];
    const BodyFrame frame{Vec3(q[0], q[1], q[2]), normalized(Quat::load(q + 3))};
    vec3(d.xanchor.data(), first) = frame.pos;
    vec3(d.xaxis.data(), first) = vec3(m.jnt_axis.data(), first);
    return frame;
  }
  BodyFrame frame = restFrame(m, d, body);
  for (int j = first; j < last; ++j) applyJoint(m, d, j, frame);
  return frame;
}

/// World pose of a frame fixed to `body`. Where the frames coincide the body's own pose is copied, not recomputed.
void placeOnBody(const Data& d, int body, SameFrame same, const double* pos, const double* quat, double* xpos,
                 double* xmat) {
  switch (same) {
    case SameFrame::Body:
      vec3(xpos, 0) = vec3(d.xpos.data(), body);
      break;
    case SameFrame::Inertia:
      vec3(xpos, 0) = vec3(d.xipos.data(), body);
      break;
    default:
      vec3(xpos, 0).noalias() = mat3(d.xmat.data(), body) * vec3(pos, 0) + vec3(d.xpos.data(), body);
  }
  switch (same) {
    case SameFrame::None:
      mat3(xmat, 0) = toMatrix(Quat::load(d.xquat.data() + 4 * body) * Quat::load(quat));
      break;
    case SameFrame::Body:
    case SameFrame::BodyRot:
      mat3(xmat, 0) = mat3(d.xmat.data(), body);
      break;
    case SameFrame::Inertia:
    case SameFrame::InertiaRot:
      mat3(xmat, 0) = mat3(d.ximat.data(), body);
      break;
  }
}

}  // namespace

void kinematics(const Model& m, Data& d) {
  vec3(d.xpos.data(), 0).setZero();
  vec3(d.xipos.data(), 0).setZero();
  Quat{}.store(d.xquat.data());
  mat3(d.xmat.data(), 0).setIdentity();
  mat3(d.ximat.data(), 0).setIdentity();

  for (int i = 1; i < m.nbody; ++i) {
    const BodyFrame frame = bodyFrame(m, d, i);
    const Quat quat = normalized(frame.quat);
    vec3(d.xpos.data(), i) = frame.pos;
    quat.store(d.xquat.data() + 4 * i);
    mat3(d.xmat.data(), i) = toMatrix(quat);
    placeOnBody(d, i, m.body_sameframe[i], &m.body_ipos[3 * i], &m.body_iquat[4 * i], &d.xipos[3 * i], &d.ximat[9 * i]);
  }
  for (int i = 0; i < m.ngeom; ++i) {
    placeOnBody(d, m.geom_bodyid[i], m.geom_sameframe[i], &m.geom_pos[3 * i], &m.geom_quat[4 * i], &d.geom_xpos[3 * i],
                &d.geom_xmat[9 * i]);
  }
  for (int i = 0; i < m.nsite; ++i) {
    placeOnBody(d, m.site_bodyid[i], m.site_sameframe[i], &m.site_pos[3 * i], &m.site_quat[4 * i], &d.site_xpos[3 * i],
                &d.site_xmat[9 * i]);
  }
}

}  // namespace sinew
