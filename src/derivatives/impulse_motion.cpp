#include "derivatives/impulse_motion.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/index.h"
#include "constraint/constraint.h"
#include "constraint/contact_target.h"
#include "constraint/impulse_rows.h"
#include "constraint/problem.h"
#include "derivatives/nudged_forces.h"
#include "derivatives/row_forces.h"
#include "derivatives/stencil.h"
#include "forces/forces.h"
#include "forces/stiff_metric.h"
#include "inertia/inertia.h"
#include "kinematics/positions.h"
#include "math/types.h"
#include "model/workspace.h"
#include "solve/rows.h"
#include "step/stages.h"

namespace sinew {
namespace {

using smooth::isMidpoint;
using smooth::Matrix;
using smooth::Parts;

/// Share of the velocities that impulses cause which rows may lack: derivatives are off by about as much.
constexpr double kLacking = 1e-5;
/// Changes of rows that this share of them is left of, in the measure of the velocities that impulses cause, cannot be
/// met together. Differences have errors of 1e-9.
constexpr double kContradiction = 1e-6;
/// A row that an impulse moves less than this, in units of the row that moves most, is moved by nothing.
constexpr double kImmobile = 1e-14;

/// What one evaluation gives: v+ with the impulses of x, what positions move with in addition, act_dot, J v+ - target.
struct ImpulseAnswer {
  VecX velocity, correction, rate, rows;
};

/// A Data whose state is nudged, and its answers.
class NudgedImpulses {
 public:
  NudgedImpulses(const Model& m, const Data& x)
      : m_(m),
        x_(x),
        y_(x),
        tangent_(at(m.nv), 0.0),
        impulse_(m.opt.timestep * ConstMapVecX(x.efc_force.data(), x.nefc())) {
    y_.threads = 1;
  }

  const Data& data() const { return y_; }

  ImpulseAnswer position(int dof, double distance) {
    std::copy(x_.qpos.begin(), x_.qpos.end(), y_.qpos.begin());
    if (dof >= 0) {
      tangent_[at(dof)] = distance;
      integratePositions(m_, y_.qpos.data(), tangent_.data(), 1);
      tangent_[at(dof)] = 0;
    }
    positionStage(m_, y_, Sensing::Off);
    return velocity(-1, 0);
  }

  /// At the coordinates of the last position().
  ImpulseAnswer velocity(int dof, double distance) {
    std::copy(x_.qvel.begin(), x_.qvel.end(), y_.qvel.begin());
    if (dof >= 0) y_.qvel[dof] += distance;
    velocityStage(m_, y_, Sensing::Off);
    return answer();
  }

  ImpulseAnswer act(int activation, double distance) {
    y_.act[activation] = x_.act[activation] + distance;
    ImpulseAnswer result = answer();
    y_.act[activation] = x_.act[activation];
    return result;
  }

  ImpulseAnswer ctrl(int control, double distance) {
    y_.ctrl[control] = x_.ctrl[control] + distance;
    ImpulseAnswer result = answer();
    y_.ctrl[control] = x_.ctrl[control];
    return result;
  }

  /// x <- inv(A) x where the rows are.
  void solve(VecX& x) const { solveTree(m_, y_, y_.qH.data(), y_.qHDiagInv.data(), x.data()); }

 private:
  ImpulseAnswer answer() {
    actuation(m_, y_);
    smoothAcceleration(m_, y_);
    ImpulseAnswer result;
    result.velocity =
        ConstMapVecX(y_.qvel.data(), m_.nv) + m_.opt.timestep * ConstMapVecX(y_.work->qacc_free.data(), m_.nv);
    result.correction = ConstMapVecX(y_.work->qvel_correction.data(), m_.nv);
    if (isMidpoint(m_)) {
      for (const int dof : m_.stiff_dof) result.correction[dof] -= 0.5 * y_.work->flexUnresolved[dof];
    }
    result.rate = ConstMapVecX(y_.act_dot.data(), m_.na);
    if (y_.nefc() == 0 || y_.nefc() != x_.nefc()) return result;
    setImpulseTargets(m_, y_);
    VecX push = VecX::Zero(m_.nv);
    solve::addTransposed(rowsOf(y_), impulse_.data(), push.data());
    solve(push);
    result.velocity += push;
    result.rows = VecX::Zero(y_.nefc());
    solve::multiplyRows(rowsOf(y_), result.velocity.data(), result.rows.data());
    for (int i = 0; i < y_.nefc(); ++i) {  // what does not act has no finite target
      result.rows[i] = std::isfinite(y_.efc_target[i]) ? result.rows[i] - y_.efc_target[i] : 0;
    }
    return result;
  }

