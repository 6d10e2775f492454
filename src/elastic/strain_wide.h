#pragma once

#include "elastic/strain.h"
#include "math/kernel.h"

namespace sinew::elastic {

/// Elements are worked on four at a time, one in each lane of a Wide; each gets the bits it would have alone.
/// Numbers per StrainElement in such a group: metric, length0sq, pushBack, each as one Wide.
template <int Dim>
inline constexpr int kStrainNumbers = StrainElement<Dim>::kPacked + StrainElement<Dim>::kEdges + 1;

/// What the forces of a flex are made of.
struct StrainTerms {
  bool springs = true;
  double dampingTime = 0;  ///< s; 0: none
  double h = 0;            ///< reference law: step of its difference quotient; 0: rate of strain
};

/// Positions, velocities, forces of the points of four elements.
template <int Dim>
using WidePoints = Wide[Dim + 1][3];

/// Forces of four elements with constants `group` (kStrainNumbers Wides): elastic and damping together in `force` if
/// `damper` is null, apart otherwise. Returns a mask, one bit per element that is inside out.
template <int Dim>
int strainForces(const double* group, const StrainTerms& terms, const WidePoints<Dim>& x, const WidePoints<Dim>& v,
                 WidePoints<Dim>& force, WidePoints<Dim>* damper);

/// Definite stiffness of four elements, without the push of those that are inside out: a mask of them is returned.
template <int Dim>
int strainStiffness(const double* group, const WidePoints<Dim>& x, Stiffness<Dim + 1>* K);

/// One element of a group, written and read.
template <int Dim>
void storeStrain(const StrainElement<Dim>& element, int lane, double* group);
template <int Dim>
StrainElement<Dim> loadStrain(const double* group, int lane);

}  // namespace sinew::elastic
