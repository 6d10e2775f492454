#pragma once

#include "sinew/data.h"
#include "sinew/model.h"
#include "sinew/spec.h"

namespace sinew::draft {

/// m.stat and dof_length, from kinematics and M at qpos0 in `d`:
///   center, extent  middle and longest side of the box around bodies, joints, sites and the spheres of geoms
///   meansize        mean over bodies of the largest distance from the centre of mass to a joint or geom sphere
///   meanmass, meaninertia   mean mass of the bodies, mean diagonal of M
///   dof_length      1 for translations, the size of its body for a rotation
/// What <statistic> gives is then taken from there.
void writeStatistics(const spec::Statistic& given, Model& m, const Data& d);

}  // namespace sinew::draft
