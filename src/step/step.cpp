#include "sinew/step.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "collision/sides.h"
#include "constraint/constraint.h"
#include "integrate/integrate.h"
#include "math/number_checks.h"
#include "math/types.h"
#include "model/memory.h"
#include "model/option_check.h"
#include "model/workspace.h"
#include "sensor/sensor.h"
#include "sinew/stages.h"
#include "step/check_inputs.h"
#include "step/flex_cause.h"
#include "step/largest_force.h"
#include "step/sleep.h"
#include "step/stages.h"
#include "step/watch.h"

namespace sinew {
namespace {

/// Dof of an entry of qpos, qvel or qacc that is one of a flex node; else the entry itself.
int nodeDof(const Model& m, Trouble trouble, int index) {
  return trouble == Trouble::BadQpos && index >= m.nq_rigid ? index - m.nq_rigid + m.nv_rigid : index;
}

/// The hardest push on the dofs that entry `index` of qpos, qvel or qacc belongs to, by the last forces computed.
LargestForce forceBehind(const Model& m, Data& d, Trouble trouble, int index) {
  if (trouble != Trouble::BadQpos || index >= m.nq_rigid) return largestForce(m, d, nodeDof(m, trouble, index), 1);
  const int joint = jointOfCoordinate(m, index);
  return joint < 0 ? LargestForce{} : largestForce(m, d, m.jnt_dofadr[joint], dofsOf(m, joint));
}

/// The dof to ask for a flex: that of the first bad entry or, if constraints push there, of the first bad entry of a
/// flex, which may have pulled or pushed the body along.
int flexDofBehind(const Model& m, Trouble trouble, const Array<double>& values, int index, ForceTerm term) {
  const int rigid = trouble == Trouble::BadQpos ? m.nq_rigid : m.nv_rigid;
  if (index < rigid && term == ForceTerm::Constraint) {
    const auto found =
        std::find_if(values.begin() + rigid, values.end(), [](double x) { return !(std::abs(x) <= kMaxVal); });
    if (found != values.end()) return nodeDof(m, trouble, static_cast<int>(found - values.begin()));
  }
  const int joint = trouble == Trouble::BadQpos && index < m.nq_rigid ? jointOfCoordinate(m, index) : -1;
  return joint >= 0 ? m.jnt_dofadr[joint] : nodeDof(m, trouble, index);
}

/// Notes the first entry that is not finite or beyond 1e10, and goes back to the initial state unless that is switched
/// off. The reset clears the forces, so they are looked at before it; the status outlives it. True if something was
/// wrong.
bool resetIfBad(const Model& m, Data& d, Trouble trouble, const Array<double>& values) {
  if (allWithin(values, kMaxVal)) return false;
  const auto found = std::find_if(values.begin(), values.end(), [](double x) { return !(std::abs(x) <= kMaxVal); });
  const int index = static_cast<int>(found - values.begin());
  const double time = d.time;
  const LargestForce force = forceBehind(m, d, trouble, index);
  const FlexCause cause = flexCause(m, d, flexDofBehind(m, trouble, values, index, force.term));
  if (!m.opt.disabled(disable::kAutoReset)) {
    const Status status = d.status;
    reset(m, d);
    d.status = status;
  }
  d.status.note(trouble, index, time, force, cause);
  return true;
}

void integrate(const Model& m, Data& d) {
  sampleSensors(m, d);
  if (m.opt.integrator != Integrator::RK4) sampleControls(m, d);
  if (m.opt.solver == Solver::Impulse) rememberImpulses(m, d);
  rememberSides(d);
  if (m.opt.integrator == Integrator::RK4) return integrateRungeKutta4(m, d);
  const Arena::Scope scope(d.work->arena);
  const double* a = stepAcceleration(m, d, d.work->arena.take<double>(m.nv));
  advance(m, d, d.act_dot.data(), a, nullptr);
}

/// True if the Data belongs to the Model; else the trouble is noted, and nothing else of it may be touched.
bool belongs(const Model& m, Data& d) {
  if (d.signature == m.signature) return true;
  d.status.note(Trouble::OtherModel, -1, d.time);
  return false;
}

/// True if a step can work with the options, which a program may have changed since they were compiled.
bool optionsAreGood(const Model& m, Data& d) {
  const OptionFault fault = findFault(m.opt);
  if (fault.rule < 0) return true;
  const bool isFirst = d.status[Trouble::BadOption].count == 0;
  d.status.note(Trouble::BadOption, fault.rule, d.time);
  if (isFirst) d.status[Trouble::BadOption].value = fault.value;
  return false;
}

/// Calls work(m, d), which may find no more memory: then that is noted, the state is what it was, and the result false.
template <class Work>
bool withinMemory(const Model& m, Data& d, Work&& work) {
  try {
    work(m, d);
    d.work->arena.settle();
    return true;
  } catch (const std::bad_alloc&) {
    d.status.note(Trouble::ContactLimit, kOutOfMemory, d.time);
    TroubleReport& report = d.status[Trouble::ContactLimit];
    if (report.first == kOutOfMemory) report.value = std::max(report.value, static_cast<double>(d.ncon()));
    return false;
  }
}

/// What a step begins with: all that follows from qpos and qvel, and what the user's controller makes of it.
void beginStep(const Model& m, Data& d) {
  resetIfBad(m, d, Trouble::BadQpos, d.qpos);
  resetIfBad(m, d, Trouble::BadQvel, d.qvel);
  stopPinnedNodes(m, d);
  checkPoses(m, d);  // mocap poses -> status
  positionStage(m, d, Sensing::On);
  velocityStage(m, d, Sensing::On);
  controlStage(m, d);
}

/// The rest of it.
void finishStep(const Model& m, Data& d) {
  checkControls(m, d);  // ctrl, applied forces -> status
  accelerationStage(m, d, Sensing::On);
  if (resetIfBad(m, d, Trouble::BadQacc, d.qacc) && !m.opt.disabled(disable::kAutoReset)) {
    evaluate(m, d, Sensing::On);
  }
  advanceStage(m, d);
}

constexpr int kForward = 2;  ///< Workspace::halfway after forward()

}  // namespace

void advanceStage(const Model& m, Data& d) {
  watchEnergy(m, d);     // the whole state -> status
  noteViolations(m, d);  // contacts, rows  -> status
  watchSolver(m, d);     // island          -> status
  const Arena::Scope scope(d.work->arena);
  const std::span<double> before = d.work->arena.take<double>(m.nv);
  std::copy(d.qvel.begin(), d.qvel.end(), before.begin());
  fallAsleep(m, d);  // qvel, rows      -> tree_asleep
  integrate(m, d);   // qacc, act_dot   -> qpos, qvel, act, time
  addWork(m, d, before);
}

void step(const Model& m, Data& d) {
  if (!belongs(m, d) || !optionsAreGood(m, d)) return;
  d.work->halfway = 0;
  withinMemory(m, d, [](const Model& model, Data& data) {
    beginStep(model, data);
    finishStep(model, data);
  });
}

void step1(const Model& m, Data& d) {
  d.work->halfway = -1;
  if (!belongs(m, d) || !optionsAreGood(m, d)) return;
  if (withinMemory(m, d, beginStep)) d.work->halfway = 1;
}

void step2(const Model& m, Data& d) {
  const int halfway = std::exchange(d.work->halfway, 0);
  if (halfway < 0 || !belongs(m, d)) return;  // step1() has noted why
  if (halfway == 0) {
    d.status.note(Trouble::StageOrder, -1, d.time);
    return;
  }
  if (!optionsAreGood(m, d)) return;
  // the impulse solver has written its targets into the rows that forward() left: they are made anew
  if (halfway == kForward && m.opt.solver == Solver::Impulse && !withinMemory(m, d, beginStep)) return;
  withinMemory(m, d, finishStep);
}

void forward(const Model& m, Data& d) {
  d.work->halfway = -1;
  if (!belongs(m, d) || !optionsAreGood(m, d)) return;
  const bool done = withinMemory(m, d, [](const Model& model, Data& data) {
    checkPoses(model, data);
    positionStage(model, data, Sensing::On);
    velocityStage(model, data, Sensing::On);
    controlStage(model, data);
    checkControls(model, data);
    accelerationStage(model, data, Sensing::On);
  });
  if (done) d.work->halfway = kForward;  // all that step1() computes is there, and step2() may follow
}

void energy(const Model& m, Data& d) {
  if (!belongs(m, d)) return;
  potentialEnergy(m, d);
  kineticEnergy(m, d);
  d.work->arena.settle();
}

}  // namespace sinew
