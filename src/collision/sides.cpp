#include "collision/sides.h"

#include <algorithm>
#include <cmath>

#include "collision/collide_memory.h"
#include "collision/elements.h"
#include "math/types.h"
#include "model/awake.h"
#include "model/workspace.h"

namespace sinew {
namespace {

bool sideBefore(const RowMemory& a, const RowMemory& b) { return a.key < b.key; }

/// Any order will do where keys repeat, as long as it is one.
bool sortedBefore(const RowMemory& a, const RowMemory& b) {
  return a.key != b.key ? a.key < b.key : a.force[0] < b.force[0];
}

const RowMemory* firstSide(const Data& d) {
  const RowMemory* begin = d.row_memory.data();
  return std::lower_bound(begin, begin + d.row_memory.size(), RowMemory{.key = kSideKind << kKeyKindShift}, sideBefore);
}

}  // namespace

bool hasSides(const Model& m, int geom, int flex) {
  return m.opt.speculative != Speculative::None && m.flex_dim[flex] == 2 && m.geom_type[geom] != GeomType::Plane &&
         m.geom_type[geom] != GeomType::HField;
}

void beginSides(const Model& m, Data& d) {
  Array<RowMemory>& sides = d.work->collideMemory->sides;
  sides.clear();
  if (m.nflex == 0 || !someAsleep(m, d)) return;
  const RowMemory* end = d.row_memory.data() + d.row_memory.size();
  for (const RowMemory* side = firstSide(d); side < end; ++side) {
    if (geomOfSide(side->key) >= m.ngeom || elemOfSide(side->key) >= m.nflexelem)
      continue;  // of a state that was given
    const int flex = m.flexelem_flexid[elemOfSide(side->key)];
    const bool geomRests = d.body_awake[m.geom_bodyid[geomOfSide(side->key)]] <= 0;
    if (geomRests && flexAwakeness(m, d, flex) <= 0) sides.push_back(*side);
  }
}

double recallSide(const Data& d, int geom, int elem) {
  const RowMemory* end = d.row_memory.data() + d.row_memory.size();
  const RowMemory wanted{.key = sideKey(geom, elem)};
  const RowMemory* found = std::lower_bound(firstSide(d), end, wanted, sideBefore);
  return found < end && found->key == wanted.key ? found->force[0] : 0;
}

void noteSide(Data& d, int geom, int elem, const geom::Element& triangle, const Vec3& normal) {
  const auto& x = triangle.corner;
  const double along = normalizedOrX((x[1] - x[0]).cross(x[2] - x[0])).dot(normal);
  if (!(std::abs(along) > geom::kFacing)) return;
  RowMemory side{.key = sideKey(geom, elem)};
  side.force[0] = along < 0 ? 1 : -1;
  d.work->collideMemory->sides.push_back(side);
}

void rememberSides(Data& d) {
  Array<RowMemory>& sides = d.work->collideMemory->sides;
  if (sides.empty() && d.row_memory.empty()) return;
  std::sort(sides.begin(), sides.end(), sortedBefore);
  d.row_memory.resize(firstSide(d) - d.row_memory.data());
  for (const RowMemory& side : sides) {
    const std::ptrdiff_t count = d.row_memory.size();
    if (count > 0 && d.row_memory[count - 1].key == side.key) continue;  // the first one counts
    d.row_memory.push_back(side);
  }
}

}  // namespace sinew
