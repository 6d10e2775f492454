#include <algorithm>
#include <array>
#include <cmath>

#include "collision/thin.h"
#include "constraint/constraint.h"
#include "constraint/row_builder.h"
#include "elastic/shell.h"
#include "inertia/inertia.h"
#include "kinematics/side.h"
#include "model/workspace.h"

/// From solref and solimp to the numbers a solver works with. With the impedance d(r) in (0, 1), the approximate
/// diagonal A of J inv(M) J' and the reference a* = -B v - K d (r - margin):
///   R = (1 - d)/d A is the regularization, so that the constraint acts with the fraction d of what a hard one would;
///   K, B follow from a time constant and damping ratio, or are given directly (negative solref).
/// A holds for the time tau = K^(-1/2) that a row takes: nodes of a stiff flex are as heavy as m + tau^2 k, with k
/// their stiffness against their neighbours. At rest a row gives way by r = R f/(K d) = (1 - d)/d^2 f/(m/tau^2 + k), a
/// small share of what the material itself does, whatever the mesh and the timestep.
namespace sinew {
namespace {

constexpr int kMaxBasis = 6;
constexpr double kMinImpedance = 1e-4, kMaxImpedance = 1 - 1e-4;
constexpr double kPressed = 0.5;  // share of the radius of a sheet from which on it counts as pressed
constexpr double kLeastGive = (1 - kMaxImpedance) / kMaxImpedance;

struct RowParameters {
  std::array<double, 2> solref{}, solreffriction{};
  std::array<double, 5> solimp{};
};

template <std::size_t N>
std::array<double, N> entry(const Array<double>& array, int id) {
  std::array<double, N> values;
  std::copy_n(array.data() + static_cast<int>(N) * id, N, values.begin());
  return values;
}

bool mixed(const std::array<double, 2>& solref) { return (solref[0] > 0) != (solref[1] > 0); }

RowParameters parametersOf(const Model& m, const Data& d, RowType type, int id) {
  RowParameters p;
  switch (type) {
    case RowType::Equality:
      p = {entry<2>(m.eq_solref, id), {}, entry<5>(m.eq_solimp, id)};
      break;
    case RowType::FrictionDof:
      p = {entry<2>(m.dof_solref, id), {}, entry<5>(m.dof_solimp, id)};
      break;
    case RowType::FrictionTendon:
      p = {entry<2>(m.tendon_solref_fri, id), {}, entry<5>(m.tendon_solimp_fri, id)};
      break;
    case RowType::LimitJoint:
      p = {entry<2>(m.jnt_solref, id), {}, entry<5>(m.jnt_solimp, id)};
      break;
    case RowType::LimitTendon:
      p = {entry<2>(m.tendon_solref_lim, id), {}, entry<5>(m.tendon_solimp_lim, id)};
      break;
    case RowType::ContactFrictionless:
    case RowType::ContactPyramidal:
    case RowType::ContactElliptic:
      p = {d.contact[id].solref, d.contact[id].solreffriction, d.contact[id].solimp};
      break;
  }
  // the two forms of solref cannot be mixed
  if (mixed(p.solref)) p.solref = {0.02, 1};
  if (mixed(p.solreffriction)) p.solreffriction = {0, 0};
  // a time constant below two steps cannot be integrated
  if (!m.opt.disabled(disable::kRefSafe)) {
    if (p.solref[0] > 0) p.solref[0] = std::max(p.solref[0], 2 * m.opt.timestep);
    if (p.solreffriction[0] > 0) p.solreffriction[0] = std::max(p.solreffriction[0], 2 * m.opt.timestep);
  }
  for (const std::size_t i : {0u, 1u, 3u}) p.solimp[i] = std::clamp(p.solimp[i], kMinImpedance, kMaxImpedance);
  p.solimp[2] = std::max(0.0, p.solimp[2]);
  p.solimp[4] = std::max(1.0, p.solimp[4]);
  return p;
}

/// x^p, by multiplication for the usual exponents.
double power(double x, double p) { return p == 1 ? x : p == 2 ? x * x : std::pow(x, p); }

struct Impedance {
  double value = 0, slope = 0;
};

/// d(x) from d0 at x = 0 to dw at x = 1, x = |r - margin| / width: two power curves that meet at `mid`.
Impedance impedanceAt(const std::array<double, 5>& solimp, double distance) {
  const auto [d0, dw, width, mid, p] = solimp;
  if (d0 == dw || width <= kMinVal) return {0.5 * (d0 + dw), 0};
  const double x = std::abs(distance) / width;
  if (x >= 1) return {dw, 0};
  if (x == 0) return {d0, 0};
  double y = x, slope = 1;
  if (p != 1 && x <= mid) {
    const double a = 1 / power(mid, p - 1);
    y = a * power(x, p);
    slope = p * a * power(x, p - 1);
  } else if (p != 1) {
    const double b = 1 / power(1 - mid, p - 1);
    y = 1 - b * power(1 - x, p);
    slope = p * b * power(1 - x, p - 1);
  }
  return {d0 + y * (dw - d0), slope * (distance < 0 ? -1 : 1) * (dw - d0) / width};
}

/// Inverse mass of a flex point.
double pointWeight(const Model& m, int point) {
  const int node = m.flexpoint_nodeid[point];
  return node < 0 ? m.body_invweight0[2 * m.flexpoint_bodyid[point]] : m.flexnode_invmass[node];
}

/// Mean inverse mass of the points of a face of a shell.
double faceWeight(const Model& m, int flex, int number) {
  const int* n = m.flex_cellnum.data() + 3 * flex;
  const std::array<int, 3> cells{n[0], n[1], n[2]};
  const int order = -m.flex_interp[flex];
  const elastic::ShellFace face = elastic::faceAt(cells, number);
  double sum = 0;
  for (int i = 0; i <= order; ++i) {
    for (int j = 0; j <= order; ++j) {
      sum += pointWeight(m, m.flex_pointadr[flex] + elastic::facePoint(cells, order, face, i, j));
    }
  }
  return sum / ((order + 1) * (order + 1));
}

/// Mean inverse mass of the points of a cell, given its first point.
double cellWeight(const Model& m, int flex, int first) {
  const int order = std::abs(m.flex_interp[flex]);
  const int ny = m.flex_cellnum[3 * flex + 1] * order + 1, nz = m.flex_cellnum[3 * flex + 2] * order + 1;
  double sum = 0;
  for (int i = 0; i <= order; ++i) {
    for (int j = 0; j <= order; ++j) {
      for (int k = 0; k <= order; ++k) sum += pointWeight(m, first + (i * ny + j) * nz + k);
    }
  }
  return sum / ((order + 1) * (order + 1) * (order + 1));
}

/// J inv(M) J' of a row over flex nodes, as if each had a mass of its own.
double ownDiagonal(const Model& m, const Data& d, const RowBlock& block) {
  double sum = 0;
  for (int k = 0; k < block.ncol; ++k) {
    const double J = d.row_value[block.value + k];
    sum += J * J / m.dof_M0[d.row_column[block.column + k]];
  }
  return sum;
}

/// Whether rows weigh a carrier against its stiffness.
bool isStiff(const Model& m, Carrier carrier) { return carrier.isNode() && m.flexnode_stiffness[carrier.node()] > 0; }

/// Inverse mass of a stiff carrier against a force that acts for the time tau: within it its neighbours hold it, and it
/// is as heavy as m + tau^2 k. `square` is tau^2.
double stiffWeight(const Model& m, Carrier carrier, double square) {
  const double inverse = translationWeight(m, carrier);
  return inverse / (1 + square * m.flexnode_stiffness[carrier.node()] * inverse);
}

double equalityDiagonal(const Model& m, const Data& d, const RowBlock& block, int equality, int rowInBlock,
                        double square) {
  const int obj1 = m.eq_obj1id[equality], obj2 = m.eq_obj2id[equality];
  switch (m.eq_type[equality]) {
    case EqualityType::Joint: {
      const auto weight = [&](int joint) { return m.dof_invweight0[m.jnt_dofadr[joint]]; };
      return weight(obj1) + (obj2 >= 0 ? weight(obj2) : 0);
    }
    case EqualityType::Flex:
      return m.flexedge_invweight0[block.part];
    case EqualityType::FlexVert: {
      // a pinned vertex has no inverse mass, but its neighbours do
      const double weight = pointWeight(m, block.part);
      return weight > 0 ? weight : ownDiagonal(m, d, block);
    }
    case EqualityType::FlexStrain:
      return m.flex_interp[obj1] < 0 ? faceWeight(m, obj1, static_cast<int>(m.eq_data[11 * equality]))
                                     : cellWeight(m, obj1, block.part);
    case EqualityType::Tendon:
      return m.tendon_invweight0[obj1] + (obj2 >= 0 ? m.tendon_invweight0[obj2] : 0);
    default: {
      const bool sites = m.eq_objtype[equality] == ObjType::Site;
      const int body1 = sites ? m.site_bodyid[obj1] : obj1, body2 = sites ? m.site_bodyid[obj2] : obj2;
      const Carrier carrier1 = Carrier::fromCode(m, body1), carrier2 = Carrier::fromCode(m, body2);
      if (rowInBlock > 2) return rotationWeight(m, carrier1) + rotationWeight(m, carrier2);  // of a weld
      const bool stiff1 = isStiff(m, carrier1), stiff2 = isStiff(m, carrier2);
      if (stiff1 || stiff2) {
        return (stiff1 ? stiffWeight(m, carrier1, square) : 0) + (stiff2 ? stiffWeight(m, carrier2, square) : 0);
      }
      return translationWeight(m, carrier1) + translationWeight(m, carrier2);
    }
  }
}

/// Sides of stiff flexes alone decide how much a contact gives: not more because what touches them is light.
double contactDiagonal(const Model& m, const Data& d, RowType type, const Contact& contact, int rowInBlock,
                       double square) {
  double translation = 0, rotation = 0, stiff = 0;
  bool any = false;
  for (const std::size_t s : {std::size_t{0}, std::size_t{1}}) {
    Side(m, d, contact, s).forEachCarrier([&](Carrier carrier, double weight) {
      translation += weight * translationWeight(m, carrier);
      rotation += weight * rotationWeight(m, carrier);
      if (!isStiff(m, carrier)) return;
      any = true;
      stiff += weight * stiffWeight(m, carrier, square);
    });
  }
  if (any) translation = stiff;
  if (type != RowType::ContactPyramidal) return rowInBlock < 3 ? translation : rotation;
  const int k = rowInBlock / 2;  // edge J_n +- mu_k J_k
  const double mu = contact.friction[k];
  return translation + mu * mu * (k < 2 ? translation : rotation);
}

/// `square`: tau^2 of the row.
double approximateDiagonal(const Model& m, const Data& d, const RowBlock& block, int rowInBlock, double square) {
  const int row = block.row + rowInBlock;
  const int id = d.efc_id[row];
  switch (d.efc_type[row]) {
    case RowType::Equality:
      return equalityDiagonal(m, d, block, id, rowInBlock, square);
    case RowType::FrictionDof:
      return m.dof_invweight0[id];
    case RowType::LimitJoint:
      return m.dof_invweight0[m.jnt_dofadr[id]];
    case RowType::FrictionTendon:
    case RowType::LimitTendon:
      return m.tendon_invweight0[id];
    case RowType::ContactFrictionless:
    case RowType::ContactPyramidal:
    case RowType::ContactElliptic:
      break;
  }
  return contactDiagonal(m, d, d.efc_type[row], d.contact[id], rowInBlock, square);
}

/// B inv(M) B' of a block, nbasis x nbasis.
void exactGram(const Model& m, Data& d, const RowBlock& block, double* G) {
  const Arena::Scope scope(d.work->arena);
  const std::span<double> y = d.work->arena.take<double>(m.nv);
  const int* column = d.row_column.data() + block.column;
  for (int k = 0; k < block.nbasis; ++k) {
    const double* b = d.row_value.data() + block.value + k * block.ncol;
    std::fill(y.begin(), y.end(), 0.0);
    for (int j = 0; j < block.ncol; ++j) y[column[j]] = b[j];
    solveMass(m, d, y.data());
    for (int i = 0; i < block.nbasis; ++i) {
      const double* c = d.row_value.data() + block.value + i * block.ncol;
      double sum = 0;
      for (int j = 0; j < block.ncol; ++j) sum += c[j] * y[column[j]];
      G[i * block.nbasis + k] = sum;
    }
  }
}

/// Diagonal of J inv(M) J' for one row of a block: a pyramid's edge is b_0 +- mu_k b_k.
double exactDiagonal(const Data& d, const RowBlock& block, const double* G, int rowInBlock) {
  const int n = block.nbasis;
  if (block.kind != BlockKind::Pyramid) return G[rowInBlock * n + rowInBlock];
  const int k = rowInBlock / 2 + 1;
  const double mu = (rowInBlock % 2 == 0 ? 1 : -1) * d.row_cone[block.cone].friction[k - 1];
  return G[0] + 2 * mu * G[k] + mu * mu * G[k * n + k];
}

/// |r| that decides the impedance: connect and weld use the length of their whole residual.
double blockResidual(const Model& m, const Data& d, const RowBlock& block) {
  if (block.kind == BlockKind::Equality) {
    const EqualityType type = m.eq_type[d.efc_id[block.row]];
    if (type == EqualityType::Connect || type == EqualityType::Weld) {
      double sum = 0;
      for (int r = 0; r < block.nrow; ++r) sum += d.efc_pos[block.row + r] * d.efc_pos[block.row + r];
      return std::sqrt(sum);
    }
  }
  return d.efc_pos[block.row];
}

/// K of a row that returns to its place.
double stiffnessOf(const std::array<double, 2>& ref, double dw) {
  if (ref[0] > 0) return 1 / std::max(kMinVal, dw * dw * ref[0] * ref[0] * ref[1] * ref[1]);
  return -ref[0] / std::max(kMinVal, dw * dw);
}

void setStiffnessAndDamping(const RowParameters& p, RowType type, int rowInBlock, double* KB) {
  const bool coneFriction = type == RowType::ContactElliptic && rowInBlock > 0;
  const bool ownReference = coneFriction && (p.solreffriction[0] != 0 || p.solreffriction[1] != 0);
  const auto& ref = ownReference ? p.solreffriction : p.solref;
  const double dw = p.solimp[1];
  if (coneFriction || type == RowType::FrictionDof || type == RowType::FrictionTendon) {
    KB[0] = 0;  // friction has no place to return to
  } else {
    KB[0] = stiffnessOf(ref, dw);
  }
  KB[1] = ref[1] > 0 ? 2 / std::max(kMinVal, dw * ref[0]) : -ref[1] / std::max(kMinVal, dw);
}

/// Whether a contact is one of a flex whose rows are weighed against its stiffness.
bool holdsStiffNode(const Model& m, const Data& d, const Contact& contact) {
  bool any = false;
  for (const std::size_t s : {std::size_t{0}, std::size_t{1}}) {
    Side(m, d, contact, s).forEachCarrier([&](Carrier carrier, double) { any |= isStiff(m, carrier); });
  }
  return any;
}

/// Whether friction gives as little as a row can. It has no place to return to, so that what it gives adds up, and what
/// is held would creep: on stiff flexes, and on cables and sheets that are pressed. The edges of a pyramid, which are
/// normals as well and lift off what slides, the more so the harder they are, stay as they are.
bool holdsFast(const Model& m, const Data& d, const Contact& contact) {
  const double radius = thinRadius(m, contact);
  return (radius > 0 && contact.dist < -kPressed * radius) || holdsStiffNode(m, d, contact);
}

/// Friction rows of a contact are regularized in proportion to the normal one, such that the cone stays a cone:
/// R_1 = R_0 / impratio, R_k friction_k^2 = R_1 friction_1^2; a pyramid has one R for all its edges, 2 mu^2 R_0.
void shapeCone(const Model& m, Data& d, const RowBlock& block, double impedance) {
  Contact& contact = d.contact[d.efc_id[block.row]];
  double* R = d.efc_R.data() + block.row;
  double R1 = R[0] / std::max(kMinVal, m.opt.impratio);
  if (block.kind == BlockKind::Elliptic && holdsFast(m, d, contact)) R1 *= kLeastGive * impedance / (1 - impedance);
  contact.mu = contact.friction[0] * std::sqrt(R1 / R[0]);
  d.row_cone[block.cone].mu = contact.mu;
  if (block.kind == BlockKind::Elliptic) {
    for (int r = 1; r < block.nrow; ++r) {
      const double ratio = contact.friction[0] / contact.friction[r - 1];
      R[r] = R1 * ratio * ratio;
    }
  } else {
    std::fill_n(R, block.nrow, 2 * contact.mu * contact.mu * R[0]);
  }
}

/// Contacts of cables and sheets give way no deeper than to their middle: from half the radius on they get harder, up
/// to as hard as a row can be at the middle.
Impedance hardenedAtMiddle(const Model& m, const Contact& contact, Impedance impedance) {
  const double radius = thinRadius(m, contact);
  if (radius == 0 || !(contact.dist < -kPressed * radius)) return impedance;
  const double left = std::max(0.0, (1 + contact.dist / radius) / (1 - kPressed));  // 0 at the middle
  const double give = (1 - impedance.value) * left * left;
  impedance.value = std::min(kMaxImpedance, 1 - give);
  return impedance;
}

/// Whether a contact must be hard in this step so that its sides do not pass each other.
bool mustStop(const Data& d, const RowBlock& block) {
  return d.efc_type[block.row] >= RowType::ContactFrictionless && d.contact[d.efc_id[block.row]].swept;
}

/// Whether a contact has rows though it is not reached yet: contacts of stiff flexes, whose surface springs back within
/// a step by all that it was pressed in, would come and go otherwise.
bool isAhead(const Data& d, const RowBlock& block) {
  return d.efc_type[block.row] >= RowType::ContactFrictionless && d.efc_pos[block.row] > d.efc_margin[block.row] &&
         d.contact[d.efc_id[block.row]].adhesion == 0;
}

/// Sets the reference of a contact's normal such that the velocity at the end of the step is -gap/h: the step ends
/// where the gap is used up, unless it would not get there anyway. Beyond, the gap is given back with the time constant
/// `tau`.
void setApproach(double h, double gap, double tau, double impedance, double* KBIP) {
  KBIP[0] = 1 / (h * (gap < 0 ? std::max(h, tau) : h) * impedance);
  KBIP[1] = 1 / h;
  KBIP[2] = impedance;
  KBIP[3] = 0;
}

/// The reference of a contact that is not reached yet, or must stop. What is apart ends at the surface. What touches
/// gets no deeper than it is, and comes back from beyond the depth at which it would be lost, with the time constant of
/// its solref, `tau`. The row counts its residual from there.
void setAhead(const Model& m, Data& d, const RowBlock& block, bool stop, double tau, double impedance) {
  const double depth = d.efc_margin[block.row] - d.efc_pos[block.row];
  if (stop && depth > 0) d.efc_margin[block.row] -= std::min(depth, stopDepth(m, d.contact[d.efc_id[block.row]]));
  const double gap = d.efc_pos[block.row] - d.efc_margin[block.row];
  setApproach(m.opt.timestep, gap, tau, impedance, d.efc_KBIP.data() + 4 * block.row);
}

/// Stiffness of a passive contact per mass of the lightest node at it, 1/s^2; the reference engine's number.
constexpr double kPassiveStiffness = 5e7;

/// A passive contact is a spring that only pushes, in an implicit step: f = -k (dist + h v + h^2 a) with
/// k = 5e7 min(m). That is a row with D = k h^2 and the reference acceleration -(dist + h v)/h^2.
bool setPassive(const Model& m, Data& d, const RowBlock& block) {
  if (d.efc_type[block.row] != RowType::ContactFrictionless) return false;
  const Contact& contact = d.contact[d.efc_id[block.row]];
  if (contact.exclude != ContactExclude::Passive) return false;
  double lightest = 0;
  for (const std::size_t s : {std::size_t{0}, std::size_t{1}}) {
    Side(m, d, contact, s).forEachCarrier([&](Carrier carrier, double) {
      if (carrier.isBody() || m.flexnode_pinned[carrier.node()]) return;
      const double mass = m.flexnode_mass[carrier.node()];
      lightest = lightest > 0 ? std::min(lightest, mass) : mass;
    });
  }
  const double h = m.opt.timestep;
  const double D = std::max(kMinVal, kPassiveStiffness * lightest * h * h);
  double* KBIP = d.efc_KBIP.data() + 4 * block.row;
  KBIP[0] = 1 / (h * h);
  KBIP[1] = 1 / h;
  KBIP[2] = 1;
  KBIP[3] = 0;
  d.efc_D[block.row] = D;
  d.efc_R[block.row] = d.efc_diagA[block.row] = 1 / D;
  return true;
}

}  // namespace

void setImpedance(const Model& m, Data& d) {
  const bool exact = m.opt.enabled(enable::kDiagExact);
  double gram[kMaxBasis * kMaxBasis];
  RowParameters p;
  int equality = -1;  // whose parameters these are: most rows of a flex belong to one
  for (const RowBlock& block : d.row_block) {
    if (setPassive(m, d, block)) continue;
    if (exact) exactGram(m, d, block, gram);
    const RowType type = d.efc_type[block.row];
    const int id = d.efc_id[block.row];
    if (type != RowType::Equality || equality != id) p = parametersOf(m, d, type, id);
    equality = type == RowType::Equality ? id : -1;
    Impedance impedance = impedanceAt(p.solimp, blockResidual(m, d, block) - d.efc_margin[block.row]);
    const bool cone = block.cone >= 0, stop = mustStop(d, block);
    if (type >= RowType::ContactFrictionless) {
      impedance = hardenedAtMiddle(m, d.contact[id], impedance);
    }
    if (stop) impedance = {kMaxImpedance, 0};
    const double K = stiffnessOf(p.solref, p.solimp[1]), square = K > 0 ? 1 / K : 0;
    for (int r = 0; r < block.nrow; ++r) {
      const int row = block.row + r;
      double* KBIP = d.efc_KBIP.data() + 4 * row;
      if (!cone || r == 0) {
        const double diagonal = exact ? exactDiagonal(d, block, gram, r) : approximateDiagonal(m, d, block, r, square);
        d.efc_R[row] = std::max(kMinVal, (1 - impedance.value) * diagonal / impedance.value);
      }
      // the rows of a friction cone are alike, but for the normal of an elliptic one
      if (cone && r > (block.kind == BlockKind::Elliptic ? 1 : 0)) {
        std::copy_n(KBIP - 4, 4, KBIP);
        continue;
      }
      setStiffnessAndDamping(p, d.efc_type[row], r, KBIP);
      KBIP[2] = impedance.value;
      KBIP[3] = impedance.slope;
    }
    if (stop || isAhead(d, block)) setAhead(m, d, block, stop, std::sqrt(square), impedance.value);
    if (cone) shapeCone(m, d, block, impedance.value);
    // what the diagonal would have to be for R = (1 - d)/d A to hold in every row
    for (int row = block.row; row < block.row + block.nrow; ++row) {
      const bool repeated = block.kind == BlockKind::Pyramid && row > block.row;
      d.efc_D[row] = repeated ? d.efc_D[row - 1] : 1 / d.efc_R[row];
      d.efc_diagA[row] = repeated ? d.efc_diagA[row - 1] : d.efc_R[row] * impedance.value / (1 - impedance.value);
    }
  }
}

double complianceOf(const Model& m, const Data& d, const RowBlock& block) {
  const RowType type = d.efc_type[block.row];
  if (type < RowType::ContactFrictionless) return 0;
  const Contact& contact = d.contact[d.efc_id[block.row]];
  if (!holdsStiffNode(m, d, contact)) return 0;
  const RowParameters p = parametersOf(m, d, type, d.efc_id[block.row]);
  const Impedance impedance =
      hardenedAtMiddle(m, contact, impedanceAt(p.solimp, d.efc_pos[block.row] - d.efc_margin[block.row]));
  const double K = stiffnessOf(p.solref, p.solimp[1]), square = K > 0 ? 1 / K : 0;
  const double give = (1 - impedance.value) / (impedance.value * impedance.value);
  return give * square * contactDiagonal(m, d, RowType::ContactElliptic, contact, 0, square);
}

}  // namespace sinew
