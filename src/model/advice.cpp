#include "model/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

constexpr const char* kSmaller = "; a smaller timestep may help";

std::string implicitCure(const char* what) {
  return fmt::format("; {} is integrated explicitly: integrator=\"implicitfast\" takes it implicitly, at any timestep",
                     what);
}

/// Largest step in which a spring of the joint is stable, s; 0: it has none.
double stableStepOfSpring(const Model& m, int dof) {
  if (dof < 0 || dof >= m.nv_rigid) return 0;
  const double k = m.jnt_stiffness[m.dof_jntid[dof]];
  return k > 0 ? 2 * std::sqrt(m.dof_M0[dof] / k) : 0;
}

/// Springs are explicit under every integrator, dampers under none but these: those of tendons and fluids under Euler,
/// those of joints as well if eulerdamp is off, and all under RK4.
std::string ofPassiveForces(const Model& m, int dof) {
  const bool cables = m.ncable > 0;
  if (isExplicit(m) && cables) return implicitCure("the stiffness of cables");
  const double stable = stableStepOfSpring(m, dof);
  if (stable > 0 && stable < 2 * m.opt.timestep) {
    return fmt::format("; the spring of this joint is stable up to a timestep of about {:.3g} s, this one is {:.3g} s",
                       stable, m.opt.timestep);
  }
  const auto positive = [](double x) { return x > 0; };
  const bool joints = m.opt.integrator == Integrator::RK4 || m.opt.disabled(disable::kEulerDamp);
  const bool dampers = std::any_of(m.tendon_damping.begin(), m.tendon_damping.end(), positive) ||
                       (joints && dof >= 0 && dof < m.nv && m.dof_damping[dof] > 0) || m.opt.density > 0 ||
                       m.opt.viscosity > 0;
  return isExplicit(m) && dampers ? implicitCure("damping") : kSmaller;
}

/// Feedback of the velocity can be implicit, that of the position not.
std::string ofActuators(const Model& m) {
  bool damped = false;
  for (int u = 0; u < m.nactuator; ++u) {
    damped = damped || (m.actuator_biastype[u] == BiasType::Affine && m.actuator_biasprm[10 * u + 2] < 0);
  }
  return isExplicit(m) && damped ? implicitCure("the damping (kv) of actuators")
                                 : "; smaller gains of the actuators or a smaller timestep may help";
}

std::string ofConstraints(const Model& m) {
  if (m.opt.solver != Solver::Impulse) return kSmaller;
  return fmt::format(
      "; solver=\"Impulse\" takes overlaps out at erp/timestep = {:.3g} per second times their depth: a start without "
      "overlap or a smaller erp helps, a smaller timestep does not",
      m.opt.erp / m.opt.timestep);
}

std::string ofFlex(const Model& m, const FlexCause& cause) {
  switch (cause.term) {
    case FlexTerm::EdgeSpring:
    case FlexTerm::EdgeDamper:
    case FlexTerm::Elasticity:
    case FlexTerm::Bending:
      return isExplicit(m) ? implicitCure("what strains a flex") : kSmaller;
    case FlexTerm::EdgeRow:
    case FlexTerm::Contact:
      return ofConstraints(m);
    case FlexTerm::Applied:
    case FlexTerm::None:
      break;
  }
  return {};
}

}  // namespace

bool isExplicit(const Model& m) { return m.opt.integrator == Integrator::Euler || m.opt.integrator == Integrator::RK4; }

std::string ofDepth(const Model& m) {
  if (m.opt.solver == Solver::Impulse) return {};
  return fmt::format(
      "; soft contacts give way to what presses: solver=\"Impulse\"{} makes them hard, unless things overlap at the "
      "start",
      m.opt.integrator == Integrator::RK4 ? " with integrator=\"Euler\"" : "");
}

std::string advice(const Model& m, const TroubleReport& report) {
  if (report.flex.term != FlexTerm::None) return ofFlex(m, report.flex);
  switch (report.force.term) {
    case ForceTerm::Passive:
      return ofPassiveForces(m, report.force.dof);
    case ForceTerm::Actuator:
      return ofActuators(m);
    case ForceTerm::Constraint:
      return ofConstraints(m);
    case ForceTerm::Bias:
      return kSmaller;
    case ForceTerm::Applied:
    case ForceTerm::None:
      break;
  }
  return {};
}

}  // namespace sinew
