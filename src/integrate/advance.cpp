#include <algorithm>
#include <span>

#include "forces/actuation.h"
#include "forces/derivative.h"
#include "forces/forces.h"
#include "forces/servo.h"
#include "forces/so3.h"
#include "forces/stiff_metric.h"
#include "inertia/inertia.h"
#include "integrate/integrate.h"
#include "kinematics/positions.h"
#include "metric/step_matrix.h"
#include "model/awake.h"
#include "model/workspace.h"

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

/// Constraint forces whose error is a larger share of them are not what the step moves with. The same share as that by
/// which watchSolver() calls an island far from converged.
constexpr double kLargestForceError = 0.1;
/// An error of this share of the other forces is rounding.
constexpr double kRounding = 1e-10;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double square(double x) { return x * x; }

/// Below this share, |r| <= s |c| of two forces, r'inv(M) r is below kLargestForceError^2 c'inv(M) c for any M whose
/// condition number is below 1e14.
constexpr double kExact = 1e-8;

/// At the optimum of the constraints M qacc is the sum of all forces. A solver that ends before it, for want of
/// iterations or of digits, has a force c = J'f off by r = sum of forces - M qacc, which is large where rows are stiff
/// and qacc is hardly off at all. An acceleration inv(A) (M qacc + r) with r as large as the forces themselves takes
/// things apart. So trees with r'inv(M) r above a share of c'inv(M) c move with M qacc. `force`: the sum of forces,
/// changed.
void replaceInexactForces(const Model& m, Data& d, std::span<double> force) {
  const Arena::Scope scope(d.work->arena);
  const std::span<double> exact = d.work->arena.take<double>(m.nv), error = d.work->arena.take<double>(m.nv);
  multiplyMass(m, d, d.qacc.data(), exact.data());
  for (std::size_t i = 0; i < force.size(); ++i) error[i] = force[i] - exact[i];
  const auto ofTree = [&](int tree, std::span<const double> values) {
    return values.subspan(static_cast<std::size_t>(m.tree_dofadr[tree]), static_cast<std::size_t>(m.tree_dofnum[tree]));
  };
  const std::span<const double> constraint(d.qfrc_constraint.data(), force.size());
  const auto isExact = [&](int tree) {
    const std::span<const double> r = ofTree(tree, error), c = ofTree(tree, constraint);
    return treeAsleep(d, tree) || dot(r, r) <= square(kExact) * dot(c, c);
  };
  int tree = 0;
  while (tree < m.ntree && isExact(tree)) ++tree;
  if (tree == m.ntree) return;  // nearly always, and spares two solutions

  const std::span<double> solvedError = d.work->arena.take<double>(m.nv), solved = d.work->arena.take<double>(m.nv);
  std::copy(error.begin(), error.end(), solvedError.begin());
  std::copy(constraint.begin(), constraint.end(), solved.begin());
  solveMass(m, d, solvedError.data());
  solveMass(m, d, solved.data());
  for (; tree < m.ntree; ++tree) {
    if (isExact(tree)) continue;
    const double most = square(kLargestForceError) * dot(ofTree(tree, constraint), ofTree(tree, solved)) +
                        square(kRounding) * dot(ofTree(tree, {d.qfrc_smooth.data(), force.size()}),
                                                ofTree(tree, {d.qacc_smooth.data(), force.size()}));
    if (!(dot(ofTree(tree, error), ofTree(tree, solvedError)) > most)) continue;
    std::copy_n(exact.begin() + m.tree_dofadr[tree], m.tree_dofnum[tree], force.begin() + m.tree_dofadr[tree]);
  }
}

/// Stops are promises about the velocity at the end of the step, made for qacc. The matrix of a free body has
/// gyroscopic torques, which would turn it in elsewhere: what must stop moves with qacc in that step.
void keepStops(const Model& m, const Data& d, double* acceleration) {
  for (const Contact& contact : d.contact) {
    if (!contact.swept || contact.efc_address < 0) continue;
    for (const int geom : contact.geom) {
      const int tree = geom < 0 ? -1 : m.body_treeid[m.geom_bodyid[geom]];
      if (tree < 0 || !isStandaloneFreeBody(m, m.tree_bodyadr[tree])) continue;
      std::copy_n(d.qacc.data() + m.tree_dofadr[tree], m.tree_dofnum[tree], acceleration + m.tree_dofadr[tree]);
    }
  }
}

}  // namespace

const double* stepAcceleration(const Model& m, Data& d, std::span<double> scratch) {
  if (m.opt.solver == Solver::Impulse || d.work->stepMatrix == StepMatrix::Inertia) return d.qacc.data();
  double* const a = scratch.data();
  std::fill(scratch.begin(), scratch.end(), 0.0);
  forEachAwakeDof(m, d, [&](int i) { a[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i]; });
  if (d.nefc() > 0) replaceInexactForces(m, d, scratch);
  solveStepMatrix(m, d, a);
  // the metric of stiff parts had all of that already
  if (stiffnessIsImplicit(m)) {
    for (const int dof : m.stiff_dof) a[dof] = d.qacc[dof];
  }
  keepStops(m, d, a);
  return a;
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
  const Arena::Scope scope(d.work->arena);
  if (!qvel && m.opt.integrator == Integrator::Midpoint && stiffnessIsImplicit(m)) {
    const std::span<double> mean = d.work->arena.take<double>(m.nv);
    std::copy(d.qvel.begin(), d.qvel.end(), mean.begin());
    for (const int dof : m.stiff_dof) {
      mean[dof] -= 0.5 * (h * acceleration[dof] + d.work->flexUnresolved[dof]);
    }
    qvel = mean.data();
  }
  if (m.opt.solver == Solver::Impulse && d.work->qvel_correction.size() == m.nv) {
    const std::span<double> moving = d.work->arena.take<double>(m.nv);
    const double* from = qvel ? qvel : d.qvel.data();
    for (int i = 0; i < m.nv; ++i) moving[i] = from[i] + d.work->qvel_correction[i];
    qvel = moving.data();
  }
  integrateAwakePositions(m, d, d.qpos.data(), qvel ? qvel : d.qvel.data());
  d.time += h;
  forEachAwakeRun(m, d, [&](int begin, int end) {
    std::copy_n(d.qacc.data() + begin, end - begin, d.qacc_warmstart.data() + begin);
  });
}

}  // namespace sinew
