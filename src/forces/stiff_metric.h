#pragma once

#include <algorithm>
#include <span>

#include "base/arena.h"
#include "model/awake.h"
#include "sinew/data.h"
#include "sinew/model.h"
#include "solve/metric.h"

/// Stiffness and damping of flexes as part of the metric A = M + h D + h^2 K, the implicit step of elastic forces:
///   M a = f(x + h v + h^2 a, v + h a)  ~  f - h K v - (h^2 K + h D) a.
/// Parts that nothing holds are linearised about their motion as a rigid body instead (forces/part_motion.h), except
/// where a flex follows the law of the reference. Under Midpoint A = M + h D/2 + h^2 K/2, and forces are those half a
/// step ahead.
/// Points move with the dofs of their node, or with those of the body they ride on; J, their Jacobian, takes what their
/// elements do to these dofs: J'K J, J'D J. A part of the metric (Model, "stiffness of flexes in the metric") is
/// closed: nothing couples its dofs to others. There D also has what M - h dF/dv of the implicit integrators has,
/// except for the derivative of the bias force.
namespace sinew {

/// Whether elastic forces are integrated implicitly: the integrator is, and there is something stiff.
bool stiffnessIsImplicit(const Model& m);

/// flexA, whatever systems with it are solved by, and qfrc_implicit. Needs passive() and actuation(). Does nothing
/// unless stiffnessIsImplicit().
void assembleStiffness(const Model& m, Data& d);

/// Solves systems with one part of flexA by what assembleStiffness() has made; scratch from `arena`.
solve::MatrixSolver stiffSolver(const Model& m, const Data& d, int part, Arena& arena);

/// Lower rows of one part of flexA, columns counted from its first row.
sparse::LowerRows stiffRows(const Model& m, const Data& d, int part);

/// Whether tetrahedra are among the elements of a part.
bool partHasSolids(const Model& m, int part);

/// Dofs of one part, growing.
inline std::span<const int> stiffDofs(const Model& m, int part) {
  return {m.stiff_dof.data() + m.stiffpart_dofadr[part], static_cast<std::size_t>(m.stiffpart_dofnum[part])};
}

/// The trees of a part sleep together: all of them carry its flexes.
inline bool stiffPartAsleep(const Model& m, const Data& d, int part) {
  return someAsleep(m, d) && !d.tree_awake[m.dof_treeid[stiffDofs(m, part)[0]]];
}

/// y += A x for the dofs of one part; x and y have one number per dof of the model.
void addMetricProduct(const Model& m, const Data& d, int part, const double* x, double* y);

/// -dF/dv of dampers other than those of flexes as the metric has it: entry k of the pattern of M, in row `dof`. Needs
/// assembleStiffness().
double dampingRate(const Model& m, const Data& d, int dof, int k);

/// What the elastic forces of an implicit step have in addition to those at its start, but for what goes with the
/// acceleration: three numbers per point. Needs flexpoint_xpos, flexpoint_xvel.
void addForcesAhead(const Model& m, Data& d, double* force);

/// x <- inv(A) x for all dofs. Writes metricIterations.
void solveMetric(const Model& m, Data& d, double* x);

/// y = A x for all dofs.
void multiplyMetric(const Model& m, const Data& d, const double* x, double* y);

/// First of the three rows of a free node in its part; -1: the point is pinned or rides on a body.
inline int rowOfNode(const Model& m, int point) {
  const int node = m.flexpoint_nodeid[point];
  return node < 0 || m.flexnode_pinned[node] ? -1 : m.dof_stiffrow[m.nv_rigid + 3 * node];
}

/// An element of which no point can move against the others: all ride on one body, or are pinned.
inline bool isRigid(const Model& m, const int* points, int n) {
  const auto carrier = [&](int point) {  // a body, or -1 - node
    const int node = m.flexpoint_nodeid[point];
    if (node >= 0) return m.flexnode_pinned[node] ? 0 : -1 - node;
    return m.body_weldid[m.flexpoint_bodyid[point]];
  };
  return std::all_of(points + 1, points + n, [&](int point) { return carrier(point) == carrier(points[0]); });
}

/// Position in flexA of the entry (row, column) of a part, which must exist; row >= column.
inline int entryOfK(const Model& m, int part, int row, int column) {
  const int global = m.stiffpart_dofadr[part] + row;
  const int* begin = m.K_colind.data() + m.K_rowadr[global];
  return static_cast<int>(std::lower_bound(begin, begin + m.K_rownnz[global], column) - m.K_colind.data());
}

}  // namespace sinew
