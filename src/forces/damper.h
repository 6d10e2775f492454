#pragma once

#include <cmath>
#include <span>

#include "sinew/data.h"
#include "sinew/model.h"

/// Dampers of dofs and tendons. An actuator's own damping acts on the joint or tendon it drives, reflected through the
/// transmission: times gear^2.
namespace sinew {

/// Damping law of a dof or tendon: force -(b0 + b1 |v| + b2 v^2) v.
struct DampingLaw {
  double b0, b1, b2;

  bool isZero() const { return b0 == 0 && b1 == 0 && b2 == 0; }
  double force(double v) const { return -v * (b0 + b1 * std::abs(v) + b2 * (v * v)); }
  /// -d force / d v, which is what an implicit integrator adds to the inertia (times the timestep).
  double rate(double v) const { return b0 + 2 * b1 * std::abs(v) + 3 * b2 * (v * v); }
};

/// Laws of all dofs (nv; those that sleep are left out) and of all tendons (ntendon), those of their actuators
/// included.
void dofDamping(const Model& m, const Data& d, std::span<DampingLaw> laws);
void tendonDamping(const Model& m, std::span<DampingLaw> laws);

/// Some dof that sleeps has a damper of its own.
bool sleepingDofDamps(const Model& m, const Data& d);

/// qfrc_damper += forces of all dof dampers. Reads qvel.
void addDofDampers(const Model& m, Data& d);

/// qfrc_damper += forces of all tendon dampers. Needs velocities().
void addTendonDampers(const Model& m, Data& d);

}  // namespace sinew
