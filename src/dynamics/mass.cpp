#include <algorithm>

#include "constraint/problem.h"
#include "forces/forces.h"
#include "inertia/inertia.h"
#include "kinematics/jacobian.h"
#include "kinematics/kinematics.h"
#include "kinematics/positions.h"
#include "model/arguments.h"
#include "sensor/object_frame.h"
#include "sensor/sensor.h"
#include "sinew/dynamics.h"
#include "solve/rows.h"

namespace sinew {
namespace {

void checkObject(std::string_view function, const Model& m, const Data& d, ObjType type, int id) {
  argument::pair(function, m, d);
  switch (type) {
    case ObjType::Body:
    case ObjType::XBody:
    case ObjType::Geom:
    case ObjType::Site:
    case ObjType::Camera:
      return argument::id(function, "id", id, countOf(m, type));
    default:
      throw std::invalid_argument(
          fmt::format("{}: objects of type {} have no frame; expected Body, XBody, Geom, Site or Camera", function,
                      static_cast<int>(type)));
  }
}

SpatialMotion inAxes(const FrameMotion& motion, const Mat3& R, Axes axes) {
  const Vec3 linear = axes == Axes::Local ? Vec3(R.transpose() * motion.linear) : motion.linear;
  const Vec3 angular = axes == Axes::Local ? Vec3(R.transpose() * motion.angular) : motion.angular;
  return {{linear.x(), linear.y(), linear.z()}, {angular.x(), angular.y(), angular.z()}};
}

}  // namespace

void multiplyConstraintJacobian(const Model& m, const Data& d, std::span<const double> x, std::span<double> y) {
  argument::pair("multiplyConstraintJacobian", m, d);
  argument::size("multiplyConstraintJacobian", "x", x, argument::dofs(m));
  argument::size("multiplyConstraintJacobian", "y", y, static_cast<std::size_t>(d.nefc()));
  if (!y.empty()) solve::multiplyRows(rowsOf(d), x.data(), y.data());
}

void multiplyConstraintJacobianTransposed(const Model& m, const Data& d, std::span<const double> f,
                                          std::span<double> qfrc) {
  argument::pair("multiplyConstraintJacobianTransposed", m, d);
  argument::size("multiplyConstraintJacobianTransposed", "f", f, static_cast<std::size_t>(d.nefc()));
  argument::size("multiplyConstraintJacobianTransposed", "qfrc", qfrc, argument::dofs(m));
  std::fill(qfrc.begin(), qfrc.end(), 0.0);
  if (!f.empty()) solve::addTransposed(rowsOf(d), f.data(), qfrc.data());
}

void multiplyMass(const Model& m, const Data& d, std::span<const double> x, std::span<double> y) {
  argument::pair("multiplyMass", m, d);
  argument::size("multiplyMass", "x", x, argument::dofs(m));
  argument::size("multiplyMass", "y", y, argument::dofs(m));
  if (x.data() == y.data() && m.nv > 0) throw std::invalid_argument("multiplyMass: x and y must be different arrays");
  multiplyMass(m, d, x.data(), y.data());
}

void solveMass(const Model& m, const Data& d, std::span<const double> b, std::span<double> x) {
  argument::pair("solveMass", m, d);
  argument::size("solveMass", "b", b, argument::dofs(m));
  argument::size("solveMass", "x", x, argument::dofs(m));
  if (b.data() != x.data()) std::copy(b.begin(), b.end(), x.begin());
  solveMass(m, d, x.data());
}

void fullMass(const Model& m, const Data& d, std::span<double> matrix) {
  argument::pair("fullMass", m, d);
  argument::size("fullMass", "matrix", matrix, argument::dofs(m) * argument::dofs(m));
  std::fill(matrix.begin(), matrix.end(), 0.0);
  for (int i = 0; i < m.nv; ++i) {
    for (int k = m.M_rowadr[i]; k < m.M_rowadr[i] + m.M_rownnz[i]; ++k) {
      const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(m.M_colind[k]);
      matrix[row * argument::dofs(m) + column] = matrix[column * argument::dofs(m) + row] = d.M[k];
    }
  }
}

void newtonEuler(const Model& m, Data& d, std::span<const double> qacc, std::span<double> qfrc) {
  argument::pair("newtonEuler", m, d);
  argument::sizeOrEmpty("newtonEuler", "qacc", qacc, argument::dofs(m));
  argument::size("newtonEuler", "qfrc", qfrc, argument::dofs(m));
  newtonEuler(m, d, qacc.empty() ? nullptr : qacc.data(), qfrc.data());
}

void computeBodyForces(const Model& m, Data& d) {
  argument::pair("computeBodyForces", m, d);
  bodyForces(m, d);
}

void computeSubtreeVelocities(const Model& m, Data& d) {
  argument::pair("computeSubtreeVelocities", m, d);
  subtreeVelocities(m, d);
}

void integratePositions(const Model& m, std::span<double> qpos, std::span<const double> qvel, double h) {
  argument::size("integratePositions", "qpos", qpos, static_cast<std::size_t>(m.nq));
  argument::size("integratePositions", "qvel", qvel, argument::dofs(m));
  integratePositions(m, qpos.data(), qvel.data(), h);
}

void differentiatePositions(const Model& m, std::span<double> qvel, double h, std::span<const double> q1,
                            std::span<const double> q2) {
  argument::size("differentiatePositions", "qvel", qvel, argument::dofs(m));
  argument::size("differentiatePositions", "q1", q1, static_cast<std::size_t>(m.nq));
  argument::size("differentiatePositions", "q2", q2, static_cast<std::size_t>(m.nq));
  if (!(h > 0)) throw std::invalid_argument(fmt::format("differentiatePositions: h is {}, must be above 0", h));
  differentiatePositions(m, qvel.data(), h, q1.data(), q2.data());
}

SpatialMotion objectVelocity(const Model& m, const Data& d, ObjType type, int id, Axes axes) {
  checkObject("objectVelocity", m, d, type, id);
  const ObjectFrame frame = objectFrame(m, d, type, id);
  return inAxes(frameVelocity(m, d, frame), frame.R, axes);
}

SpatialMotion objectAcceleration(const Model& m, const Data& d, ObjType type, int id, Axes axes) {
  checkObject("objectAcceleration", m, d, type, id);
  const ObjectFrame frame = objectFrame(m, d, type, id);
  return inAxes(frameAcceleration(m, d, frame), frame.R, axes);
}

}  // namespace sinew
