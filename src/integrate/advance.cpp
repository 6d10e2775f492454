#include <algorithm>
#include <span>

#include "forces/actuation.h"
#include "forces/forces.h"
#include "integrate/integrate.h"

namespace sinew {
namespace {

void advanceActivations(const Model& m, Data& d, const double* act_dot) {
  if (m.na == 0 || m.opt.disabled(disable::kActuation)) return;
  for (int u = 0; u < m.nu; ++u) {
    if (m.actuator_actadr[u] < 0) continue;
    const bool frozen = actuatorDisabled(m, u);
    const int end = m.actuator_actadr[u] + m.actuator_actnum[u];
    for (int a = m.actuator_actadr[u]; a < end; ++a) {
      d.act[a] = nextActivation(m, d, u, a, frozen ? 0 : act_dot[a]);
    }
    // a setpoint that turns for ever is kept within one turn of the transmission
    const double period = m.actuator_dyntype[u] == DynType::Integrator ? setpointPeriod(m, u) : 0;
    if (period > 0) d.act[end - 1] = nearestSetpoint(d.act[end - 1], d.actuator_length[u], period);
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

void integrateImpulses(const Model& m, Data& d) {
  const Arena::Scope scope(d.arena);
  const std::span<double> velocity = d.arena.take<double>(m.nv);
  for (int i = 0; i < m.nv; ++i) {
    velocity[static_cast<std::size_t>(i)] = d.qvel[i] + m.opt.timestep * d.qacc[i] + d.qvel_push[i];
  }
  advance(m, d, d.act_dot.data(), d.qacc.data(), velocity.data());
}

void stopPinnedNodes(const Model& m, Data& d) {
  for (int node = 0; node < m.nflexnode; ++node) {
    if (m.flexnode_pinned[node]) std::fill_n(d.qvel.data() + m.nv_rigid + 3 * node, 3, 0.0);
  }
}

void advance(const Model& m, Data& d, const double* act_dot, const double* acceleration, const double* qvel) {
  const double h = m.opt.timestep;
  advanceActivations(m, d, act_dot);
  for (int i = 0; i < m.nv; ++i) d.qvel[i] += h * acceleration[i];
  stopPinnedNodes(m, d);
  integratePositions(m, d.qpos.data(), qvel ? qvel : d.qvel.data(), h);
  d.time += h;
  std::copy(d.qacc.begin(), d.qacc.end(), d.qacc_warmstart.begin());
}

}  // namespace sinew
