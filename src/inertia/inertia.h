#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// The inertia matrix M over the dofs, sparse by the tree structure, and its factor M = L'DL with L unit lower
/// triangular, computed from the last dof to the first so that no fill-in appears [Featherstone 2008, ch. 6].
namespace sinew {

/// cinert, cdof -> crb, M (composite-rigid-body algorithm, armature and tendon armature included).
void massMatrix(const Model& m, Data& d);

/// M -> qLD, qLDiagInv. Counts Trouble::Inertia if a pivot is not positive.
void factorMass(const Model& m, Data& d);

/// Which pivots a factor may have: M has positive ones; M - h dF/dv has negative ones where velocities feed back on
/// themselves within a step, and L'DL then still solves with it.
enum class Pivots { Positive, Any };

/// In place: LD holds the lower triangle in the pattern of M and becomes L and D, for what is awake. Returns a dof
/// whose pivot is below 1e-15, in size if any sign will do (the pivot is then replaced by 1e-15), or -1.
int factorTree(const Model& m, const Data& d, double* LD, double* diagInv, Pivots pivots = Pivots::Positive);

/// x <- inv(L'DL) x for a factor made by factorTree(), for what is awake; the rest of x stays as it is.
void solveTree(const Model& m, const Data& d, const double* LD, const double* diagInv, double* x);

/// Copies the rows of what is awake, in the pattern of M.
void copyAwakeRows(const Model& m, const Data& d, const double* from, double* to);

/// x <- inv(M) x with the factor in Data.
void solveMass(const Model& m, const Data& d, double* x);

/// The same for the dofs [begin, end) alone. `begin` must be the first dof of a tree.
void solveMass(const Model& m, const Data& d, int begin, int end, double* x);

/// y = M x.
void multiplyMass(const Model& m, const Data& d, const double* x, double* y);

}  // namespace sinew
