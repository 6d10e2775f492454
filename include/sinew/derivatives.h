#pragma once

#include <vector>

#include "sinew/data.h"
#include "sinew/model.h"

/// How the next state and the sensors depend on the state and the controls, and forces of inverse dynamics on position,
/// velocity and acceleration: by finite differences of whole steps. For planning, estimation and identification.
///
/// States are differentiated on their manifold: x = (dq, v, act) with nv + nv + na numbers, dq a tangent vector as in
/// integratePositions(). Nothing in the given Data changes. Every column starts from the same state and the same warm
/// start, so the result is the same, bit for bit, for any number of threads.
namespace sinew {

struct DerivativeOptions {
  double eps = 1e-6;      ///< size of a nudge, in the unit of what is nudged; must be above 0
  bool centered = false;  ///< central differences: error of order eps^2 at twice the cost
  int threads = 1;        ///< 0: as many as the machine has
};

/// Dense matrices, row by row. With n = 2 nv + na:
///   dx(t + h) = A dx(t) + B du(t),   ds(t) = C dx(t) + D du(t),   s = sensordata, u = ctrl.
struct TransitionDerivatives {
  int states = 0, controls = 0, sensors = 0;
  std::vector<double> A;  ///< states x states
  std::vector<double> B;  ///< states x controls
  std::vector<double> C;  ///< sensors x states
  std::vector<double> D;  ///< sensors x controls
};

/// Derivatives of one step() from the state in `d`. Sensors are those that the step evaluates, before it moves on. A
/// control is nudged within its range: at a limit the difference is one-sided, towards the inside; a range narrower
/// than eps gives a zero column. Cost: states + controls + 1 steps, twice that if centered. Throws
/// std::invalid_argument for eps <= 0, threads < 0 and a Data of another Model.
TransitionDerivatives transitionDerivatives(const Model& m, const Data& d, const DerivativeOptions& options = {});

/// Dense matrices, row by row, of qfrc_inverse = f(qpos, qvel, qacc) and of the sensors.
struct InverseDerivatives {
  int dofs = 0, sensors = 0;
  std::vector<double> DfDq, DfDv, DfDa;  ///< dofs x dofs
  std::vector<double> DsDq, DsDv, DsDa;  ///< sensors x dofs
};

/// Derivatives of inverse() at qpos, qvel and qacc of `d`. Cost: 3 nv + 1 inverse dynamics, or twice that.
InverseDerivatives inverseDerivatives(const Model& m, const Data& d, const DerivativeOptions& options = {});

}  // namespace sinew
