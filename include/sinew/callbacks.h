#pragma once

#include <functional>
#include <span>

#include "sinew/model.h"

namespace sinew {

struct Data;

/// What a control callback may write: the arrays of Data of these names, as they are before the call.
struct ControlOutput {
  std::span<double> ctrl;          ///< nu
  std::span<double> qfrc_applied;  ///< nv
  std::span<double> xfrc_applied;  ///< 6 nbody
};

/// Functions of the user that stages call. They belong to one Data (Data::callbacks), never to the program. A copy of
/// the Data has copies of them; they are no part of its state, so getState(), saveState(), copyState() and checkpoints
/// leave them out, and reset() keeps them.
///
/// What they may touch: everything may be read, nothing may be written but what they are given for that, which is why
/// the Data is constant. Functions of dynamics.h and query.h that take a constant Data may be called, as far as the
/// stages that these need come before the callback. A callback is called on the thread that called step() or forward(),
/// never by two threads for the same Data; derivatives and copies of a Data on other threads call their copies at the
/// same time.
///
/// A callback that throws does not stop the step: the exception ends there, Trouble::Callback is noted with the number
/// of the callback below, its text is kept in Data::callbackError, and the step goes on as if the callback had not been
/// called.
struct Callbacks {
  /// Controls and applied forces for the present state. Called after the velocity stages and their sensors, by step1(),
  /// step() and forward(); RK4 calls it in each of its four evaluations. [0]
  std::function<void(const Model&, const Data&, const ControlOutput&)> control;
  /// Adds to `qfrc` (nv numbers, zero at first), which is added to qfrc_passive. Called at the end of the stage
  /// `passive`, unless springs and dampers are both switched off; what sleeps gets none. Implicit integrators do not
  /// know its derivatives. [1]
  std::function<void(const Model&, const Data&, std::span<double> qfrc)> passive;
  /// Whether two colliders (geoms, then ngeom + flex; the same number twice: a flex with itself) may touch now. Asked
  /// before they are tested, in the order of contacts, for pairs that are near and that contype, conaffinity, excludes
  /// and explicit pairs allow. [2]
  std::function<bool(const Model&, const Data&, int collider1, int collider2)> contactFilter;
  /// Value of a user sensor: sensor_dim[sensor] numbers, zero at first. Called at the stage that the sensor asks for
  /// (`needstage`); its cutoff applies as to all others. [3]
  std::function<void(const Model&, const Data&, int sensor, std::span<double> values)> sensor;
};

}  // namespace sinew
