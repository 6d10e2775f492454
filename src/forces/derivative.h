#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// How the smooth forces change with velocity: what the implicit integrators put beside M.
namespace sinew {

/// A body alone in its tree with a free joint and no other mass below it. Its derivatives are kept unsymmetric even
/// where those of others are made symmetric.
bool isStandaloneFreeBody(const Model& m, int body);

/// qDeriv = d (qfrc_passive + qfrc_actuator - qfrc_bias) / d qvel in the pattern D. Couplings between branches or trees
/// (by tendons and transmissions) have no place in it and are dropped. If `fast`, the derivative of the bias force is
/// left out and that of the fluid made symmetric, except for standalone free bodies. Needs actuation().
void velocityDerivative(const Model& m, Data& d, bool fast);

// The terms, each added to qDeriv. [derivative.cpp, bias_derivative.cpp]
void addActuatorDerivative(const Model& m, Data& d);
void addFluidDerivative(const Model& m, Data& d, bool fast);
void addDamperDerivative(const Model& m, Data& d);
void addTendonDamperDerivative(const Model& m, Data& d);
void addCableDerivative(const Model& m, Data& d);

/// qDeriv -= times d qfrc_bias / d qvel for the dofs of one kinematic tree; -1 takes back what 1 did. The
/// tendon-armature part of the bias force is not differentiated.
void subtractBiasDerivative(const Model& m, Data& d, int tree, double times = 1);

/// Position in the arrays of pattern D of the entry (row, column), which must exist.
int entryOfD(const Model& m, int row, int column);

}  // namespace sinew
