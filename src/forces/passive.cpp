#include <algorithm>
#include <span>

#include "forces/adhesion.h"
#include "forces/cable.h"
#include "forces/damper.h"
#include "forces/elasticity.h"
#include "forces/fluid.h"
#include "forces/forces.h"
#include "forces/gravcomp.h"
#include "forces/spring.h"
#include "model/awake.h"
#include "model/callbacks.h"
#include "model/workspace.h"

namespace sinew {
namespace {

/// qfrc_passive = spring + damper + fluid + adhesion + the gravity compensation of the joints that do not count it as
/// actuation.
void sumPassive(const Model& m, Data& d) {
  forEachAwakeRun(m, d, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      d.qfrc_passive[i] = d.qfrc_spring[i] + d.qfrc_damper[i] + d.qfrc_fluid[i] + d.qfrc_adhesion[i];
    }
    for (int i = begin; i < std::min(end, m.nv_rigid); ++i) {
      if (!m.jnt_actgravcomp[m.dof_jntid[i]]) d.qfrc_passive[i] += d.qfrc_gravcomp[i];
    }
  });
}

/// What the user's callback adds, to what is awake.
void addUserForces(const Model& m, Data& d) {
  if (!d.callbacks.passive) return;
  const Arena::Scope scope(d.work->arena);
  const std::span<double> force = d.work->arena.zeros<double>(m.nv);
  if (!callUser(d, CallbackKind::Passive, [&] { d.callbacks.passive(m, d, force); })) return;
  forEachAwakeDof(m, d, [&](int i) { d.qfrc_passive[i] += force[i]; });
}

}  // namespace

void passive(const Model& m, Data& d) {
  forEachAwakeRun(m, d, [&](int begin, int end) {
    for (Array<double>* force :
         {&d.qfrc_spring, &d.qfrc_damper, &d.qfrc_gravcomp, &d.qfrc_fluid, &d.qfrc_adhesion, &d.qfrc_passive}) {
      std::fill_n(force->data() + begin, end - begin, 0.0);
    }
  });
  const bool springs = !m.opt.disabled(disable::kSpring);
  const bool dampers = !m.opt.disabled(disable::kDamper);
  // MJCF: switching off both switches off everything passive, gravity compensation and fluid included
  if (!springs && !dampers) return;

  if (springs) {
    addJointSprings(m, d);
    addTendonSprings(m, d);
    addCableTorques(m, d);
  }
  if (dampers) {
    addDofDampers(m, d);
    addTendonDampers(m, d);
  }
  addElasticForces(m, d);
  addGravityCompensation(m, d);
  addFluidForces(m, d);
  addContactAdhesion(m, d);
  sumPassive(m, d);
  addUserForces(m, d);
}

}  // namespace sinew
