#pragma once

#include <random>

#include "sinew/data.h"
#include "sinew/dynamics.h"

namespace sinew::test {

/// A state away from every special value, reproducible: positions moved from qpos0 by up to `amplitude` along every
/// dof, velocities up to `speed`, activations in [0.1, 0.9], controls in [-1, 1], applied forces up to 1.
inline void randomizeState(const Model& m, Data& d, unsigned seed, double amplitude = 0.7, double speed = 2) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Array<double> move(m.nv);
  for (double& x : move) x = amplitude * uniform(random);
  d.qpos = m.qpos0;
  integratePositions(m, d.qpos, move, 1);
  for (double& v : d.qvel) v = speed * uniform(random);
  for (double& a : d.act) a = 0.5 + 0.4 * uniform(random);
  for (double& c : d.ctrl) c = uniform(random);
  for (double& f : d.qfrc_applied) f = uniform(random);
  for (int i = 6; i < 6 * m.nbody; ++i) d.xfrc_applied[i] = uniform(random);
}

}  // namespace sinew::test
