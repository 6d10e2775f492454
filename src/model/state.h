#pragma once

#include "sinew/data.h"
#include "sinew/model.h"

/// The state of a simulation as plain numbers. None of these functions knows who sleeps: they are the first half of the
/// public ones (step/reset.cpp).
namespace sinew {

/// Throws std::invalid_argument, with the name of the function that was called, if d was made for another Model.
void requireSameModel(const Model& m, const Data& d, const char* function);

/// Gives all arrays the sizes that the model demands, filled with zeros.
void allocate(const Model& m, Data& d);

/// qpos0 at time 0, everything else zero or as the model says, no rows and no contacts. Nobody is asleep or awake yet.
void clearState(const Model& m, Data& d);

/// Puts mocap bodies where mocap_pos and mocap_quat say; where such a pose is none, they are left where they began.
void placeMocapBodies(const Model& m, Data& d);

}  // namespace sinew
