#include "forces/plate_bending.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/index.h"
#include "elastic/hinge.h"
#include "forces/elasticity.h"
#include "math/types.h"
#include "model/workspace.h"

namespace sinew {
namespace {

using elastic::Nodes;
using Curvature = Eigen::Vector3d;

Nodes<4> gather(const Model& m, const double* array, int f, int h) {
  Nodes<4> x;
  for (int i = 0; i < 4; ++i) x.col(i) = vec3(array, m.flex_pointadr[f] + m.flexhinge_vert[4 * h + i]);
  return x;
}

void scatter(const Model& m, const Nodes<4>& force, int f, int h, double* array) {
  for (int i = 0; i < 4; ++i) vec3(array, m.flex_pointadr[f] + m.flexhinge_vert[4 * h + i]) += force.col(i);
}

/// Curvature of an element of the whole model; angles of the hinges of its flex, from the first.
Curvature curvatureOf(const Model& m, int elem, int firstHinge, std::span<const double> angle) {
  Curvature k = Curvature::Zero();
  const int end = m.flexelem_curvadr[elem] + m.flexelem_curvnum[elem];
  for (int i = m.flexelem_curvadr[elem]; i < end; ++i) {
    k += angle[at(m.flexcurv_hinge[i] - firstHinge)] * vec3(m.flexcurv_weight.data(), i);
  }
  return k;
}

Curvature momentOf(const Model& m, int elem, const Curvature& k) {
  const double* D = &m.flexelem_plate[6 * elem];
  return {D[0] * k[0] + D[1] * k[1] + D[2] * k[2], D[1] * k[0] + D[3] * k[1] + D[4] * k[2],
          D[2] * k[0] + D[4] * k[1] + D[5] * k[2]};
}

/// The way from the angle at rest, the shorter way round.
double turn(double angle, double rest) { return std::remainder(angle - rest, 2 * std::numbers::pi); }

/// Angles of the folds against rest. A fold without a normal counts as unbent.
std::span<const double> anglesOf(const Model& m, const Data& d, int f, Arena& arena) {
  const int first = m.flex_hingeadr[f], count = m.flex_hingenum[f];
  const std::span<double> angle = arena.zeros<double>(count);
  for (int h = 0; h < count; ++h) {
    const elastic::Fold fold = elastic::foldOf(gather(m, d.flexpoint_xpos.data(), f, first + h));
    if (fold.valid) angle[at(h)] = turn(fold.angle, m.flexhinge_angle0[first + h]);
  }
  return angle;
}

}  // namespace

void plateTorques(const Model& m, int f, std::span<const double> angle, std::span<double> torque) {
  const int firstHinge = m.flex_hingeadr[f];
  std::fill(torque.begin(), torque.end(), 0.0);
  for (int e = m.flex_elemadr[f]; e < m.flex_elemadr[f] + m.flex_elemnum[f]; ++e) {
    const int first = m.flexelem_curvadr[e], end = first + m.flexelem_curvnum[e];
    if (first == end) continue;
    const Curvature moment = -m.flexelem_size0[e] * momentOf(m, e, curvatureOf(m, e, firstHinge, angle));
    for (int i = first; i < end; ++i) {
      torque[at(m.flexcurv_hinge[i] - firstHinge)] += moment.dot(vec3(m.flexcurv_weight.data(), i));
    }
  }
}

void addPlateForces(const Model& m, Data& d, int f, bool limited, double* spring, double* damper) {
  const int first = m.flex_hingeadr[f], count = m.flex_hingenum[f];
  const double time = m.flex_damping[f];
  if (time == 0) damper = nullptr;
  if (count == 0 || (!spring && !damper)) return;
  const Arena::Scope scope(d.work->arena);
  const std::span<double> gradient = d.work->arena.zeros<double>(12 * static_cast<std::ptrdiff_t>(count));
  const std::span<double> angle = d.work->arena.zeros<double>(count), rate = d.work->arena.zeros<double>(count);
  const std::span<double> torque = d.work->arena.take<double>(count);
  // shares of the angle and its rate that count: S becomes G S G, at most what the limits of single folds allow
  const std::span<double> soft = limited ? d.work->arena.take<double>(count) : std::span<double>{};
  const std::span<double> slow = limited ? d.work->arena.take<double>(count) : std::span<double>{};
  using Gradient = Eigen::Map<Nodes<4>>;
  const auto gradientOf = [&](int i) { return Gradient(gradient.data() + 12 * static_cast<std::ptrdiff_t>(i)); };
  for (int i = 0; i < count; ++i) {
    const int h = first + i;
    const elastic::Fold fold = elastic::foldOf(gather(m, d.flexpoint_xpos.data(), f, h));
    d.flexhinge_angle[h] = fold.angle;
    if (limited) soft[at(i)] = slow[at(i)] = 1;
    if (!fold.valid) continue;
    gradientOf(i) = fold.gradient;
    angle[at(i)] = turn(fold.angle, m.flexhinge_angle0[h]);
    if (damper) rate[at(i)] = fold.gradient.cwiseProduct(gather(m, d.flexpoint_xvel.data(), f, h)).sum();
    if (!limited) continue;
    const double largest = 2 * m.flexhinge_stiffness[h];  // S is at most that
    const double k = mostFoldStiffness(m, d, f, h);
    if (k < largest) angle[at(i)] *= soft[at(i)] = std::sqrt(k / largest);
    const double b = k * m.opt.timestep;  // the damper that stops it in a step
    if (b < time * largest) rate[at(i)] *= slow[at(i)] = std::sqrt(b / (time * largest));
  }
  const auto apply = [&](std::span<const double> by, std::span<const double> share, double factor, double* force) {
    plateTorques(m, f, by, torque);
    for (int i = 0; i < count; ++i) {
      const double t = factor * torque[at(i)] * (limited ? share[at(i)] : 1);
      scatter(m, t * gradientOf(i), f, first + i, force);
    }
  };
  if (spring) apply(angle, soft, 1, spring);
  if (damper) apply(rate, slow, time, damper);
}

double foldStiffness(const Model& m, int h) {
  return (m.opt.integrator == Integrator::Midpoint ? 2 : 1) * m.flexhinge_stiffness[h];
}

void addPlateStiffness(const Model& m, Data& d, int f, const double* way, double* force) {
  const int first = m.flex_hingeadr[f], count = m.flex_hingenum[f];
  const Arena::Scope scope(d.work->arena);
  const std::span<double> gradient = d.work->arena.zeros<double>(12 * static_cast<std::ptrdiff_t>(count));
  const std::span<double> change = d.work->arena.zeros<double>(count), torque = d.work->arena.take<double>(count);
  using Gradient = Eigen::Map<Nodes<4>>;
  const auto gradientOf = [&](int i) { return Gradient(gradient.data() + 12 * static_cast<std::ptrdiff_t>(i)); };
  for (int i = 0; i < count; ++i) {
    const int h = first + i;
    const Nodes<4> x = gather(m, d.flexpoint_xpos.data(), f, h), dx = gather(m, way, f, h);
    const elastic::Stiffness<4> K =
        elastic::DihedralHinge{foldStiffness(m, h), m.flexhinge_angle0[h]}.stiffness(x, elastic::Tangent::Definite);
    const Eigen::Matrix<double, 12, 1> own = K * Eigen::Map<const Eigen::Matrix<double, 12, 1>>(dx.data());
    scatter(m, Eigen::Map<const Nodes<4>>(own.data()), f, h, force);
    const elastic::Fold fold = elastic::foldOf(x);
    if (!fold.valid) continue;
    gradientOf(i) = fold.gradient;
    change[at(i)] = fold.gradient.cwiseProduct(dx).sum();
  }
  plateTorques(m, f, change, torque);
  for (int i = 0; i < count; ++i) scatter(m, torque[at(i)] * gradientOf(i), f, first + i, force);
}

double plateEnergy(const Model& m, Data& d, int f) {
  const Arena::Scope scope(d.work->arena);
  const std::span<const double> angle = anglesOf(m, d, f, d.work->arena);
  double sum = 0;
  for (int e = m.flex_elemadr[f]; e < m.flex_elemadr[f] + m.flex_elemnum[f]; ++e) {
    const Curvature k = curvatureOf(m, e, m.flex_hingeadr[f], angle);
    sum += 0.5 * m.flexelem_size0[e] * k.dot(momentOf(m, e, k));
  }
  return sum;
}

void plateMoments(const Model& m, Data& d, int f) {
  const Arena::Scope scope(d.work->arena);
  const std::span<const double> angle = anglesOf(m, d, f, d.work->arena);
  for (int e = 0; e < m.flex_elemnum[f]; ++e) {
    const int elem = m.flex_elemadr[f] + e;
    const int* v = &m.flex_elem[m.flex_elemdataadr[f] + 3 * e];
    const auto x = [&](int i) { return Vec3(vec3(d.flexpoint_xpos.data(), m.flex_pointadr[f] + v[i])); };
    const Vec3 along = x(1) - x(0), normal = along.cross(x(2) - x(0));
    double* out = &d.flexelem_moment[6 * elem];
    if (!(normal.norm() > 0)) continue;
    const Vec3 a = along.normalized(), b = normal.cross(along).normalized();
    const Curvature M = momentOf(m, elem, curvatureOf(m, elem, m.flex_hingeadr[f], angle));
    const Mat3 T = M[0] * a * a.transpose() + M[1] * b * b.transpose() + M[2] * (a * b.transpose() + b * a.transpose());
    MapVec6{out} << T(0, 0), T(1, 1), T(2, 2), T(0, 1), T(1, 2), T(2, 0);
  }
}

}  // namespace sinew
