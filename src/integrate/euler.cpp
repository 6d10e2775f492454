#include <algorithm>
#include <span>

#include "forces/damper.h"
#include "inertia/inertia.h"
#include "integrate/integrate.h"
#include "integrate/spin.h"
#include "model/awake.h"
#include "model/workspace.h"

namespace sinew {
namespace {

/// h times the rate of every dof damper into `rates` (nv numbers, set for what is awake). False, and nothing written,
/// if damping is integrated explicitly or there is none. What sleeps counts, so that the way what is awake is
/// integrated does not depend on it.
bool implicitDamping(const Model& m, Data& d, std::span<double> rates) {
  if (m.opt.disabled(disable::kEulerDamp | disable::kDamper)) return false;
  const Arena::Scope scope(d.work->arena);
  const std::span<DampingLaw> laws = d.work->arena.take<DampingLaw>(m.nv);
  dofDamping(m, d, laws);
  const auto damps = [](const DampingLaw& law) { return law.b0 > 0 || law.b1 != 0 || law.b2 != 0; };
  bool any = false;
  forEachAwakeRun(
      m, d, [&](int begin, int end) { any = any || std::any_of(laws.begin() + begin, laws.begin() + end, damps); });
  if (!any && !sleepingDofDamps(m, d)) return false;
  forEachAwakeDof(m, d, [&](int i) {
    const std::size_t k = static_cast<std::size_t>(i);
    rates[k] = m.opt.timestep * laws[k].rate(d.qvel[i]);
  });
  return true;
}

/// qH, qHDiagInv = factor of M + h B, B the diagonal of damping rates.
void factorDamped(const Model& m, Data& d, std::span<const double> rates, Pivots pivots) {
  copyAwakeRows(m, d, d.M.data(), d.qH.data());
  forEachAwakeDof(m, d, [&](int i) { d.qH[m.M_rowadr[i] + m.M_rownnz[i] - 1] += rates[static_cast<std::size_t>(i)]; });
  factorTree(m, d, d.qH.data(), d.qHDiagInv.data(), pivots);
}

}  // namespace

void integrateEuler(const Model& m, Data& d) {
  const Arena::Scope scope(d.work->arena);
  const std::span<double> rates = d.work->arena.take<double>(m.nv);
  if (!implicitDamping(m, d, rates)) {
    advance(m, d, d.act_dot.data(), d.qacc.data(), nullptr);
    return;
  }

  // (M + h B) a = all forces
  factorDamped(m, d, rates, Pivots::Any);
  const std::span<double> a = d.work->arena.take<double>(m.nv);
  forEachAwakeDof(m, d, [&](int i) { a[static_cast<std::size_t>(i)] = d.qfrc_smooth[i] + d.qfrc_constraint[i]; });
  solveTree(m, d, d.qH.data(), d.qHDiagInv.data(), a.data());
  advance(m, d, d.act_dot.data(), a.data(), nullptr);
}

void impulseMetricEuler(const Model& m, Data& d) {
  const Arena::Scope scope(d.work->arena);
  const std::span<double> rates = d.work->arena.take<double>(m.nv);
  std::copy(d.qacc_smooth.begin(), d.qacc_smooth.end(), d.qacc.begin());
  if (implicitDamping(m, d, rates)) {
    factorDamped(m, d, rates, Pivots::Positive);  // impulses need a definite matrix
    forEachAwakeDof(m, d, [&](int i) { d.qacc[i] = d.qfrc_smooth[i]; });
    solveTree(m, d, d.qH.data(), d.qHDiagInv.data(), d.qacc.data());
  } else {
    std::copy(d.qLD.begin(), d.qLD.end(), d.qH.begin());
    std::copy(d.qLDiagInv.begin(), d.qLDiagInv.end(), d.qHDiagInv.begin());
  }
  spinFreeBodies(m, d);
}

void discreteForceEuler(const Model& m, Data& d, const double* acceleration, double* qfrc) {
  const Arena::Scope scope(d.work->arena);
  const std::span<double> rates = d.work->arena.take<double>(m.nv);
  multiplyMass(m, d, acceleration, qfrc);
  if (!implicitDamping(m, d, rates)) return;
  forEachAwakeDof(m, d, [&](int i) { qfrc[i] += rates[static_cast<std::size_t>(i)] * acceleration[i]; });
}

}  // namespace sinew
