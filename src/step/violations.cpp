#include <algorithm>
#include <cmath>
#include <limits>

#include "math/types.h"
#include "model/workspace.h"
#include "step/watch.h"

namespace sinew {
namespace {

int colliderOf(const Model& m, const Contact& contact, std::size_t side) {
  return contact.geom[side] >= 0 ? contact.geom[side] : m.ngeom + contact.flex[side];
}

constexpr double kEndless = std::numeric_limits<double>::infinity();

bool isThin(const Model& m, int collider) { return collider >= m.ngeom && m.flex_dim[collider - m.ngeom] < 3; }

/// How thick a collider is at its thinnest, m. Planes and height fields have no other side.
double thicknessOf(const Model& m, int collider) {
  if (collider >= m.ngeom) {
    const int flex = collider - m.ngeom;
    const double solid = m.flex_dim[flex] == 3 ? 2 * vec3(m.flex_size.data(), flex).minCoeff() : 0;
    return solid + 2 * m.flex_radius[flex];
  }
  if (m.geom_type[collider] == GeomType::Plane || m.geom_type[collider] == GeomType::HField) return kEndless;
  return 2 * ConstMapVec3(&m.geom_aabb[6 * collider + 3]).minCoeff();
}

/// Overlap from which on two things do not know any more on which side of each other they are, m: the thickness of the
/// thinner one. A sheet or rope yields instead of being passed through, so that only the other one counts; of two of
/// them both count, and not at all if they have no thickness.
double mostOverlap(const Model& m, int a, int b) {
  const double first = thicknessOf(m, a), second = thicknessOf(m, b);
  if (isThin(m, a) && isThin(m, b)) return first + second > 0 ? first + second : kEndless;
  return isThin(m, a) ? second : isThin(m, b) ? first : std::min(first, second);
}

/// Whether overlaps are no trouble yet: where something overlaps in a state that was given, it has a hundred steps to
/// part. `overlap`: something does now.
bool isPatient(Watch& watch, bool overlap) {
  constexpr int kPatience = 100;
  if (watch.steps == 0) {
    watch.overlapping = overlap ? 1 : 0;
  } else if (watch.overlapping > 0) {
    watch.overlapping = std::min(watch.overlapping + 1, kPatience + 1);
  }
  return 0 < watch.overlapping && watch.overlapping <= kPatience;
}

void noteContacts(const Model& m, Data& d) {
  int deep = -1;  // the first that is too deep
  int deepest = -1;
  double depth = d.status.deepest.depth;
  bool overlap = false;
  for (int i = 0; i < d.ncon(); ++i) {
    const Contact& contact = d.contact[i];
    if (contact.efc_address < 0 || !(contact.dist < 0)) continue;
    overlap = true;
    if (-contact.dist > depth) {
      depth = -contact.dist;
      deepest = i;
    }
    if (deep >= 0) continue;
    if (-contact.dist > mostOverlap(m, colliderOf(m, contact, 0), colliderOf(m, contact, 1))) deep = i;
  }
  const auto colliders = [&](int i) {
    return std::array<int, 2>{colliderOf(m, d.contact[i], 0), colliderOf(m, d.contact[i], 1)};
  };
  if (deepest >= 0) d.status.deepest = {depth, d.time, d.contact[deepest].pos, colliders(deepest)};
  if (isPatient(d.work->watch, overlap) || deep < 0) return;
  d.status.note(Trouble::TooDeep, deep, d.time);
  TroubleReport& report = d.status[Trouble::TooDeep];
  if (report.count > 1) return;
  report.collider = colliders(deep);
  report.value = -d.contact[deep].dist;
}

/// The residual of one block of an equality, in metres and in radians; 0 where it has none.
struct Residual {
  double length = 0, angle = 0;
};

double normOf(const Data& d, int row, int count) {
  double sum = 0;
  for (int r = row; r < row + count; ++r) sum += d.efc_pos[r] * d.efc_pos[r];
  return std::sqrt(sum);
}

/// A fixed tendon over hinges alone is measured in radians.
bool isAngle(const Model& m, int tendon) {
  for (int k = m.tendon_adr[tendon]; k < m.tendon_adr[tendon] + m.tendon_num[tendon]; ++k) {
    if (m.wrap_type[k] != WrapType::Joint || m.jnt_type[m.wrap_objid[k]] == JointType::Slide) return false;
  }
  return true;
}

Residual residualOf(const Model& m, const Data& d, int equality, const RowBlock& block) {
  const double size = normOf(d, block.row, block.nrow);
  switch (m.eq_type[equality]) {
    case EqualityType::Weld: {
      // the last three rows are torquescale sin(angle / 2) times the axis
      const double scale = m.eq_data[11 * equality + 10];
      const double sine = scale > 0 ? normOf(d, block.row + 3, 3) / scale : 0;
      return {normOf(d, block.row, 3), 2 * std::asin(std::min(sine, 1.0))};
    }
    case EqualityType::Joint:
      return m.jnt_type[m.eq_obj1id[equality]] == JointType::Hinge ? Residual{0, size} : Residual{size, 0};
    case EqualityType::Tendon:
      return isAngle(m, m.eq_obj1id[equality]) ? Residual{0, size} : Residual{size, 0};
    case EqualityType::FlexVert:
      return {};  // its rows measure strain times the root of a mass: the edges tell how far it is off, below
    default:
      return {size, 0};
  }
}

/// Edge, vertex or cell of the flex that a block is about, counted within it; -1: none.
int partOf(const Model& m, int equality, const RowBlock& block) {
  const int flex = m.eq_obj1id[equality];
  switch (m.eq_type[equality]) {
    case EqualityType::Flex:
      return block.part - m.flex_edgeadr[flex];
    case EqualityType::FlexStrain: {
      const double* cell = &m.eq_data[11 * equality];
      if (m.flex_interp[flex] < 0) return static_cast<int>(cell[0]);
      const int* n = &m.flex_cellnum[3 * flex];
      return (static_cast<int>(cell[0]) * n[1] + static_cast<int>(cell[1])) * n[2] + static_cast<int>(cell[2]);
    }
    default:
      return -1;
  }
}

void noteError(LargestError& largest, double value, double time, int equality, int flex, int index) {
  if (value > largest.value) largest = {value, time, equality, flex, index};
}

/// A flex that is held by its vertices should keep the lengths of its edges.
void noteEdges(const Model& m, Data& d, int equality) {
  const int flex = m.eq_obj1id[equality];
  if (m.flex_interp[flex] != 0) return;
  for (int e = 0; e < m.flex_edgenum[flex]; ++e) {
    const int edge = m.flex_edgeadr[flex] + e;
    noteError(d.status.position, std::abs(d.flexedge_length[edge] - m.flexedge_length0[edge]), d.time, equality, flex,
              e);
  }
}

void noteEqualities(const Model& m, Data& d) {
  int last = -1;
  for (const RowBlock& block : d.row_block) {
    if (block.row >= d.ne) break;
    const int equality = d.efc_id[block.row];
    const bool ofFlex = m.eq_type[equality] >= EqualityType::Flex;
    if (m.eq_type[equality] == EqualityType::FlexVert && equality != last) noteEdges(m, d, equality);
    last = equality;
    const Residual residual = residualOf(m, d, equality, block);
    const int flex = ofFlex ? m.eq_obj1id[equality] : -1, part = ofFlex ? partOf(m, equality, block) : -1;
    noteError(d.status.position, residual.length, d.time, equality, flex, part);
    noteError(d.status.angle, residual.angle, d.time, equality, flex, part);
  }
}

}  // namespace

void noteViolations(const Model& m, Data& d) {
  noteContacts(m, d);
  noteEqualities(m, d);
}

void watchSolver(const Model&, Data& d) {
  constexpr double kFar = 0.1;  // the last iteration still changed this share of the result
  constexpr int kStepsInARow = 100;
  int worst = -1;
  for (int i = 0; i < static_cast<int>(d.island.size()); ++i) {
    const IslandReport& island = d.island[i];
    if (island.converged || island.residual <= kFar) continue;
    if (worst < 0 || island.residual > d.island[worst].residual) worst = i;
  }
  if (worst < 0) {
    d.work->watch.unconverged = 0;
    return;
  }
  if (++d.work->watch.unconverged < kStepsInARow) return;
  d.status.note(Trouble::Unconverged, worst, d.time);
  TroubleReport& report = d.status[Trouble::Unconverged];
  report.value = std::max(report.value, static_cast<double>(d.work->watch.unconverged));
}

}  // namespace sinew
