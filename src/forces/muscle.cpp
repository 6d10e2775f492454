#include "forces/muscle.h"

#include <algorithm>

#include "math/types.h"

namespace sinew::muscle {
namespace {

double guarded(double denominator) { return std::max(kMinVal, denominator); }

double square(double x) { return x * x; }

/// The parameters of a muscle, unpacked, with the geometry that turns metres into normalized lengths.
struct Muscle {
  double peakForce;  // at optimal length and activation 1
  double lmin, lmax, vmax, fpmax, fvmax;
  double range0;         // normalized length at the lower end of the length range
  double lowerLength;    // lower end of the length range, m
  double optimalLength;  // L0, m

  Muscle(const Model& m, int u, const double* prm) {
    const double* lengthrange = &m.actuator_lengthrange[2 * m.actuator_outadr[u]];
    range0 = prm[0];
    // a negative force means: scaled so that the muscle accelerates the system by `scale` at qpos0
    peakForce = prm[2] >= 0 ? prm[2] : prm[3] / guarded(m.actuator_acc0[m.actuator_outadr[u]]);
    lmin = prm[4];
    lmax = prm[5];
    vmax = prm[6];
    fpmax = prm[7];
    fvmax = prm[8];
    lowerLength = lengthrange[0];
    optimalLength = (lengthrange[1] - lengthrange[0]) / guarded(prm[1] - prm[0]);
  }
  double normalizedLength(double length) const { return range0 + (length - lowerLength) / guarded(optimalLength); }
  double velocityUnit() const { return guarded(optimalLength * vmax); }
};

/// 6 x^5 - 15 x^4 + 10 x^3 on [0, 1], 0 below, 1 above: twice differentiable everywhere.
double smoothStep(double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return x * x * x * (3 * x * (2 * x - 5) + 10);
}

}  // namespace

double forceLength(double length, double lmin, double lmax) {
  if (length < lmin || length > lmax) return 0;
  const double a = 0.5 * (lmin + 1);
  const double b = 0.5 * (1 + lmax);
  if (length <= a) return 0.5 * square((length - lmin) / guarded(a - lmin));
  if (length <= 1) return 1 - 0.5 * square((1 - length) / guarded(1 - a));
  if (length <= b) return 1 - 0.5 * square((length - 1) / guarded(b - 1));
  return 0.5 * square((lmax - length) / guarded(lmax - b));
}

double forceVelocity(double velocity, double fvmax) {
  const double y = fvmax - 1;
  if (velocity <= -1) return 0;
  if (velocity <= 0) return square(velocity + 1);
  if (velocity <= y) return fvmax - square(y - velocity) / guarded(y);
  return fvmax;
}

double forceVelocitySlope(double velocity, double fvmax) {
  const double y = fvmax - 1;
  if (velocity <= -1) return 0;
  if (velocity <= 0) return 2 * (velocity + 1);
  if (velocity <= y) return 2 * (y - velocity) / guarded(y);
  return 0;
}

double passiveForce(double length, double lmax, double fpmax) {
  const double b = 0.5 * (1 + lmax);
  if (length <= 1) return 0;
  if (length <= b) return fpmax * 0.5 * square((length - 1) / guarded(b - 1));
  return fpmax * (0.5 + (length - b) / guarded(b - 1));
}

double gain(const Model& m, int u, double length, double velocity) {
  const Muscle muscle(m, u, &m.actuator_gainprm[10 * u]);
  return -muscle.peakForce * forceLength(muscle.normalizedLength(length), muscle.lmin, muscle.lmax) *
         forceVelocity(velocity / muscle.velocityUnit(), muscle.fvmax);
}

double gainVelocitySlope(const Model& m, int u, double length, double velocity) {
  const Muscle muscle(m, u, &m.actuator_gainprm[10 * u]);
  const double unit = muscle.velocityUnit();
  return -muscle.peakForce * forceLength(muscle.normalizedLength(length), muscle.lmin, muscle.lmax) *
         forceVelocitySlope(velocity / unit, muscle.fvmax) / unit;
}

double bias(const Model& m, int u, double length) {
  const Muscle muscle(m, u, &m.actuator_biasprm[10 * u]);
  return -muscle.peakForce * passiveForce(muscle.normalizedLength(length), muscle.lmax, muscle.fpmax);
}

double activationRate(double ctrl, double act, const double* dynprm) {
  const double a = std::clamp(act, 0.0, 1.0);
  const double excess = std::clamp(ctrl, 0.0, 1.0) - act;
  const double activation = dynprm[0] * (0.5 + 1.5 * a);
  const double deactivation = dynprm[1] / (0.5 + 1.5 * a);
  const double width = dynprm[2];
  const double tau = width < kMinVal ? (excess > 0 ? activation : deactivation)
                                     : deactivation + (activation - deactivation) * smoothStep(excess / width + 0.5);
  return excess / guarded(tau);
}

}  // namespace sinew::muscle
