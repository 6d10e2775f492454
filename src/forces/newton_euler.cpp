#include <algorithm>
#include <span>

#include "forces/forces.h"
#include "forces/motion_force.h"
#include "math/kernel.h"
#include "math/spatial.h"
#include "model/awake.h"
#include "model/tree_pieces.h"
#include "model/workspace.h"

namespace sinew {
namespace {

/// f = I a + v x* (I v), the force that moves a body.
void bodyForce(double* f, const double* inertia, const double* acceleration, const double* velocity) {
  double momentum[6];
  multiplyInertia(f, inertia, acceleration);
  multiplyInertia(momentum, inertia, velocity);
  addCrossForce(f, velocity, momentum);
}

/// Accelerations and forces of bodies, from that of the world.
SINEW_KERNEL void forcesOfBodies(const Model& m, const Data& d, std::span<const int> bodies, const double* acceleration,
                                 double* a, double* f) {
  for (const int i : bodies) {
    double ai[6];
    copy6(ai, a + 6 * m.body_parentid[i]);
    const int end = m.body_dofadr[i] + m.body_dofnum[i];
    for (int k = m.body_dofadr[i]; k < end; ++k) addScaled6(ai, &d.cdof_dot[6 * k], d.qvel[k]);
    if (acceleration) {
      for (int k = m.body_dofadr[i]; k < end; ++k) addScaled6(ai, &d.cdof[6 * k], acceleration[k]);
    }
    copy6(a + 6 * i, ai);
    bodyForce(f + 6 * i, &d.cinert[10 * i], ai, &d.cvel[6 * i]);
  }
}

/// m (a - g) of every flex node that can move, `upward` being -g.
void nodeForces(const Model& m, const Data& d, const double* upward, const double* acceleration, double* qfrc) {
  for (int node = 0; node < m.nflexnode; ++node) {
    if (nodeAsleep(m, d, node)) continue;
    const double mass = m.flexnode_pinned[node] ? 0 : m.flexnode_mass[node];
    for (int k = 0; k < 3; ++k) {
      const double a = acceleration ? acceleration[m.nv_rigid + 3 * node + k] : 0;
      qfrc[3 * node + k] = mass * (upward[k] + a);
    }
  }
}

}  // namespace

namespace {

enum class Weight { Included, LeftOut };

void newtonEuler(const Model& m, Data& d, const double* acceleration, double* qfrc, Weight weight) {
  Arena::Scope scope(d.work->arena);
  double* a = d.work->arena.take<double>(6 * m.nbody).data();
  double* f = d.work->arena.take<double>(6 * m.nbody).data();

  // gravity as an upward acceleration of the world
  zero6(a);
  zero6(f);
  if (weight == Weight::Included && !m.opt.disabled(disable::kGravity)) {
    for (int k = 0; k < 3; ++k) a[3 + k] = -m.opt.gravity[k];
  }

  forEachTreePiece(m, d, [&](const TreePiece& piece) {
    const std::span<const int> bodies = piece.bodies(awakeBodies(d));
    forcesOfBodies(m, d, bodies, acceleration, a, f);
    // what a sleeping body passes on to a static one changes the force on no dof, nor does that on the world
    for (const int i : Backward{bodies}) {
      if (m.body_parentid[i] > 0) add6(f + 6 * m.body_parentid[i], f + 6 * i);
    }
    forEachAwakeRunIn(m, d, piece, [&](int begin, int end) {
      for (int k = begin; k < std::min(end, m.nv_rigid); ++k) qfrc[k] = dot6(&d.cdof[6 * k], f + 6 * m.dof_bodyid[k]);
    });
  });
  nodeForces(m, d, a + 3, acceleration, qfrc + m.nv_rigid);
}

}  // namespace

void newtonEuler(const Model& m, Data& d, const double* acceleration, double* qfrc) {
  newtonEuler(m, d, acceleration, qfrc, Weight::Included);
}

void motionForce(const Model& m, Data& d, double* qfrc) { newtonEuler(m, d, nullptr, qfrc, Weight::LeftOut); }

}  // namespace sinew