  const Model& m_;
  const Data& x_;
  Data y_;
  std::vector<double> tangent_;
  VecX impulse_;
};

/// How the impulses answer changes of the rows, linearized about x:  M z = -N dr, dlambda = S z, S what makes an
/// impulse cause a velocity of the same size in its row, whatever its unit:
///   rows that hold     S_i (dr + W dlambda)_i = 0, W = J inv(A) J'
///   rows that slide    dlambda_k = -d(lambda_n mu_k^2 u_k / T), u = r the slip, T^2 = sum (mu_j u_j)^2
///   others             dlambda_i = 0
class ImpulseResponse {
 public:
  /// `center`: the answer at the state of x, where `nudged` is.
  ImpulseResponse(const Model& m, const Data& x, const NudgedImpulses& nudged, const ImpulseAnswer& center)
      : x_(x), r_(center.rows), h_(m.opt.timestep), kind_(at(x.nefc()), Kind::Others) {
    const int n = x.nefc();
    const solve::ConstraintProblem rows = rowsOf(x);
    push_ = Matrix::Zero(m.nv, n);
    Matrix W = Matrix::Zero(n, n);
    VecX unit = VecX::Zero(n);
    for (int i = 0; i < n; ++i) {
      unit[i] = 1;
      VecX column = VecX::Zero(m.nv);
      solve::addTransposed(rows, unit.data(), column.data());
      nudged.solve(column);
      solve::multiplyRows(rows, column.data(), W.col(i).data());
      push_.col(i) = column;
      unit[i] = 0;
    }
    scale_ = VecX::Zero(n);
    const double most = W.diagonal().maxCoeff();
    for (int i = 0; i < n; ++i) scale_[i] = W(i, i) > kImmobile * most ? 1 / std::sqrt(W(i, i)) : 0;

    N_ = Matrix::Zero(n, n);
    Matrix E = Matrix::Identity(n, n);
    for (const RowBlock& block : x.row_block) {
      if (block.kind == BlockKind::Elliptic && x.efc_state[block.row] == RowState::Cone) slide(block, E);
      for (int i = block.row; i < block.row + block.nrow; ++i) {
        const bool slides = kind_[at(i)] == Kind::Slides;
        if (slides || scale_[i] == 0 || !pushes(x.efc_state[i])) continue;
        kind_[at(i)] = Kind::Holds;
        N_(i, i) = scale_[i];
        E(i, i) = 0;
      }
    }
    const Matrix M = N_ * W * scale_.asDiagonal() + E;
    decomposition_.setThreshold(kDependent);
    decomposition_.compute(M);
    M_ = M;
  }

  /// What rows that hold lack of it, as a share of what the impulses do.
  double lacking() const {
    double lacks = 0, size = 0;
    for (int i = 0; i < x_.nefc(); ++i) {
      if (kind_[at(i)] == Kind::Others) continue;
      if (kind_[at(i)] == Kind::Holds) lacks += std::pow(r_[i] * scale_[i], 2);
      size += std::pow(h_ * x_.efc_force[i] / scale_[i], 2);
    }
    return size > 0 ? std::sqrt(lacks / size) : 0;
  }

  /// dlambda for changes dr of the rows; `left`: the share of each that cannot be met.
  Matrix impulses(const Matrix& dr, double& left) const {
    const Matrix right = -(N_ * dr);
    const Matrix z = decomposition_.solve(right);
    const Matrix error = M_ * z - right;
    const double most = right.size() > 0 ? right.colwise().norm().maxCoeff() : 0;
    left = most > 0 ? error.colwise().norm().maxCoeff() / most : 0;
    return scale_.asDiagonal() * z;
  }

  /// inv(A) J'.
  const Matrix& push() const { return push_; }

 private:
  enum class Kind { Holds, Slides, Others };
  /// Rows that are combinations of others, for the decomposition.
  static constexpr double kDependent = 1e-10;

  static bool pushes(RowState state) { return state == RowState::Quadratic || state == RowState::Cone; }

  /// The tangents of a contact that slides.
  void slide(const RowBlock& block, Matrix& E) {
    const ConeParameters& cone = x_.row_cone[block.cone];
    const auto square = [&](int k) { return std::pow(cone.friction[at(k - 1)], 2); };
    double sum = 0;
    for (int k = 1; k < block.nrow; ++k) sum += square(k) * std::pow(r_[block.row + k], 2);
    const double T = std::sqrt(sum), lambda = h_ * x_.efc_force[block.row];
    if (!(T > 0)) return;  // about to stick
    for (int k = 1; k < block.nrow; ++k) {
      const int i = block.row + k;
      if (scale_[i] == 0) continue;
      kind_[at(i)] = Kind::Slides;
      const double direction = square(k) * r_[i] / T;
      E(i, block.row) = scale_[block.row] * direction / scale_[i];
      for (int j = 1; j < block.nrow; ++j) {
        const double turn = (j == k ? square(k) / T : 0) - direction * square(j) * r_[block.row + j] / sum;
        N_(i, block.row + j) = lambda * turn / scale_[i];
      }
    }
  }

