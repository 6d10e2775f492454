#pragma once

#include <string>

#include "derivatives/smooth_forces.h"

namespace sinew {

/// How the forces of constraint rows change with position, velocity and acceleration. Rows push with f = -s'(r),
/// r = J a - aref, s the cost of the row (solve/rows.h), so that qfrc_constraint = J'f is a function of q, v and a. It
/// has a derivative wherever no row changes state:
///   d(J'f)|a = dJ' f - J' (S'' (dJ a - daref) - f dlnD),   d(J'f)/da = -J' S'' J
struct RowForces {
  std::string obstacle;           ///< why there are none, empty if there are; then the others are not set
  smooth::Matrix q, v;            ///< d(J'f) / dq and / dv at a given acceleration, nv x nv
  smooth::Matrix curvature;       ///< J' S'' J
  smooth::Matrix forceQ, forceV;  ///< df / dq and / dv at a given acceleration, rows x nv
  smooth::Matrix response;        ///< S'' J = -df / da, rows x nv
};

/// At the state and the acceleration qacc of x, whose rows and references must have been made (velocityStage()). How
/// rows turn and move with the coordinates is found by central differences of the position stage, twice per dof; what
/// follows from there (impedances, references, forces) is in closed form, but for the impedances of rows of flexes.
RowForces rowForces(const Model& m, const Data& x);

/// A contact by the names of its sides.
std::string nameOfContact(const Model& m, const Contact& contact);

/// Why the rows of x cannot be differenced between `before` and `after`, which are nudged by as much to both sides
/// along a dof: one begins or ends, or a contact jumps. Empty: they can.
std::string obstacleBetween(const Model& m, const Data& before, const Data& x, const Data& after, double nudge,
                            int dof);

/// |S qacc - smooth forces - J'f| over the size of these forces, S the metric of the solver, f what the rows of x push
/// with at qacc: 0 for a solver that has found the solution.
double unbalancedShare(const Model& m, const Data& x);

}  // namespace sinew
