#include "derivatives/row_forces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/index.h"
#include "constraint/constraint.h"
#include "constraint/problem.h"
#include "forces/stiff_metric.h"
#include "kinematics/kinematics.h"
#include "kinematics/positions.h"
#include "math/types.h"
#include "solve/problem.h"
#include "solve/rows.h"
#include "step/stages.h"

namespace sinew {
namespace {

using smooth::Matrix;
using Numbers = std::vector<double>;

/// Size of a nudge of the coordinates: errors of the differences are 1e-16 / kNudge and kNudge^2 over the square of
/// the radii of what touches.
constexpr double kNudge = 1e-6;
/// Contact points and normals that bend this sharply (per metre, per radian) have jumped.
constexpr double kSharpest = 1e4;

/// The collider on one side of a contact.
std::string nameOfSide(const Model& m, const Contact& contact, std::size_t side) {
  const bool isGeom = contact.geom[side] >= 0;
  const int id = isGeom ? contact.geom[side] : contact.flex[side];
  const std::string_view kind = isGeom ? "geom" : "flex";
  const std::string_view name = nameOf(m, isGeom ? ObjType::Geom : ObjType::Flex, id);
  return name.empty() ? fmt::format("{} {}", kind, id) : fmt::format("{} \"{}\"", kind, name);
}

/// Whether two evaluations have the same rows, in the same order.
bool sameRows(const Data& x, const Data& y) {
  const auto same = [](const auto& a, const auto& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); };
  const auto samePair = [](const Contact& a, const Contact& b) {
    return a.geom == b.geom && a.flex == b.flex && a.elem == b.elem && a.vert == b.vert &&
           a.efc_address == b.efc_address;
  };
  return same(x.efc_type, y.efc_type) && same(x.efc_id, y.efc_id) &&
         std::equal(x.contact.begin(), x.contact.end(), y.contact.begin(), y.contact.end(), samePair);
}

/// First contact whose place or axes are not smooth between two nudges about x; -1 if all are.
int contactThatJumps(const Data& x, const Data& before, const Data& after, double nudge) {
  const auto jumps = [nudge](const auto& a, const auto& b, const auto& c) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      if (!(std::abs(a[k] + c[k] - 2 * b[k]) <= kSharpest * nudge * nudge)) return true;
    }
    return false;
  };
  for (int i = 0; i < x.ncon(); ++i) {
    if (x.contact[i].efc_address < 0) continue;
    if (jumps(before.contact[i].pos, x.contact[i].pos, after.contact[i].pos) ||
        jumps(before.contact[i].frame, x.contact[i].frame, after.contact[i].frame)) {
      return i;
    }
  }
  return -1;
}

std::string obstacleOfRows(const Model& m, const Data& x) {
  if (m.opt.enabled(enable::kDiagExact)) return "the flag diagexact is on, and rows depend on the mass matrix";
  if (m.opt.noslip_iterations > 0) return "noslip changes forces after they were solved for";
  for (int i = 0; i < x.ncon(); ++i) {
    const Contact& contact = x.contact[i];
    if (contact.efc_address < 0) continue;
    if (contact.adhesion != 0) return nameOfContact(m, contact) + " has adhesion";
    if (contact.swept) return nameOfContact(m, contact) + " begins within the step";
  }
  return "";
}

/// The rows of one state, and the forces they push with at its qacc.
class Rows {
 public:
  Rows(const Model& m, const Data& x) : m_(m), x_(x), p_(rowsOf(x)), rows_(at(x.nefc())) {
    residual_.resize(rows_);
    force_.resize(rows_);
    state_.resize(rows_);
    setResidual(x, residual_);
    solve::evaluateRows(p_, residual_.data(), force_.data(), state_.data());
  }

  /// r = J a - aref with the rows of y.
  void setResidual(const Data& y, Numbers& r) const {
    solve::multiplyRows(rowsOf(y), x_.qacc.data(), r.data());
    for (std::size_t i = 0; i < rows_; ++i) r[i] -= y.efc_aref[static_cast<std::ptrdiff_t>(i)];
  }

  /// column += scale J' f with the rows of y and the forces of x.
  void addForces(const Data& y, double scale, double* column) const {
    Numbers scaled(force_);
    for (double& f : scaled) f *= scale;
    solve::addTransposed(rowsOf(y), scaled.data(), column);
  }

  const Numbers& forces() const { return force_; }

  /// change = S'' dr.
  void weigh(const Numbers& dr, Numbers& change) const {
    solve::weighRows(p_, residual_.data(), state_.data(), dr.data(), change.data());
  }

  /// column += J' f.
  void addTransposed(const Numbers& f, double* column) const { solve::addTransposed(p_, f.data(), column); }

