#include <algorithm>
#include <cmath>
#include <numbers>

#include "forces/fluid.h"

namespace sinew {
namespace {

/// Coefficients of force_i = -(linear_i + quadratic_i |v_i|) v_i, angular part first. With edges a_i and their mean D:
///   torque: linear pi D^3 mu,  quadratic rho a_i (a_j^4 + a_k^4) / 64
///   force:  linear 3 pi D mu,  quadratic rho a_j a_k / 2
struct DragCoefficients {
  Vec6 linear = Vec6::Zero();
  Vec6 quadratic = Vec6::Zero();
};

DragCoefficients dragCoefficients(const FluidBox& box, const Medium& medium) {
  DragCoefficients c;
  const Vec3& a = box.edge;
  if (medium.viscosity > 0) {
    const double diameter = a.sum() / 3;
    c.linear.head<3>().setConstant(std::numbers::pi * diameter * diameter * diameter * medium.viscosity);
    c.linear.tail<3>().setConstant(3 * std::numbers::pi * diameter * medium.viscosity);
  }
  if (medium.density > 0) {
    const Vec3 a4 = a.array().square().square();
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const int k = (i + 2) % 3;
      c.quadratic[i] = medium.density * a[i] * (a4[j] + a4[k]) / 64;
      c.quadratic[3 + i] = 0.5 * medium.density * a[j] * a[k];
    }
  }
  return c;
}

}  // namespace

// A box has I_i = m (a_j^2 + a_k^2) / 12, hence a_i = sqrt(6 (I_j + I_k - I_i) / m).
FluidBox equivalentBox(double mass, const Vec3& inertia) {
  FluidBox box;
  for (int i = 0; i < 3; ++i) {
    const double excess = inertia[(i + 1) % 3] + inertia[(i + 2) % 3] - inertia[i];
    box.edge[i] = std::sqrt(std::max(kMinVal, excess) / mass * 6);
  }
  return box;
}

Vec6 fluidForce(const FluidBox& box, const Medium& medium, const Vec6& velocity) {
  const DragCoefficients c = dragCoefficients(box, medium);
  return -(c.linear.array() + c.quadratic.array() * velocity.array().abs()) * velocity.array();
}

Mat6 fluidDerivative(const FluidBox& box, const Medium& medium, const Vec6& velocity) {
  const DragCoefficients c = dragCoefficients(box, medium);
  const Vec6 diagonal = -(c.linear.array() + 2 * c.quadratic.array() * velocity.array().abs());
  return diagonal.asDiagonal();
}

}  // namespace sinew
