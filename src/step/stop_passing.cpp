#include "step/stop_passing.h"

#include <limits>
#include <span>

#include "collision/collision.h"
#include "collision/thin.h"
#include "constraint/constraint.h"
#include "integrate/integrate.h"
#include "metric/step_matrix.h"
#include "model/workspace.h"

namespace sinew {
namespace {

/// Solutions after the first. Each holds what the ones before would have let pass, so that few are needed; a step that
/// needs more is left as it is.
constexpr int kMostPasses = 8;

/// Depth at which a contact is to end the step at most. Sheets know on which side they are. Of others those that are
/// deeper already, as bodies that overlap from the start, give way as soft contacts do until their middles would meet;
/// beyond it is too late.
double mostDepth(const Model& m, const Contact& contact) {
  const double stop = stopDepth(m, contact);
  const bool flexes = contact.flex[0] >= 0 || contact.flex[1] >= 0;
  if (flexes || kPassingShare * contact.dist >= -stop) return stop;
  const double middle = middleDepth(m, contact);
  return contact.dist > -middle ? middle : std::numeric_limits<double>::infinity();
}

/// Marks contacts that end the step deeper than they may; true if there are any.
bool markTooDeep(const Model& m, Data& d, std::span<const double> qvel) {
  bool any = false;
  for (const RowBlock& block : d.row_block) {
    if (d.efc_type[block.row] < RowType::ContactFrictionless) continue;
    Contact& contact = d.contact[d.efc_id[block.row]];
    if (contact.swept || contact.exclude != ContactExclude::None) continue;
    double approach = 0;  // the first row of a contact's block is its normal, also where it is a pyramid
    for (int k = 0; k < block.ncol; ++k) {
      approach += d.row_value[block.value + k] * qvel[d.row_column[block.column + k]];
    }
    if (!(approach < 0) || !(contact.dist + m.opt.timestep * approach < -mostDepth(m, contact))) continue;
    any = contact.swept = true;
  }
  return any;
}

}  // namespace

void stopPassing(const Model& m, Data& d) {
  const bool impulses = m.opt.solver == Solver::Impulse;
  if (m.opt.speculative == Speculative::None || m.opt.integrator == Integrator::RK4) return;
  if (d.contact.empty() && d.work->nearPairs.plan.passing.empty()) return;  // nothing is there to stop
  const Arena::Scope scope(d.work->arena);
  const std::span<double> qvel = d.work->arena.take<double>(m.nv), change = d.work->arena.take<double>(m.nv);
  const std::span<double> scratch = d.work->arena.take<double>(m.nv);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const double* acceleration = stepAcceleration(m, d, scratch);
    for (int i = 0; i < m.nv; ++i) {
      const auto k = static_cast<std::size_t>(i);
      change[k] = m.opt.timestep * acceleration[i];
      qvel[k] = d.qvel[i] + change[k];
    }
    const bool deep = !impulses && markTooDeep(m, d, qvel);  // hard contacts are not any harder
    const bool met = collidePassing(m, d, qvel, change) > 0;
    if (!deep && !met) return;
    buildRows(m, d);
    referenceAcceleration(m, d);
    if (impulses) metric(m, d);
    solveConstraints(m, d);
  }
}

}  // namespace sinew
