#include "constraint/prescribed.h"

#include <algorithm>
#include <array>

#include "constraint/row_builder.h"
#include "kinematics/jacobian.h"
#include "kinematics/side.h"
#include "math/quat.h"
#include "model/inputs.h"
#include "model/workspace.h"

namespace sinew {
namespace {

/// What mocap bodies give to material points, beside what dofs do.
class Prescribed {
 public:
  Prescribed(const Model& m, const Data& d, std::span<const double> velocity) : m_(m), d_(d), velocity_(velocity) {}

  PointVelocity at(Carrier carrier, const Vec3& p) const {
    if (carrier.isNode()) return {Vec3::Zero(), Vec3::Zero()};
    const int root = m_.body_rootid[carrier.body()], mocap = m_.body_mocapid[root];
    if (mocap < 0) return {Vec3::Zero(), Vec3::Zero()};
    const double* v = velocity_.data() + 6 * mocap;
    const Vec3 w = ConstMapVec3(v + 3);
    return {ConstMapVec3(v) + w.cross(p - vec3(d_.xpos.data(), root)), w};
  }

  /// Of the second side of a contact against the first.
  PointVelocity between(const Contact& contact) const {
    const Vec3 p = ConstMapVec3(contact.pos.data());
    PointVelocity sum{Vec3::Zero(), Vec3::Zero()};
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      Side(m_, d_, contact, side).forEachCarrier([&](Carrier carrier, double weight) {
        const PointVelocity v = at(carrier, p);
        sum.linear += (side == 0 ? -weight : weight) * v.linear;
        sum.angular += (side == 0 ? -weight : weight) * v.angular;
      });
    }
    return sum;
  }

 private:
  const Model& m_;
  const Data& d_;
  std::span<const double> velocity_;
};

/// A row moves faster by c than J qvel says.
void addToRow(const Model& m, Data& d, int row, double c) {
  d.efc_vel[row] += c;
  if (m.opt.solver == Solver::Impulse) {
    d.work->row_drive[row] += c;
  } else {
    d.efc_aref[row] -= d.efc_KBIP[4 * row + 1] * c;
  }
}

void addToContact(const Model& m, Data& d, const Contact& contact, const PointVelocity& v) {
  const ConstMapMat3 frame(contact.frame.data());
  std::array<double, 6> c;
  MapVec3(c.data()) = frame * v.linear;
  MapVec3(c.data() + 3) = frame * v.angular;
  const int row = contact.efc_address;
  if (d.efc_type[row] != RowType::ContactPyramidal) {
    for (int k = 0; k < contact.dim; ++k) addToRow(m, d, row + k, c[k]);
    return;
  }
  for (int k = 1; k < contact.dim; ++k) {
    const double slip = contact.friction[k - 1] * c[k];
    addToRow(m, d, row + 2 * (k - 1), c[0] + slip);
    addToRow(m, d, row + 2 * (k - 1) + 1, c[0] - slip);
  }
}

void addToEquality(const Model& m, Data& d, int equality, int row, const Prescribed& prescribed) {
  const EqualityType type = m.eq_type[equality];
  if (type != EqualityType::Connect && type != EqualityType::Weld) return;
  const EqualityAnchors a = equalityAnchors(m, d, equality);
  const PointVelocity v1 = prescribed.at(a.carrier1, a.pos1), v2 = prescribed.at(a.carrier2, a.pos2);
  for (int i = 0; i < 3; ++i) addToRow(m, d, row + i, v1.linear[i] - v2.linear[i]);
  if (type == EqualityType::Connect) return;
  constexpr int kNumbers = 11;  // per equality in eq_data; the last one is the scale of rotations
  const WeldFrames frames = weldFrames(m, d, equality);
  const Vec3 w = v1.angular - v2.angular;
  const Vec3 rate = 0.5 * m.eq_data[kNumbers * equality + kNumbers - 1] *
                    (frames.q2.conjugate() * Quat{0, w.x(), w.y(), w.z()} * frames.q1).vec();
  for (int i = 0; i < 3; ++i) addToRow(m, d, row + 3 + i, rate[i]);
}

}  // namespace

void addPrescribedVelocity(const Model& m, Data& d, std::span<const double> velocity) {
  const Prescribed prescribed(m, d, velocity);
  for (const RowBlock& block : d.row_block) {
    const RowType type = d.efc_type[block.row];
    const int id = d.efc_id[block.row];
    if (type == RowType::Equality) addToEquality(m, d, id, block.row, prescribed);
    if (type >= RowType::ContactFrictionless) addToContact(m, d, d.contact[id], prescribed.between(d.contact[id]));
  }
}

void advanceMocap(const Model& m, Data& d, std::span<const double> velocity, double h) {
  for (int i = 0; i < m.nmocap; ++i) {
    const double* v = velocity.data() + 6 * i;
    for (int k = 0; k < 3; ++k) d.mocap_pos[3 * i + k] += h * v[k];
    double* quat = d.mocap_quat.data() + 4 * i;
    const Vec3 w = ConstMapVec3(v + 3);
    if (w.isZero(0) || !isUsableQuat(quat)) continue;
    const Quat now = normalized(Quat::load(quat));
    integrated(now, rotate(now.conjugate(), w), h).store(quat);
  }
}

}  // namespace sinew
