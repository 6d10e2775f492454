#include "kinematics/side.h"

#include "base/check.h"

namespace sinew {

void addForce(const Model& m, const Data& d, Carrier carrier, const Vec3& p, const Vec3& force, const Vec3& torque,
              double* qfrc) {
  SINEW_CHECK(carrier.code(m) >= 0 && carrier.code(m) < m.nbody + m.nflexnode, "there is no such carrier");
  if (carrier.isBody()) return addForce(m, d, carrier.body(), p, force, torque, qfrc);
  if (!m.flexnode_pinned[carrier.node()]) vec3(qfrc + m.nv_rigid, carrier.node()) += force;
}

PointVelocity velocityOf(const Model& m, const Data& d, Carrier carrier, const Vec3& p) {
  SINEW_CHECK(carrier.code(m) >= 0 && carrier.code(m) < m.nbody + m.nflexnode, "there is no such carrier");
  if (carrier.isBody()) return pointVelocity(m, d, carrier.body(), p);
  if (m.flexnode_pinned[carrier.node()]) return {Vec3::Zero(), Vec3::Zero()};
  return {vec3(d.qvel.data() + m.nv_rigid, carrier.node()), Vec3::Zero()};
}

int Side::body() const {
  int body = -1;
  for (int k = 0; k < count(); ++k) {
    const int behind = bodyBehind(m_, carrier(k));
    if (behind < 0 || (k > 0 && behind != body)) return -1;
    body = behind;
  }
  return body;
}

PointVelocity Side::velocity(const Vec3& p) const {
  PointVelocity mean{Vec3::Zero(), Vec3::Zero()};
  forEachCarrier([&](Carrier carrier, double w) {
    const PointVelocity v = velocityOf(m_, d_, carrier, p);
    mean.linear += w * v.linear;
    mean.angular += w * v.angular;
  });
  return mean;
}

void Side::addForce(const Vec3& p, const Vec3& force, const Vec3& torque, double* qfrc) const {
  forEachCarrier([&](Carrier carrier, double w) { sinew::addForce(m_, d_, carrier, p, w * force, w * torque, qfrc); });
}

double Side::translationWeight() const {
  double sum = 0;
  forEachCarrier([&](Carrier carrier, double w) { sum += w * sinew::translationWeight(m_, carrier); });
  return sum;
}

double Side::rotationWeight() const {
  double sum = 0;
  forEachCarrier([&](Carrier carrier, double w) { sum += w * sinew::rotationWeight(m_, carrier); });
  return sum;
}

}  // namespace sinew
