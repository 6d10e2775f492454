#include "derivatives/nudged_sensors.h"

#include <algorithm>
#include <vector>

#include "constraint/problem.h"
#include "derivatives/stencil.h"
#include "forces/forces.h"
#include "kinematics/positions.h"
#include "math/types.h"
#include "sensor/sensor.h"
#include "solve/rows.h"
#include "step/stages.h"

namespace sinew::smooth {
namespace {

/// A Data whose state is nudged, and its sensors.
class Sensed {
 public:
  Sensed(const Model& m, const Data& x, bool actuators)
      : m_(m), x_(x), y_(x), actuators_(actuators), tangent_(static_cast<std::size_t>(m.nv), 0.0) {
    y_.threads = 1;
  }

  void position(int dof, double distance) {
    std::copy(x_.qpos.begin(), x_.qpos.end(), y_.qpos.begin());
    if (dof >= 0) {
      tangent_[static_cast<std::size_t>(dof)] = distance;
      integratePositions(m_, y_.qpos.data(), tangent_.data(), 1);
      tangent_[static_cast<std::size_t>(dof)] = 0;
    }
    positionStage(m_, y_, Sensing::Off);
    velocity(-1, 0);
  }

  /// At the coordinates of the last position().
  void velocity(int dof, double distance) {
    std::copy(x_.qvel.begin(), x_.qvel.end(), y_.qvel.begin());
    if (dof >= 0) y_.qvel[dof] += distance;
    velocityStage(m_, y_, Sensing::Off);
  }

  void act(int activation, double distance) { y_.act[activation] = x_.act[activation] + distance; }
  void ctrl(int control, double distance) { y_.ctrl[control] = x_.ctrl[control] + distance; }

  /// With qacc and efc_force of x, and so much more.
  template <class A, class F>
  VecX sensors(const A& acceleration, const F& force) {
    if (actuators_) actuation(m_, y_);
    for (int i = 0; i < m_.nv; ++i) y_.qacc[i] = x_.qacc[i] + acceleration[i];
    const bool sameRows = y_.nefc() == x_.nefc();  // else x has none, and what begins does not push yet
    for (int i = 0; i < y_.nefc(); ++i) y_.efc_force[i] = sameRows ? x_.efc_force[i] + force[i] : 0;
    std::fill(y_.qfrc_constraint.begin(), y_.qfrc_constraint.end(), 0.0);
    if (y_.nefc() > 0) solve::addTransposed(rowsOf(y_), y_.efc_force.data(), y_.qfrc_constraint.data());
    // a sensor may read what changes after its stage: kinetic energy, those of users
    for (const Stage stage : {Stage::Pos, Stage::Vel, Stage::Acc}) sense(m_, y_, stage);
    return ConstMapVecX(y_.sensordata.data(), m_.nsensordata);
  }

 private:
  const Model& m_;
  const Data& x_;
  Data y_;
  bool actuators_;
  std::vector<double> tangent_;
};

/// Column `column` of the derivatives by differences; move(distance) moves the variable, qacc and efc_force follow by
/// their derivatives.
template <class Move>
void difference(const Stencil& stencil, const Matrix& acceleration, const Matrix& rowForce, int column, Sensed& sensed,
                Matrix& result, Move&& move) {
  for (std::size_t i = 0; i < stencil.place.size(); ++i) {
    if (stencil.weight[i] == 0) continue;
    const double distance = stencil.place[i] * kNudge;
    move(distance);
    const VecX da = distance * acceleration.col(column);
    const VecX df = rowForce.rows() > 0 ? VecX(distance * rowForce.col(column)) : VecX();
    result.col(column) += stencil.weight[i] / kNudge * sensed.sensors(da, df);
  }
}

}  // namespace

Parts nudgedSensors(const Model& m, const Data& x, const Parts& acceleration, const Parts& rowForce) {
  Parts result = Parts::zero(m, m.nsensordata);
  Sensed sensed(m, x, true);
  for (int i = 0; i < m.nv; ++i) {
    difference(kCentral, acceleration.q, rowForce.q, i, sensed, result.q,
               [&](double distance) { sensed.position(i, distance); });
  }
  sensed.position(-1, 0);
  for (int i = 0; i < m.nv; ++i) {
    difference(kCentral, acceleration.v, rowForce.v, i, sensed, result.v,
               [&](double distance) { sensed.velocity(i, distance); });
  }
  sensed.velocity(-1, 0);
  for (int i = 0; i < m.na; ++i) {
    difference(kCentral, acceleration.act, rowForce.act, i, sensed, result.act,
               [&](double distance) { sensed.act(i, distance); });
    sensed.act(i, 0);
  }
  for (int i = 0; i < m.nu; ++i) {
    difference(stencilOfControl(m, x, i), acceleration.ctrl, rowForce.ctrl, i, sensed, result.ctrl,
               [&](double distance) { sensed.ctrl(i, distance); });
    sensed.ctrl(i, 0);
  }
  return result;
}

InverseSensors nudgedInverseSensors(const Model& m, const Data& x, const RowForces& rows) {
  const Matrix none = Matrix::Zero(m.nv, m.nv), unit = Matrix::Identity(m.nv, m.nv);
  InverseSensors result{Matrix::Zero(m.nsensordata, m.nv), Matrix::Zero(m.nsensordata, m.nv),
                        Matrix::Zero(m.nsensordata, m.nv)};
  Sensed sensed(m, x, false);
  for (int i = 0; i < m.nv; ++i) {
    difference(kCentral, none, rows.forceQ, i, sensed, result.q,
               [&](double distance) { sensed.position(i, distance); });
  }
  sensed.position(-1, 0);
  for (int i = 0; i < m.nv; ++i) {
    difference(kCentral, none, rows.forceV, i, sensed, result.v,
               [&](double distance) { sensed.velocity(i, distance); });
  }
  sensed.velocity(-1, 0);
  const Matrix byAcceleration = -rows.response;
  for (int i = 0; i < m.nv; ++i) {
    difference(kCentral, unit, byAcceleration, i, sensed, result.a, [](double) {});
  }
  return result;
}

}  // namespace sinew::smooth
