#include "sensor/contact_sensor.h"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "constraint/constraint.h"
#include "geom/ray.h"
#include "kinematics/side.h"
#include "math/types.h"
#include "model/workspace.h"
#include "sensor/object_frame.h"

namespace sinew {
namespace {

/// Bits of intprm[0], in the order of the output.
enum Field : int {
  kFound = 1 << 0,
  kForce = 1 << 1,
  kTorque = 1 << 2,
  kDistance = 1 << 3,
  kPosition = 1 << 4,
  kNormal = 1 << 5,
  kTangent = 1 << 6
};

/// intprm[1]
enum Reduce : int { kNone = 0, kMinDist, kMaxForce, kNetForce };

/// One slot of output.
struct Values {
  int found = 0;  ///< contacts that match, in all slots together
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  double dist = 0;
  Vec3 pos = Vec3::Zero(), normal = Vec3::Zero(), tangent = Vec3::Zero();
};

/// Appends the chosen fields; returns the end.
double* writeFields(double* out, int fields, const Values& values) {
  const auto put = [&out](const Vec3& v) {
    MapVec3{out} = v;
    out += 3;
  };
  if (fields & kFound) *out++ = values.found;
  if (fields & kForce) put(values.force);
  if (fields & kTorque) put(values.torque);
  if (fields & kDistance) *out++ = values.dist;
  if (fields & kPosition) put(values.pos);
  if (fields & kNormal) put(values.normal);
  if (fields & kTangent) put(values.tangent);
  return out;
}

/// A contact that the sensor sees.
struct Match {
  int contact = 0;
  bool isFlipped = false;  ///< its normal points the other way than the sensor wants it
  double rank = 0;         ///< smaller comes first
};

/// Does one side of a contact belong to the object? Every side belongs to a site: that is a filter on the position.
bool belongsTo(const Model& m, const Data& d, const Contact& contact, std::size_t side, ObjType type, int id) {
  switch (type) {
    case ObjType::Geom:
      return contact.geom[side] == id;
    case ObjType::Body:
      return Side(m, d, contact, side).body() == id;
    case ObjType::XBody: {
      int body = Side(m, d, contact, side).body();
      while (body > id) body = m.body_parentid[body];
      return body == id;
    }
    default:
      return true;
  }
}

/// Does the sensor see the contact? Sets whether its normal must be turned round.
bool matches(const Model& m, const Data& d, int sensor, const Contact& contact, bool& isFlipped) {
  const ObjType type1 = m.sensor_objtype[sensor], type2 = m.sensor_reftype[sensor];
  const int id1 = m.sensor_objid[sensor], id2 = m.sensor_refid[sensor];
  isFlipped = false;
  if (type1 == ObjType::Site && !isInsideSite(m, d, id1, ConstMapVec3(contact.pos.data()))) return false;

  // the two objects and the two sides, in either order
  const bool first1 = belongsTo(m, d, contact, 0, type1, id1), second1 = belongsTo(m, d, contact, 1, type1, id1);
  const bool first2 = belongsTo(m, d, contact, 0, type2, id2), second2 = belongsTo(m, d, contact, 1, type2, id2);
  if (type1 != ObjType::Unknown && type2 != ObjType::Unknown) {
    const bool asStored = first1 && second2;
    isFlipped = !asStored;
    return asStored || (second1 && first2);
  }
  if (type1 != ObjType::Unknown) {
    isFlipped = !first1;
    return first1 || second1;
  }
  if (type2 != ObjType::Unknown) {
    isFlipped = !second2;
    return first2 || second2;
  }
  return true;
}

double rankOf(const Model& m, const Data& d, int contact, int reduce) {
  if (reduce == kMinDist) return d.contact[contact].dist;
  if (reduce == kMaxForce) {
    const std::array<double, 6> force = forceOfContact(m, d, contact);
    return -vec3(force.data(), 0).squaredNorm();
  }
  return 0;
}

/// What one contact reads in its own frame. Turned round, the frame is rotated by half a turn about its last axis, and
/// the force of the other side is equal and opposite: only its last component changes.
Values valuesOf(const Model& m, const Data& d, const Match& match, int found) {
  const Contact& contact = d.contact[match.contact];
  const std::array<double, 6> force = forceOfContact(m, d, match.contact);
  const ConstMapMat3 frame(contact.frame.data());
  Values v{found,
           vec3(force.data(), 0),
           vec3(force.data(), 1),
           contact.dist,
           ConstMapVec3(contact.pos.data()),
           frame.row(0).transpose(),
           frame.row(1).transpose()};
  if (match.isFlipped) {
    v.force[2] *= -1;
    v.torque[2] *= -1;
    v.normal *= -1;
    v.tangent *= -1;
  }
  return v;
}

/// All contacts together: the wrench in world axes at the force-weighted mean of the contact points.
Values netValues(const Model& m, const Data& d, std::span<const Match> found) {
  Values net;
  net.found = static_cast<int>(found.size());
  net.normal = Vec3::UnitX();
  net.tangent = Vec3::UnitY();
  double weights = 0;
  for (const Match& match : found) {
    const std::array<double, 6> force = forceOfContact(m, d, match.contact);
    const double weight = vec3(force.data(), 0).norm();
    net.pos += weight * ConstMapVec3(d.contact[match.contact].pos.data());
    weights += weight;
  }
  net.pos /= std::max(weights, kMinVal);
  for (const Match& match : found) {
    const Contact& contact = d.contact[match.contact];
    const std::array<double, 6> local = forceOfContact(m, d, match.contact);
    const double sign = match.isFlipped ? -1 : 1;
    const Mat3 toWorld = sign * ConstMapMat3(contact.frame.data()).transpose();
    const Vec3 force = toWorld * vec3(local.data(), 0);
    net.force += force;
    net.torque += toWorld * vec3(local.data(), 1) + (ConstMapVec3(contact.pos.data()) - net.pos).cross(force);
  }
  return net;
}

}  // namespace

double touchForce(const Model& m, const Data& d, int site) {
  const int body = m.site_bodyid[site];
  double total = 0;
  for (int i = 0; i < d.ncon(); ++i) {
    const Contact& contact = d.contact[i];
    if (contact.efc_address < 0) continue;
    const bool isSecond = Side(m, d, contact, 1).body() == body;
    if (!isSecond && Side(m, d, contact, 0).body() != body) continue;
    const double force = forceOfContact(m, d, i)[0];
    if (force <= 0) continue;
    const Vec3 normal = ConstMapVec3(contact.frame.data());
    const geom::Ray ray{ConstMapVec3(contact.pos.data()), isSecond ? Vec3(-normal) : normal};
    if (geom::rayShape(m.site_type[site], vec3(m.site_size.data(), site), vec3(d.site_xpos.data(), site),
                       mat3(d.site_xmat.data(), site), ray)
            .isHit()) {
      total += force;
    }
  }
  return total;
}

void contactSensor(const Model& m, Data& d, int sensor, double* out) {
  const int fields = m.sensor_intprm[3 * sensor];
  const int reduce = m.sensor_intprm[3 * sensor + 1];
  const int slots = m.sensor_intprm[3 * sensor + 2];
  std::fill_n(out, m.sensor_dim[sensor], 0.0);

  const Arena::Scope scope(d.work->arena);
  const std::span<Match> room = d.work->arena.take<Match>(d.ncon());
  std::size_t count = 0;
  for (int i = 0; i < d.ncon(); ++i) {
    bool isFlipped = false;
    if (matches(m, d, sensor, d.contact[i], isFlipped)) room[count++] = {i, isFlipped, rankOf(m, d, i, reduce)};
  }
  const std::span<Match> found = room.first(count);
  if (reduce == kNetForce) {
    writeFields(out, fields, netValues(m, d, found));
    return;
  }
  std::sort(found.begin(), found.end(), [](const Match& a, const Match& b) {
    return std::tuple(a.rank, a.contact) < std::tuple(b.rank, b.contact);
  });
  for (const Match& match : found.first(std::min(count, static_cast<std::size_t>(slots)))) {
    out = writeFields(out, fields, valuesOf(m, d, match, static_cast<int>(count)));
  }
}

}  // namespace sinew
