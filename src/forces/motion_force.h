#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// qfrc = C(q, v) without gravity: the force that motion alone demands, centrifugal, Coriolis and gyroscopic. Writes nv
/// numbers; d lends scratch memory only. Needs comVel().
void motionForce(const Model& m, Data& d, double* qfrc);

}  // namespace sinew
