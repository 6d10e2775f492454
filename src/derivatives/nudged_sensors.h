#pragma once

#include "derivatives/row_forces.h"
#include "derivatives/smooth_forces.h"

namespace sinew::smooth {

/// d sensordata at the state of x, which forward() has evaluated: sensors follow from position, velocity, activation
/// and control, and from qacc and efc_force, which change by `acceleration` and `rowForce` (empty: there are no rows).
/// By central differences of the stages of a step without its solver; rows must stay what they are within the nudges
/// (rowForces() says so). Cost: 2 (2 nv + na + nu) evaluations of sensors, a third of them with the position stage.
Parts nudgedSensors(const Model& m, const Data& x, const Parts& acceleration, const Parts& rowForce);

/// The same at the position, velocity and acceleration of x, which inverse() has evaluated.
struct InverseSensors {
  Matrix q, v, a;
};
/// `rows`: of x, if it has any.
InverseSensors nudgedInverseSensors(const Model& m, const Data& x, const RowForces& rows);

}  // namespace sinew::smooth