  const Data& x_;
  VecX r_;
  double h_;
  std::vector<Kind> kind_;
  VecX scale_;
  Matrix push_, N_, M_;
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition_;
};

/// What keeps the rows of a state from being differentiated, empty: nothing.
std::string obstacleOfImpulses(const Model& m, const Data& x) {
  if (x.nefc() == 0) return "";
  if (stiffnessIsImplicit(m)) return "rows act under the Impulse solver while the stiffness of flexes is implicit";
  for (const IslandReport& island : x.island) {
    if (island.method == SolveMethod::HardSweep) {
      return "method=\"sweep\" moves in substeps, of which none is solved to the end; method=\"newton\" does";
    }
  }
  for (const RowBlock& block : x.row_block) {
    for (int k = 0; k < block.ncol; ++k) {
      if (x.row_column[block.column + k] >= m.nv_rigid) {
        return "rows act on flexes under the Impulse solver, where they give way";
      }
    }
  }
  for (int i = 0; i < x.ncon(); ++i) {
    const Contact& contact = x.contact[i];
    if (contact.efc_address < 0) continue;
    const std::string name = nameOfContact(m, contact);
    if (contact.swept) return name + " begins within the step";
    if (contact.adhesion != 0) return name + " has adhesion";
    const bool touches = contact.restitution != 0 && contact.dist <= x.efc_margin[contact.efc_address];
    if (touches &&
        effectiveRestitution(contact.restitution, x.efc_vel[contact.efc_address], m.opt.restitution_threshold) > 0) {
      return name + " bounces";
    }
  }
  return "";
}

/// Answers differentiated with the impulses of x.
struct ImpulseParts {
  Parts velocity, correction, rate, rows;
};

template <class F>
void differenceImpulses(const smooth::Stencil& stencil, Matrix Parts::*part, int column, ImpulseParts& result,
                        F&& answer) {
  for (std::size_t i = 0; i < stencil.place.size(); ++i) {
    if (stencil.weight[i] == 0) continue;
    const double weight = stencil.weight[i] / smooth::kNudge;
    const ImpulseAnswer there = answer(stencil.place[i] * smooth::kNudge);
    (result.velocity.*part).col(column) += weight * there.velocity;
    (result.correction.*part).col(column) += weight * there.correction;
    (result.rate.*part).col(column) += weight * there.rate;
    if (there.rows.size() > 0) (result.rows.*part).col(column) += weight * there.rows;
  }
}

}  // namespace

ImpulseMotion impulseMotion(const Model& m, const Data& x) {
  ImpulseMotion result;
  result.obstacle = obstacleOfImpulses(m, x);
  if (!result.obstacle.empty()) return result;
  NudgedImpulses nudged(m, x);
  const ImpulseAnswer center = nudged.position(-1, 0);
  ImpulseParts d{Parts::zero(m, m.nv), Parts::zero(m, m.nv), Parts::zero(m, m.na), Parts::zero(m, x.nefc())};
  std::optional<ImpulseResponse> response;
  if (x.nefc() > 0) {
    response.emplace(m, x, nudged, center);
    if (const double lacking = response->lacking(); !(lacking <= kLacking)) {
      result.obstacle = fmt::format(
          "the solver left rows short of {:.1e} of what their impulses do (more iterations or a smaller tolerance "
          "help)",
          lacking);
      return result;
    }
  }
  std::optional<Data> before;
  for (int i = 0; i < m.nv; ++i) {
    differenceImpulses(smooth::kCentral, &Parts::q, i, d, [&](double distance) {
      ImpulseAnswer answer = nudged.position(i, distance);
      if (distance < 0) {
        before = nudged.data();
      } else if (result.obstacle.empty()) {
        result.obstacle = obstacleBetween(m, *before, x, nudged.data(), smooth::kNudge, i);
      }
      if (answer.rows.size() != x.nefc()) answer.rows = VecX();
      return answer;
    });
    if (!result.obstacle.empty()) return result;
  }
  nudged.position(-1, 0);
  for (int i = 0; i < m.nv; ++i) {
    differenceImpulses(smooth::kCentral, &Parts::v, i, d,
                       [&](double distance) { return nudged.velocity(i, distance); });
  }
  nudged.velocity(-1, 0);
  for (int i = 0; i < m.na; ++i) {
    differenceImpulses(smooth::kCentral, &Parts::act, i, d, [&](double distance) { return nudged.act(i, distance); });
  }
  for (int i = 0; i < m.nu; ++i) {
    differenceImpulses(smooth::stencilOfControl(m, x, i), &Parts::ctrl, i, d,
                       [&](double distance) { return nudged.ctrl(i, distance); });
  }
  result.velocity = std::move(d.velocity);
  result.correction = std::move(d.correction);
  result.rate = std::move(d.rate);
  if (!response) return result;
  result.rowForce = Parts::zero(m, x.nefc());
  const auto respond = [&](Matrix Parts::*part) {
    if ((d.rows.*part).cols() == 0 || !result.obstacle.empty()) return;
    double left = 0;
    const Matrix impulse = response->impulses(d.rows.*part, left);
    if (left > kContradiction) {
      result.obstacle = "contacts and other rows that push now cannot all go on to do so: one of them ends";
      return;
    }
    result.velocity.*part += response->push() * impulse;
    result.rowForce.*part = impulse / m.opt.timestep;
  };
  for (Matrix Parts::*part : {&Parts::q, &Parts::v, &Parts::act, &Parts::ctrl}) respond(part);
  return result;
}

}  // namespace sinew
