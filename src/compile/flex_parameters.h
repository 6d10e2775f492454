#pragma once

#include <array>
#include <optional>
#include <string>

#include "compile/place.h"
#include "sinew/spec.h"
#include "sinew/types.h"

namespace sinew::draft {

/// A rod with twist: what its section resists, and how it lies at rest.
struct RodParameters {
  bool twist = false;
  double area = 0;                            ///< m^2
  double moment1 = 0;                         ///< second moment of area about the first axis, m^4
  double moment2 = 0;                         ///< about the second axis
  double torsion = 0;                         ///< torsion constant J, m^4
  std::optional<std::array<double, 3>> axis;  ///< first axis of the section at the first segment
  double pretwist = 0;                        ///< rad/m
  bool flat = false;                          ///< straight at rest
};

/// Torsion constant of a rectangle with these sides [Timoshenko and Goodier 1970, section 109], to rounding.
double rectangleTorsion(double width, double height);

/// What the attributes of a flex mean together, the two forms merged, every number with its default.
///
/// The short form (`young` as an attribute of the flex itself) stands for Saint Venant-Kirchhoff elasticity: a rod for
/// dim 1; dihedral bending and rows on the edges for dim 2 (with elastic2d = stretch or both: membrane elasticity and
/// no such rows); a solid for dim 3.
struct FlexParameters {
  // contact
  int condim = 3;
  std::array<double, 3> friction{1, 0.005, 0.0001};
  std::array<double, 2> solref = spec::kSolref;
  std::array<double, 5> solimp = spec::kSolimp;
  double margin = 0;
  double restitution = 0;
  SelfCollide selfcollide = SelfCollide::Auto;
  // elasticity
  FlexLaw law = FlexLaw::Reference;
  spec::Elastic2d elastic2d = spec::Elastic2d::None;
  bool stretch = false;
  FlexBending bending = FlexBending::None;
  double young = 0;
  double poisson = 0;
  double damping = 0;
  double thickness = -1;
  RodParameters rod;
  // what holds the edges
  spec::FlexEquality equality = spec::FlexEquality::None;
  /// Nothing was declared that could hold it together: it gets rows on its edges if no equality names it. With
  /// solref = (2h, 1) and solimp = (0.99, 0.99, 0.001, 0.5, 2) unless its author said something else.
  bool impliedRows = false;
  std::array<double, 2> rowSolref = spec::kSolref;
  std::array<double, 5> rowSolimp = spec::kSolimp;

  bool isShell(FlexDof dof) const { return isInterpolated(dof) && elastic2d != spec::Elastic2d::None; }
  static bool isInterpolated(FlexDof dof) { return dof == FlexDof::Trilinear || dof == FlexDof::Quadratic; }
};

/// Throws LoadError at `place` for numbers that mean nothing or contradict each other.
/// `dim` is that of the elements, which a file may decide.
FlexParameters resolveParameters(const spec::FlexBase& flex, int dim, FlexDof dof, double timestep, const Place& place);

/// What the author wrote and what has no effect, with the cure; empty if there is nothing of the kind.
std::string idleElasticity(const FlexParameters& p, int dim);

/// Order of the tetrahedra of a flex: 2 if the middles of their edges are points, too.
int orderOf(const spec::FlexBase& flex);

/// The contact margin, said in either form.
double marginOf(const spec::FlexBase& flex);

}  // namespace sinew::draft
