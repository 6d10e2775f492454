#pragma once

#include <span>

#include "sinew/data.h"
#include "sinew/model.h"

/// Mocap bodies that move with velocities of their own. J qvel knows nothing of them, so they are added to the rows
/// where they matter: contacts, connects and welds with such a body, or with what is fixed to it.
///
/// `velocity` has six numbers per mocap body: that of its frame, m/s, and the angular one, rad/s, in world axes.
namespace sinew {

/// Adds the velocities to efc_vel, and what follows from them to efc_aref or row_drive: called between step1() and
/// step2().
void addPrescribedVelocity(const Model& m, Data& d, std::span<const double> velocity);

/// Moves mocap_pos and mocap_quat on by the time h.
void advanceMocap(const Model& m, Data& d, std::span<const double> velocity, double h);

}  // namespace sinew
