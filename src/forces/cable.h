#pragma once

#include "math/types.h"
#include "model/awake.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// Elasticity of cables: chains of bodies whose ball joints bend and twist.
///
/// With w the rotation vector from a body's parent to the body and w0 the relaxed one, the energy of a joint is
/// 1/2 (w - w0)' K (w - w0), K = diag(G J, E Iy, E Iz) / length: curvature is turn per length [Bergou et al. 2008].
namespace sinew {

/// qfrc_spring += torques of all joints of cables. Reads qpos. With an implicit integrator they are those at the end of
/// the step, to first order: qfrc_damper -= h K v, and the derivative by v is -h K.
void addCableTorques(const Model& m, Data& d);

/// Calls f(first dof, K) for all joints of cables that are awake, K the 3 x 3 change of the torque with the rotation of
/// the joint, in the body's axes, without what the torque itself contributes: positive where that might not be.
template <class F>
void forEachCableStiffness(const Model& m, const Data& d, F&& f);

/// Whether the integrator takes the torques of cables implicitly.
bool cablesAreImplicit(const Model& m);

/// Energy stored in all joints of cables.
double cableEnergy(const Model& m, const Data& d);

namespace detail {
Mat3 cableStiffness(const Model& m, const Data& d, int cable);
}

template <class F>
void forEachCableStiffness(const Model& m, const Data& d, F&& f) {
  for (int i = 0; i < m.ncable; ++i) {
    const int joint = m.cable_jntid[i];
    if (!jointAsleep(m, d, joint)) f(m.jnt_dofadr[joint], detail::cableStiffness(m, d, i));
  }
}

}  // namespace sinew
