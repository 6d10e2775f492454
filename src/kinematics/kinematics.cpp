#include "kinematics/kinematics.h"

#include <algorithm>
#include <array>
#include <span>

#include "math/kernel.h"
#include "math/quat.h"
#include "math/types.h"
#include "model/awake.h"
#include "model/inputs.h"
#include "model/tree_pieces.h"
#include "model/workspace.h"

// Three passes over the bodies instead of one: what a pass reads was written long enough ago to have left the store
// buffer. Small vectors are handled as scalars for the same reason; packed loads of fresh scalars cost 2x in all.

namespace sinew {
namespace {

/// By force: what follows is used in two places, and one of them is the busiest loop of this file.
#define SINEW_INLINE inline __attribute__((always_inline))

struct BodyFrame {
  double x, y, z;
  Quat quat;

  Vec3 pos() const { return {x, y, z}; }
  void setPos(const Vec3& p) { x = p.x(), y = p.y(), z = p.z(); }
};

void store3(double* to, const Vec3& v) { to[0] = v.x(), to[1] = v.y(), to[2] = v.z(); }
Vec3 load3(const double* v) { return {v[0], v[1], v[2]}; }

/// Without a call, unlike std::copy_n, which has to think of ranges that overlap.
template <int N>
SINEW_INLINE void copyFew(const double* from, double* to) {
  std::array<double, N> numbers;
  for (std::size_t i = 0; i < N; ++i) numbers[i] = from[i];
  for (std::size_t i = 0; i < N; ++i) to[i] = numbers[i];
}

/// p + R v for R row-major.
Vec3 transform(const double* p, const double* R, const double* v) {
  return {R[0] * v[0] + R[1] * v[1] + R[2] * v[2] + p[0], R[3] * v[0] + R[4] * v[1] + R[5] * v[2] + p[1],
          R[6] * v[0] + R[7] * v[1] + R[8] * v[2] + p[2]};
}

/// Mocap bodies are children of the world. A position or orientation that is none leaves them as they were.
BodyFrame mocapFrame(const Data& d, int mocap, int body) {
  const double* pos = d.mocap_pos.data() + 3 * mocap;
  const double* quat = d.mocap_quat.data() + 4 * mocap;
  if (!isUsablePosition(pos)) pos = d.xpos.data() + 3 * body;
  if (!isUsableQuat(quat)) quat = d.xquat.data() + 4 * body;
  return {pos[0], pos[1], pos[2], normalized(Quat::load(quat))};
}

/// The frame a body has before its own joints move it: the parent's frame times the fixed offset, or the mocap pose.
SINEW_INLINE BodyFrame restFrame(const Model& m, const Data& d, int body) {
  const int mocap = m.body_mocapid[body];
  if (mocap >= 0) return mocapFrame(d, mocap, body);
  const double* pos = m.body_pos.data() + 3 * body;
  const Quat quat = Quat::load(m.body_quat.data() + 4 * body);
  const int parent = m.body_parentid[body];
  if (parent == 0) return {pos[0], pos[1], pos[2], quat};
  const Vec3 p = transform(d.xpos.data() + 3 * parent, d.xmat.data() + 9 * parent, pos);
  return {p.x(), p.y(), p.z(), Quat::load(d.xquat.data() + 4 * parent) * quat};
}

/// Moves `frame` by joint j; the axis and the anchor are those of the frame as the joints before it left it. Rotations
/// are about the anchor, which therefore stays where it is.
SINEW_INLINE void applyJoint(const Model& m, Data& d, int j, BodyFrame& frame) {
  const double* q = d.qpos.data() + m.jnt_qposadr[j];
  const double q0 = m.qpos0[m.jnt_qposadr[j]];
  const Vec3 axis_body = load3(m.jnt_axis.data() + 3 * j);
  const Vec3 anchor_body = load3(m.jnt_pos.data() + 3 * j);
  const bool atOrigin = anchor_body.x() == 0 && anchor_body.y() == 0 && anchor_body.z() == 0;
  const Vec3 axis = rotate(frame.quat, axis_body);
  const Vec3 anchor = atOrigin ? frame.pos() : Vec3(rotate(frame.quat, anchor_body) + frame.pos());
  store3(d.xaxis.data() + 3 * j, axis);
  store3(d.xanchor.data() + 3 * j, anchor);

  switch (m.jnt_type[j]) {
    case JointType::Slide:
      frame.setPos(frame.pos() + axis * (*q - q0));
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
  if (!atOrigin) frame.setPos(anchor - rotate(frame.quat, anchor_body));
}

SINEW_INLINE BodyFrame bodyFrame(const Model& m, Data& d, int body) {
  const int first = m.body_jntadr[body];
  const int last = first + m.body_jntnum[body];
  if (first < last && m.jnt_type[first] == JointType::Free) {
    const double* q = d.qpos.data() + m.jnt_qposadr[first];
    store3(d.xanchor.data() + 3 * first, load3(q));
    store3(d.xaxis.data() + 3 * first, load3(m.jnt_axis.data() + 3 * first));
    return {q[0], q[1], q[2], normalized(Quat::load(q + 3))};
  }
  BodyFrame frame = restFrame(m, d, body);
  for (int j = first; j < last; ++j) applyJoint(m, d, j, frame);
  return frame;
}

/// What frames fixed to bodies are placed by, of several frames in a row.
struct FixedFrames {
  int begin, end;
  const int* body;  ///< of each; null: frame i is one of body i
  const SameFrame* same;
  const double *pos, *quat;
  double *xpos, *xmat;
};

/// Four numbers in another order.
#define SINEW_SHUFFLED(v, a, b, c, d) __builtin_shufflevector(v, v, a, b, c, d)

SINEW_INLINE void store3(double* to, const Wide& v) { to[0] = v[0], to[1] = v[1], to[2] = v[2]; }

/// As storeMatrix() of math/quat.h, bit for bit.
SINEW_INLINE void storeMatrix(const Wide& q, double* R) {
  if (q[0] == 1) return sinew::storeMatrix(Quat{q[0], q[1], q[2], q[3]}, R);  // the identity, perhaps
  const Wide xy_xz_yz = SINEW_SHUFFLED(q, 1, 1, 2, 0) * SINEW_SHUFFLED(q, 2, 3, 3, 0);
  const Wide wz_wy_wx = q[0] * SINEW_SHUFFLED(q, 3, 2, 1, 0);
  const Wide sum = 2 * (xy_xz_yz + wz_wy_wx), difference = 2 * (xy_xz_yz - wz_wy_wx);
  const Wide square = q * q;
  const Wide diagonal =
      square[0] + square[1] * Wide{1, -1, -1, 0} + square[2] * Wide{-1, 1, -1, 0} + square[3] * Wide{-1, -1, 1, 0};
  R[0] = diagonal[0], R[4] = diagonal[1], R[8] = diagonal[2];
  R[3] = sum[0], R[2] = sum[1], R[7] = sum[2];
  R[1] = difference[0], R[6] = difference[1], R[5] = difference[2];
}

/// World poses of frames fixed to bodies. Where the frames coincide the body's own pose is copied, not recomputed.
SINEW_KERNEL void placeOnBodies(const Data& d, const FixedFrames& frames, bool sleepers) {
  int body = -1;
  Wide column[3] = {}, origin = {};  // its pose
  double w = 0, x = 0, y = 0, z = 0;
  for (int i = frames.begin; i < frames.end; ++i) {
    const int own = frames.body ? frames.body[i] : i;
    if (sleepers && bodyAsleep(d, own)) continue;
    const double *bodyPos = d.xpos.data() + 3 * own, *bodyMat = d.xmat.data() + 9 * own;
    if (own != body) {
      body = own;
      for (int k = 0; k < 3; ++k) column[k] = Wide{bodyMat[k], bodyMat[k + 3], bodyMat[k + 6], 0};
      origin = Wide{bodyPos[0], bodyPos[1], bodyPos[2], 0};
      const double* q = d.xquat.data() + 4 * own;
      w = q[0], x = q[1], y = q[2], z = q[3];
    }
    double *xpos = frames.xpos + 3 * i, *xmat = frames.xmat + 9 * i;
    switch (frames.same[i]) {
      case SameFrame::Body:
        copyFew<3>(bodyPos, xpos);
        break;
      case SameFrame::Inertia:
        copyFew<3>(d.xipos.data() + 3 * own, xpos);
        break;
      default: {  // origin + R pos
        const double* pos = frames.pos + 3 * i;
        store3(xpos, column[0] * pos[0] + column[1] * pos[1] + column[2] * pos[2] + origin);
      }
    }
    switch (frames.same[i]) {
      case SameFrame::None: {  // the product of quaternions
        const Wide b = loadWide(frames.quat + 4 * i);
        storeMatrix(w * b + x * (SINEW_SHUFFLED(b, 1, 0, 3, 2) * Wide{-1, 1, -1, 1}) +
                        y * (SINEW_SHUFFLED(b, 2, 3, 0, 1) * Wide{-1, 1, 1, -1}) +
                        z * (SINEW_SHUFFLED(b, 3, 2, 1, 0) * Wide{-1, -1, 1, 1}),
                    xmat);
        break;
      }
      case SameFrame::Body:
      case SameFrame::BodyRot:
        copyFew<9>(bodyMat, xmat);
        break;
      case SameFrame::Inertia:
      case SameFrame::InertiaRot:
        copyFew<9>(d.ximat.data() + 9 * own, xmat);
        break;
    }
  }
}

#undef SINEW_SHUFFLED

SINEW_KERNEL void placeBodies(const Model& m, Data& d, std::span<const int> bodies) {
  for (const int i : bodies) {
    const BodyFrame frame = bodyFrame(m, d, i);
    const Quat quat = normalized(frame.quat);
    store3(d.xpos.data() + 3 * i, frame.pos());
    quat.store(d.xquat.data() + 4 * i);
    sinew::storeMatrix(quat, d.xmat.data() + 9 * i);
  }
}

/// Bodies of a piece, their inertial frames and their geoms.
void placeTrees(const Model& m, Data& d, const TreePiece& piece, bool sleepers) {
  placeBodies(m, d, piece.bodies(awakeBodies(d)));
  placeOnBodies(d,
                {.begin = std::max(1, piece.body),
                 .end = piece.bodyEnd,
                 .body = nullptr,
                 .same = m.body_sameframe.data(),
                 .pos = m.body_ipos.data(),
                 .quat = m.body_iquat.data(),
                 .xpos = d.xipos.data(),
                 .xmat = d.ximat.data()},
                sleepers);
  placeOnBodies(d,
                {.begin = piece.geom,
                 .end = piece.geomEnd,
                 .body = m.geom_bodyid.data(),
                 .same = m.geom_sameframe.data(),
                 .pos = m.geom_pos.data(),
                 .quat = m.geom_quat.data(),
                 .xpos = d.geom_xpos.data(),
                 .xmat = d.geom_xmat.data()},
                sleepers);
}

void setIdentityFrame(double* pos, double* mat) {
  std::fill_n(pos, 3, 0.0);
  sinew::storeMatrix(Quat{}, mat);
}

}  // namespace

bool hasMoved(const Model& m, Data& d, int body) {
  const int joint = m.body_jntadr[body];
  if (m.body_jntnum[body] == 1 && m.jnt_type[joint] == JointType::Free) {
    // the usual case; a quaternion that has unit length already was taken over as it is
    const double* given = d.qpos.data() + m.jnt_qposadr[joint];
    if (std::equal(given, given + 3, &d.xpos[3 * body]) && std::equal(given + 3, given + 7, &d.xquat[4 * body])) {
      return false;
    }
  }
  const BodyFrame frame = bodyFrame(m, d, body);
  const Quat quat = normalized(frame.quat);
  const double *p = d.xpos.data() + 3 * body, *q = d.xquat.data() + 4 * body;
  return frame.x != p[0] || frame.y != p[1] || frame.z != p[2] || quat.w != q[0] || quat.x != q[1] || quat.y != q[2] ||
         quat.z != q[3];
}

void kinematics(const Model& m, Data& d) {
  ++d.work->queryTrees.placed;
  setIdentityFrame(d.xpos.data(), d.xmat.data());
  setIdentityFrame(d.xipos.data(), d.ximat.data());
  Quat{}.store(d.xquat.data());

  const bool sleepers = someAsleep(m, d);
  forEachTreePiece(m, d, [&](const TreePiece& piece) { placeTrees(m, d, piece, sleepers); });
  placeOnBodies(d,
                {.begin = 0,
                 .end = m.nsite,
                 .body = m.site_bodyid.data(),
                 .same = m.site_sameframe.data(),
                 .pos = m.site_pos.data(),
                 .quat = m.site_quat.data(),
                 .xpos = d.site_xpos.data(),
                 .xmat = d.site_xmat.data()},
                sleepers);
}

}  // namespace sinew
