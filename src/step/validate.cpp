#include "step/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "math/types.h"
#include "model/awake.h"

namespace sinew {
namespace {

bool inRange(int value, int low, std::ptrdiff_t end) { return value >= low && value < end; }

template <class T>
bool allFinite(const T* values, int count) {
  return std::all_of(values, values + count, [](T x) { return std::isfinite(x); });
}

/// Arrays have the sizes that the Model demands.
std::string checkSizes(const Model& m, const Data& d) {
  std::string found;
  d.forEachArray(m, [&](const char* name, const auto& array, int rows, int columns, const char*) {
    const std::ptrdiff_t expected = static_cast<std::ptrdiff_t>(rows) * columns;
    if (found.empty() && array.size() != expected) {
      found = fmt::format("{} has {} entries, must have {}", name, array.size(), expected);
    }
  });
  return found;
}

/// Lists of what is awake say what body_awake and tree_awake say.
std::string checkAwake(const Model& m, const Data& d) {
  int trees = 0, bodies = 0, dofs = 0;
  for (int t = 0; t < m.ntree; ++t) trees += d.tree_awake[t] != 0;
  if (trees != d.ntree_awake) return fmt::format("ntree_awake is {}, {} trees are awake", d.ntree_awake, trees);
  for (int b = 0; b < m.nbody; ++b) {
    if (bodyAsleep(d, b)) continue;
    if (bodies >= d.nbody_awake || d.body_awake_ind[bodies] != b)
      return fmt::format("body_awake_ind misses body {}", b);
    ++bodies;
  }
  for (int i = 0; i < m.nv; ++i) {
    if (dofAsleep(m, d, i)) continue;
    if (dofs >= d.nv_awake || d.dof_awake_ind[dofs] != i) return fmt::format("dof_awake_ind misses dof {}", i);
    ++dofs;
  }
  if (bodies != d.nbody_awake || dofs != d.nv_awake) return "the lists of what is awake are too long";
  return "";
}

std::string checkPoses(const Model& m, const Data& d) {
  for (int b = 0; b < m.nbody; ++b) {
    const double* q = d.xquat.data() + 4 * b;
    if (!allFinite(q, 4)) continue;  // of coordinates that are none
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (std::abs(length - 1) > 1e-9) return fmt::format("xquat of body {} has length {}", b, length);
  }
  return "";
}

std::string checkSide(const Model& m, const Data& d, const Contact& c, std::size_t side) {
  const bool geom = c.geom[side] >= 0, flex = c.flex[side] >= 0;
  if (geom == flex) return "it must be a geom or a flex";
  if (geom && !inRange(c.geom[side], 0, m.ngeom)) return fmt::format("there is no geom {}", c.geom[side]);
  if (flex) {
    const int f = c.flex[side];
    if (!inRange(f, 0, m.nflex)) return fmt::format("there is no flex {}", f);
    if (!inRange(c.elem[side], -1, m.flex_elemnum[f])) return fmt::format("there is no element {}", c.elem[side]);
    if (!inRange(c.vert[side], -1, m.flex_vertnum[f])) return fmt::format("there is no vertex {}", c.vert[side]);
  }
  const ContactSide& s = c.side[side];
  if (s.begin < 0 || s.count < 1 || s.begin + s.count > d.support_carrier.size()) {
    return fmt::format("its carriers [{}, {} + {}) are out of range", s.begin, s.begin, s.count);
  }
  double sum = 0;
  for (int k = s.begin; k < s.begin + s.count; ++k) {
    const int code = d.support_carrier[k];
    if (!inRange(code, 0, m.nbody + m.nflexnode)) return fmt::format("there is no carrier {}", code);
    for (int other = s.begin; other < k; ++other) {
      if (d.support_carrier[other] == code) return fmt::format("carrier {} occurs twice", code);
    }
    sum += d.support_weight[k];
  }
  if (!(std::abs(sum - 1) < 1e-6)) return fmt::format("the weights of its carriers sum to {}", sum);
  return "";
}

std::string checkContact(const Model& m, const Data& d, int i) {
  const Contact& c = d.contact[i];
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const std::string wrong = checkSide(m, d, c, side);
    if (!wrong.empty()) return fmt::format("side {}: {}", side, wrong);
  }
  if (c.dim != 1 && c.dim != 3 && c.dim != 4 && c.dim != 6) return fmt::format("dim is {}", c.dim);
  if (allFinite(c.frame.data(), 9)) {
    const ConstMapMat3 R(c.frame.data());
    const double error = (R * R.transpose() - Mat3::Identity()).cwiseAbs().maxCoeff();
    if (error > 1e-6) return fmt::format("its frame is not orthonormal, by {}", error);
  }
  if (c.efc_address < 0) return "";
  if (c.efc_address >= d.nefc()) return fmt::format("there is no row {}", c.efc_address);
  if (d.efc_type[c.efc_address] < RowType::ContactFrictionless || d.efc_id[c.efc_address] != i) {
    return fmt::format("row {} is not its own", c.efc_address);
  }
  return "";
}

/// How many things the id of a row of this type may name.
int countFor(const Model& m, const Data& d, RowType type) {
  switch (type) {
    case RowType::Equality:
      return m.neq;
    case RowType::FrictionDof:
      return m.nv;
    case RowType::FrictionTendon:
    case RowType::LimitTendon:
      return m.ntendon;
    case RowType::LimitJoint:
      return m.njnt;
    default:
      return d.ncon();
  }
}

std::string checkRows(const Model& m, const Data& d) {
  const int rows = d.nefc();
  for (const auto& [name, size] :
       {std::pair{"efc_id", d.efc_id.size()}, {"efc_pos", d.efc_pos.size()}, {"efc_margin", d.efc_margin.size()}}) {
    if (size != rows) return fmt::format("{} has {} entries, there are {} rows", name, size, rows);
  }
  for (int row = 0; row < rows; ++row) {
    const RowType type = d.efc_type[row];
    const RowType first = row < d.ne                 ? RowType::Equality
                          : row < d.ne + d.nf        ? RowType::FrictionDof
                          : row < d.ne + d.nf + d.nl ? RowType::LimitJoint
                                                     : RowType::ContactFrictionless;
    const RowType last = row < d.ne                 ? RowType::Equality
                         : row < d.ne + d.nf        ? RowType::FrictionTendon
                         : row < d.ne + d.nf + d.nl ? RowType::LimitTendon
                                                    : RowType::ContactElliptic;
    if (type < first || type > last)
      return fmt::format("row {} is of type {}, out of order", row, static_cast<int>(type));
    if (!inRange(d.efc_id[row], 0, countFor(m, d, type))) return fmt::format("row {} is about nothing", row);
  }
  int next = 0, lastColumn = 0;
  for (std::ptrdiff_t b = 0; b < d.row_block.size(); ++b) {
    const RowBlock& block = d.row_block[b];
    const auto wrong = [&](const std::string& what) { return fmt::format("block {} of rows: {}", b, what); };
    if (block.row != next || block.nrow < 1)
      return wrong(fmt::format("it begins with row {}, must be {}", block.row, next));
    next = block.row + block.nrow;
    if (block.column < lastColumn || block.ncol < 0 || block.column + block.ncol > d.row_column.size()) {
      return wrong("its columns are out of range");
    }
    lastColumn = block.column;
    if (block.value < 0 || block.value + block.nbasis * block.ncol > d.row_value.size()) {
      return wrong("its values are out of range");
    }
    const bool cone = block.kind == BlockKind::Pyramid || block.kind == BlockKind::Elliptic;
    if (cone && !inRange(block.cone, 0, d.row_cone.size())) return wrong("its cone is missing");
    for (int k = block.column; k < block.column + block.ncol; ++k) {
      if (!inRange(d.row_column[k], 0, m.nv)) return wrong(fmt::format("there is no dof {}", d.row_column[k]));
      if (k > block.column && d.row_column[k] <= d.row_column[k - 1]) return wrong("its columns do not grow");
    }
  }
  if (next != rows) return fmt::format("the blocks have {} rows, there are {}", next, rows);
  return "";
}

/// Limits and contacts push, and never pull.
std::string checkForces(const Data& d) {
  for (const RowBlock& block : d.row_block) {
    const bool pushes = block.kind == BlockKind::Unilateral || block.kind == BlockKind::Pyramid;
    const int rows = pushes ? block.nrow : block.kind == BlockKind::Elliptic ? 1 : 0;
    for (int row = block.row; row < block.row + rows; ++row) {
      if (d.efc_force[row] < 0) return fmt::format("row {} pulls with {} N", row, -d.efc_force[row]);
    }
  }
  return "";
}

}  // namespace

std::string validate(const Model& m, const Data& d, bool solved) {
  if (d.signature != m.signature) return "the Data was made for another Model";
  std::string wrong = checkSizes(m, d);
  if (wrong.empty()) wrong = checkAwake(m, d);
  if (wrong.empty()) wrong = checkPoses(m, d);
  if (wrong.empty()) wrong = checkRows(m, d);
  for (int i = 0; wrong.empty() && i < d.ncon(); ++i) {
    wrong = checkContact(m, d, i);
    if (!wrong.empty()) wrong = fmt::format("contact {}: {}", i, wrong);
  }
  if (wrong.empty() && solved) wrong = checkForces(d);
  return wrong;
}

#ifdef NDEBUG
void validateAfter(const char*, const Model&, const Data&, bool) {}
#else
void validateAfter(const char* stage, const Model& m, const Data& d, bool solved) {
  const std::string wrong = validate(m, d, solved);
  if (wrong.empty()) return;
  std::fprintf(stderr, "after the %s stage: %s\n", stage, wrong.c_str());
  std::abort();
}
#endif

}  // namespace sinew
