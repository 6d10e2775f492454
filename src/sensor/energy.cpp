#include <span>

#include "forces/cable.h"
#include "forces/elasticity.h"
#include "forces/spring.h"
#include "inertia/inertia.h"
#include "math/types.h"
#include "model/workspace.h"
#include "sensor/sensor.h"

namespace sinew {

double energyOfGravity(const Model& m, const Data& d) {
  if (m.opt.disabled(disable::kGravity)) return 0;
  double energy = 0;
  const ConstMapVec3 gravity(m.opt.gravity.data());
  for (int b = 1; b < m.nbody; ++b) energy -= m.body_mass[b] * gravity.dot(vec3(d.xipos.data(), b));
  for (int node = 0; node < m.nflexnode; ++node) {
    if (m.flexnode_pinned[node]) continue;
    energy -= m.flexnode_mass[node] * gravity.dot(vec3(d.qpos.data() + m.nq_rigid, node));
  }
  return energy;
}

double energyOfSprings(const Model& m, Data& d) {
  if (m.opt.disabled(disable::kSpring)) return 0;
  return jointSpringEnergy(m, d) + tendonSpringEnergy(m, d) + cableEnergy(m, d) + elasticEnergy(m, d);
}

double energyOfMotion(const Model& m, Data& d) {
  const Arena::Scope scope(d.work->arena);
  const std::span<double> momentum = d.work->arena.take<double>(m.nv);
  multiplyMass(m, d, d.qvel.data(), momentum.data());
  return 0.5 * ConstMapVecX(momentum.data(), m.nv).dot(ConstMapVecX(d.qvel.data(), m.nv));
}

void potentialEnergy(const Model& m, Data& d) { d.energy[0] = energyOfGravity(m, d) + energyOfSprings(m, d); }

void kineticEnergy(const Model& m, Data& d) { d.energy[1] = energyOfMotion(m, d); }

}  // namespace sinew