  /// What the impedances of all blocks do as their residuals change by dpos: dr gets K dI (pos - margin), and df gets f
  /// dlnD with dlnD = dI / (I (1 - I)).
  void addImpedance(const Numbers& dpos, Numbers& dr, Numbers& df) const {
    for (const RowBlock& block : x_.row_block) {
      const double* KBIP = x_.efc_KBIP.data() + 4 * block.row;
      if (KBIP[3] == 0) continue;
      const double change = KBIP[3] * residualChange(block, dpos), impedance = KBIP[2];
      for (int row = block.row; row < block.row + block.nrow; ++row) {
        dr[at(row)] += x_.efc_KBIP[4 * row] * change * (x_.efc_pos[row] - x_.efc_margin[row]);
        df[at(row)] += force_[at(row)] * change / (impedance * (1 - impedance));
      }
    }
  }

  Matrix curvature() const {
    Matrix sum = Matrix::Zero(m_.nv, m_.nv);
    double W[solve::kMaxBasis * solve::kMaxBasis];
    for (const RowBlock& block : x_.row_block) {
      if (!solve::blockWeights(p_, block, residual_.data(), state_.data(), W)) continue;
      const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> B(
          x_.row_value.data() + block.value, block.nbasis, block.ncol);
      const Matrix product = B.transpose() * Eigen::Map<const Matrix>(W, block.nbasis, block.nbasis) * B;
      const int* column = x_.row_column.data() + block.column;
      for (int i = 0; i < block.ncol; ++i) {
        for (int j = 0; j < block.ncol; ++j) sum(column[i], column[j]) += product(i, j);
      }
    }
    return sum;
  }

 private:
  /// Change of what decides the impedance of a block: the length of the residual of a connect or weld, else that of the
  /// first row.
  double residualChange(const RowBlock& block, const Numbers& dpos) const {
    if (block.kind == BlockKind::Equality) {
      const EqualityType type = m_.eq_type[x_.efc_id[block.row]];
      if (type == EqualityType::Connect || type == EqualityType::Weld) {
        double square = 0, change = 0;
        for (int row = block.row; row < block.row + block.nrow; ++row) {
          square += x_.efc_pos[row] * x_.efc_pos[row];
          change += x_.efc_pos[row] * dpos[at(row)];
        }
        return square > 0 ? change / std::sqrt(square) : 0;
      }
    }
    return dpos[at(block.row)];
  }

  const Model& m_;
  const Data& x_;
  solve::ConstraintProblem p_;
  std::size_t rows_;
  Numbers residual_, force_;
  std::vector<RowState> state_;
};

/// Whether impedances follow from residuals alone. Those of a flex depend on where its elements are touched, and how
/// deep a sheet is pressed; a pinned vertex is weighed by its row.
bool hasPlainImpedances(const Model& m, const Data& x) {
  for (const Contact& contact : x.contact) {
    if (contact.efc_address >= 0 && (contact.flex[0] >= 0 || contact.flex[1] >= 0)) return false;
  }
  return std::none_of(x.row_block.begin(), x.row_block.end(), [&](const RowBlock& block) {
    return block.kind == BlockKind::Equality && m.eq_type[x.efc_id[block.row]] == EqualityType::FlexVert;
  });
}

/// y at the coordinates of x moved by `distance` along one dof: its rows and their references, if `plain` with the
/// stiffness, damping and impedance of x.
void evaluateNudged(const Model& m, const Data& x, int dof, double distance, bool plain, Numbers& tangent, Data& y) {
  std::copy(x.qpos.begin(), x.qpos.end(), y.qpos.begin());
  tangent[at(dof)] = distance;
  integratePositions(m, y.qpos.data(), tangent.data(), 1);
  tangent[at(dof)] = 0;
  positionStage(m, y, Sensing::Off);
  if (y.nefc() != x.nefc()) return;
  if (plain) std::copy(x.efc_KBIP.begin(), x.efc_KBIP.end(), y.efc_KBIP.begin());
  comVel(m, y);
  referenceAcceleration(m, y);
}

}  // namespace

std::string nameOfContact(const Model& m, const Contact& contact) {
  return fmt::format("the contact of {} and {}", nameOfSide(m, contact, 0), nameOfSide(m, contact, 1));
}

std::string obstacleBetween(const Model& m, const Data& before, const Data& x, const Data& after, double nudge,
                            int dof) {
  if (!sameRows(x, before) || !sameRows(x, after)) {
    return fmt::format("a contact or limit begins or ends within {} of dof {}", nudge, dof);
  }
  const int i = contactThatJumps(x, before, after, nudge);
  return i < 0 ? "" : fmt::format("{} jumps within {} of dof {}", nameOfContact(m, x.contact[i]), nudge, dof);
}

