#pragma once

#include "elastic/element.h"
#include "sinew/types.h"

namespace sinew::elastic {

/// How a point of the material answers to its deformation gradient F: 3 x 3 in a solid, 3 x 2 in a sheet (columns along
/// two axes of the undeformed plane). The textbook laws are isotropic, so each is a function psi of the principal
/// stretches s alone (energy per rest volume):
///   StVenantKirchhoff  mu/4 sum (s_i^2 - 1)^2 + lambda/8 (sum (s_i^2 - 1))^2
///   Corotational       mu sum (s_i - 1)^2 + lambda/2 (sum (s_i - 1))^2
///   NeoHookean         mu/2 (sum s_i^2 - 3) - mu ln J + lambda/2 (ln J)^2,  J = product of all three stretches
/// A sheet is in plane stress: the first two use planeStress() moduli; the third, which knows the moduli of the solid,
/// chooses the stretch across the sheet so that the stress there is zero.
/// Below a stretch of kMinStretch its logarithm is continued by its tangent: a crushed or inverted element stays finite
/// and pushes back, and its energy grows no faster than that of a spring, so that even a tangle comes undone. Inside
/// out, the smallest stretch counts as negative.
struct Law {
  FlexLaw kind = FlexLaw::StVenantKirchhoff;
  Lame moduli;
};

inline constexpr double kMinStretch = 0.1;

/// The constants a law needs in a solid (dim 3) or a sheet (dim 2).
Law makeLaw(FlexLaw kind, int dim, double young, double poisson);

template <int Dim>
using Gradient = Eigen::Matrix<double, 3, Dim>;
template <int Dim>
using GradientTangent = Eigen::Matrix<double, 3 * Dim, 3 * Dim>;  ///< columns of F below each other

/// Energy per rest volume, J/m^3.
template <int Dim>
double energyDensity(const Law& law, const Gradient<Dim>& F);
/// First Piola-Kirchhoff stress P = dpsi/dF, Pa.
template <int Dim>
Gradient<Dim> stress(const Law& law, const Gradient<Dim>& F);
/// dP/dF, exactly or with its negative eigenvalues set to zero [Smith, De Goes and Kim 2019].
template <int Dim>
GradientTangent<Dim> stressTangent(const Law& law, const Gradient<Dim>& F, Tangent tangent);

/// What lambda resists in a solid, psi = psi(lambda = 0) + lambda/2 t^2: tr G, sum (s - 1) or ln J; and dt/dF.
double dilatation(const Law& law, const Gradient<3>& F);
Gradient<3> dilatationGradient(const Law& law, const Gradient<3>& F);
/// stressTangent() of a solid with `pressure` t added to psi.
GradientTangent<3> pressedTangent(const Law& law, const Gradient<3>& F, double pressure, Tangent tangent);

/// Stress of a Kelvin-Voigt damper: F (2 mu dG/dt + lambda tr(dG/dt) I) with G the Green strain, times `time` seconds.
/// Zero for rigid motion; near rest it is `time` times the rate of the elastic stress of every law.
template <int Dim>
Gradient<Dim> dampingStress(const Law& law, const Gradient<Dim>& F, const Gradient<Dim>& Fdot, double time);
/// Its derivative by Fdot, symmetric and positive semi-definite.
template <int Dim>
GradientTangent<Dim> dampingTangent(const Law& law, const Gradient<Dim>& F, double time);

}  // namespace sinew::elastic
