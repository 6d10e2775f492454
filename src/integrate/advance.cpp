#include <algorithm>
#include <span>

#include "forces/actuation.h"
#include "forces/forces.h"
#include "forces/servo.h"
#include "forces/so3.h"
#include "integrate/integrate.h"
#include "model/awake.h"

namespace sinew {
namespace {

void advanceActivations(const Model& m, Data& d, const double* act_dot) {
  if (m.na == 0 || m.opt.disabled(disable::kActuation)) return;
  for (int u = 0; u < m.nactuator; ++u) {
    if (m.actuator_actadr[u] < 0) continue;
    const bool frozen = actuatorDisabled(m, u);
    const int end = m.actuator_actadr[u] + m.actuator_actnum[u];
    for (int a = m.actuator_actadr[u]; a < end; ++a) {
      d.act[a] = nextActivation(m, d, u, a, frozen ? 0 : act_dot[a]);
    }
    // a setpoint that turns for ever is kept within one turn of the transmission
    if (m.actuator_dyntype[u] != DynType::Integrator) continue;
    const double period = setpointPeriod(m, u);
    if (period > 0) d.act[end - 1] = nearestSetpoint(d.act[end - 1], d.actuator_length[m.actuator_outadr[u]], period);
    if (m.actuator_gaintype[u] == GainType::So3) so3::shortenSetpoint(&d.act[m.actuator_actadr[u]]);
  }
}

}  // namespace

void impulseMetric(const Model& m, Data& d) {
  if (m.opt.integrator == Integrator::Euler || m.opt.integrator == Integrator::RK4) {
    impulseMetricEuler(m, d);
  } else {
    impulseMetricImplicit(m, d, m.opt.integrator == Integrator::ImplicitFast);
  }
}

void stopPinnedNodes(const Model& m, Data& d) {
  for (int node = 0; node < m.nflexnode; ++node) {
    if (m.flexnode_pinned[node]) std::fill_n(d.qvel.data() + m.nv_rigid + 3 * node, 3, 0.0);
  }
}

void advance(const Model& m, Data& d, const double* act_dot, const double* acceleration, const double* qvel) {
  const double h = m.opt.timestep;
  advanceActivations(m, d, act_dot);
  forEachAwakeDof(m, d, [&](int i) { d.qvel[i] += h * acceleration[i]; });
  stopPinnedNodes(m, d);
  integrateAwakePositions(m, d, d.qpos.data(), qvel ? qvel : d.qvel.data());
  d.time += h;
  forEachAwakeRun(m, d, [&](int begin, int end) {
    std::copy_n(d.qacc.data() + begin, end - begin, d.qacc_warmstart.data() + begin);
  });
}

}  // namespace sinew