double unbalancedShare(const Model& m, const Data& x) {
  VecX residual = VecX::Zero(m.nv), force = VecX::Zero(m.nv);
  Rows(m, x).addForces(x, 1, force.data());
  multiplyMetric(m, x, x.qacc.data(), residual.data());
  VecX smoothForce = ConstMapVecX(x.qfrc_smooth.data(), m.nv);
  if (stiffnessIsImplicit(m)) smoothForce += ConstMapVecX(x.qfrc_implicit.data(), m.nv);
  residual -= smoothForce + force;
  const double size = std::sqrt(smoothForce.squaredNorm() + force.squaredNorm());
  return size > 0 ? residual.norm() / size : 0;
}

RowForces rowForces(const Model& m, const Data& x) {
  RowForces result;
  result.obstacle = obstacleOfRows(m, x);
  if (!result.obstacle.empty()) return result;
  result.q = result.v = Matrix::Zero(m.nv, m.nv);
  const Rows rows(m, x);
  result.curvature = rows.curvature();
  Data before = x, after = x;
  before.threads = after.threads = 1;
  const std::size_t count = at(x.nefc());
  result.forceQ = result.forceV = result.response = Matrix::Zero(x.nefc(), m.nv);
  Numbers df(count);
  Numbers tangent(at(m.nv), 0.0), dr(count), other(count), dpos(count);
  const bool plain = hasPlainImpedances(m, x);
  for (int dof = 0; dof < m.nv; ++dof) {
    evaluateNudged(m, x, dof, -kNudge, plain, tangent, before);
    evaluateNudged(m, x, dof, kNudge, plain, tangent, after);
    result.obstacle = obstacleBetween(m, before, x, after, kNudge, dof);
    if (!result.obstacle.empty()) return result;
    double* column = result.q.col(dof).data();
    const auto addDifference = [&](const Data& y, double weight) {
      const Rows there(m, y);
      there.addForces(y, weight, column);
      for (std::size_t i = 0; i < count; ++i) result.forceQ(static_cast<int>(i), dof) += weight * there.forces()[i];
    };
    if (!plain) {  // where elements are touched bends sharply near their edges: differences of fourth order
      addDifference(after, 2 / (3 * kNudge));
      addDifference(before, -2 / (3 * kNudge));
      evaluateNudged(m, x, dof, -2 * kNudge, plain, tangent, before);
      evaluateNudged(m, x, dof, 2 * kNudge, plain, tangent, after);
      if (!sameRows(x, before) || !sameRows(x, after)) {
        result.obstacle = fmt::format("a contact or limit begins or ends within {} of dof {}", 2 * kNudge, dof);
        return result;
      }
      addDifference(after, -1 / (12 * kNudge));
      addDifference(before, 1 / (12 * kNudge));
      continue;
    }
    rows.addForces(after, 1 / (2 * kNudge), column);
    rows.addForces(before, -1 / (2 * kNudge), column);
    rows.setResidual(after, dr);
    rows.setResidual(before, other);
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = static_cast<std::ptrdiff_t>(i);
      dr[i] = (dr[i] - other[i]) / (2 * kNudge);
      dpos[i] = (after.efc_pos[row] - before.efc_pos[row]) / (2 * kNudge);
    }
    std::fill(df.begin(), df.end(), 0.0);
    rows.addImpedance(dpos, dr, df);
    rows.weigh(dr, other);
    for (std::size_t i = 0; i < count; ++i) result.forceQ(static_cast<int>(i), dof) = df[i] -= other[i];
    rows.addTransposed(df, column);
  }

  // references are at most quadratic in velocity: central differences are exact, with nudges of any size
  std::copy(x.qpos.begin(), x.qpos.end(), after.qpos.begin());
  positionStage(m, after, Sensing::Off);
  for (int dof = 0; dof < m.nv; ++dof) {
    after.qvel[dof] = x.qvel[dof] - 1;
    comVel(m, after);
    referenceAcceleration(m, after);
    std::copy(after.efc_aref.begin(), after.efc_aref.end(), other.begin());
    after.qvel[dof] = x.qvel[dof] + 1;
    comVel(m, after);
    referenceAcceleration(m, after);
    after.qvel[dof] = x.qvel[dof];
    for (std::size_t i = 0; i < count; ++i) dr[i] = -0.5 * (after.efc_aref[static_cast<std::ptrdiff_t>(i)] - other[i]);
    rows.weigh(dr, df);
    for (std::size_t i = 0; i < count; ++i) result.forceV(static_cast<int>(i), dof) = df[i] = -df[i];
    rows.addTransposed(df, result.v.col(dof).data());
  }
  VecX unit = VecX::Zero(m.nv);
  for (int dof = 0; dof < m.nv; ++dof) {
    unit[dof] = 1;
    solve::multiplyRows(rowsOf(x), unit.data(), dr.data());
    unit[dof] = 0;
    rows.weigh(dr, df);
    result.response.col(dof) = ConstMapVecX(df.data(), x.nefc());
  }
  return result;
}

}  // namespace sinew
