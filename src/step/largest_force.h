#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// Who is to blame when a number goes bad.
namespace sinew {

/// The largest of the terms bias, passive, actuator, applied (xfrc_applied included) and constraint over `count` dofs
/// from `first` on, by the last forces computed. A term that is not a number counts as infinitely large. d lends
/// scratch memory only.
LargestForce largestForce(const Model& m, Data& d, int first, int count);

/// Joint that owns an entry of qpos, or -1.
int jointOfCoordinate(const Model& m, int coordinate);

/// Number of dofs of a joint.
int dofsOf(const Model& m, int joint);

}  // namespace sinew
