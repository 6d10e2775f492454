#pragma once

#include <span>

#include "sinew/data.h"
#include "sinew/model.h"
#include "solve/metric.h"

/// Stiffness and damping of flexes as part of the metric A = M + h D + h^2 K, the implicit step of elastic forces:
///   M a = f(x + h v + h^2 a, v + h a)  ~  f - h K v - (h^2 K + h D) a.
namespace sinew {

/// Whether elastic forces are integrated implicitly: the integrator is, and there is something stiff.
bool stiffnessIsImplicit(const Model& m);

/// flexA, its factors, and qfrc_implicit. Needs passive(). Does nothing unless stiffnessIsImplicit().
void assembleStiffness(const Model& m, Data& d);

/// The factor of one flex's part of flexA, which assembleStiffness() has made, for solving; scratch from `arena`.
solve::SparseFactor stiffFactor(const Model& m, const Data& d, int flex, Arena& arena);

/// Lower rows of one flex's part of flexA, columns counted from its first stiff dof.
solve::LowerRows stiffRows(const Model& m, const Data& d, int flex);

/// x <- inv(A) x for all dofs.
void solveMetric(const Model& m, Data& d, double* x);

/// y = A x for all dofs.
void multiplyMetric(const Model& m, const Data& d, const double* x, double* y);

}  // namespace sinew
