#pragma once

#include <array>

#include "math/types.h"
#include "sinew/types.h"

namespace sinew::geom {

/// Inertia of the fluid that an ellipsoid sets in motion, per unit of fluid density: mass (m^3) for accelerations along
/// the axes, moments (m^5) for rotations about them.
struct AddedMass {
  Vec3 mass = Vec3::Zero();
  Vec3 inertia = Vec3::Zero();
};

/// Added mass of an ellipsoid with the given semi-axes [Lamb 1932, art. 114-115]:
///   k_i = abc int_0^inf dl / ((s_i^2 + l) sqrt((a^2 + l)(b^2 + l)(c^2 + l))),   mass_i = V k_i/(2 - k_i),
///   inertia_x = V/5 (b^2 - c^2)^2 |k_z - k_y| / |2 (b^2 - c^2) + (b^2 + c^2)(k_y - k_z)|, and so on around.
/// The integral is taken with 15 points, as in the reference engine: about 1e-4 off for round shapes, worse for long
/// or flat ones.
AddedMass ellipsoidAddedMass(const Vec3& semiAxes);

/// Semi-axes of the ellipsoid that stands for a geom in the fluid: a capsule's includes its caps.
Vec3 fluidSemiAxes(GeomType type, const Vec3& size);

/// A row of geom_fluid: 1 (the model is on), the five coefficients (blunt drag, slender drag, angular drag, Kutta lift,
/// Magnus lift), added mass, added inertia.
std::array<double, 12> fluidCoefficients(const Vec3& semiAxes, const std::array<double, 5>& coefficients);

}  // namespace sinew::geom
