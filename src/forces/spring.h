#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// Springs of joints and tendons.
namespace sinew {

/// Elastic law of a joint or tendon: force -k(x) x with k(x) = k0 + k1 x + k2 x^2.
struct SpringLaw {
  double k0, k1, k2;

  bool isZero() const { return k0 == 0 && k1 == 0 && k2 == 0; }
  double stiffness(double x) const { return k0 + k1 * x + k2 * (x * x); }
  double force(double x) const { return -x * stiffness(x); }
  /// Integral of k(x) x from 0 to x.
  double potential(double x) const { return 0.5 * k0 * (x * x) + k1 / 3 * (x * x * x) + k2 / 4 * (x * x) * (x * x); }
};

SpringLaw jointSpring(const Model& m, int joint);
SpringLaw tendonSpring(const Model& m, int tendon);

/// How far the tendon is outside the band of lengths in which its spring is relaxed; negative when too short.
double tendonStretch(const Model& m, const Data& d, int tendon);

/// qfrc_spring += forces of all joint springs. Reads qpos.
void addJointSprings(const Model& m, Data& d);

/// qfrc_spring += forces of all tendon springs. Needs tendons().
void addTendonSprings(const Model& m, Data& d);

/// Energy stored in the springs of joints and of tendons. The second needs tendons().
double jointSpringEnergy(const Model& m, const Data& d);
double tendonSpringEnergy(const Model& m, const Data& d);

}  // namespace sinew
