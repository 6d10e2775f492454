#include "collision/filters.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "collision/elements.h"

namespace sinew {
namespace {

/// Rigid piece that a body belongs to, and the one above it.
int weldParent(const Model& m, int weld) { return m.body_weldid[m.body_parentid[weld]]; }

/// First of the rows of a sorted list of body pairs that is not below (body1, body2), whatever their order.
int firstOfBodies(const Array<int>& list, int body1, int body2) {
  const std::array key{std::min(body1, body2), std::max(body1, body2)};
  int low = 0, high = static_cast<int>(list.size() / 2);
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (std::array{list[2 * middle], list[2 * middle + 1]} < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool areBodies(const Array<int>& list, int row, int body1, int body2) {
  return 2 * row < list.size() && list[2 * row] == std::min(body1, body2) &&
         list[2 * row + 1] == std::max(body1, body2);
}

bool bodiesMayCollide(const Model& m, int body1, int body2) {
  const int weld1 = m.body_weldid[body1], weld2 = m.body_weldid[body2];
  if (weld1 == weld2) return false;
  if (m.body_dofnum[weld1] == 0 && m.body_dofnum[weld2] == 0) return false;
  if (!m.opt.disabled(disable::kFilterParent) && weld1 != 0 && weld2 != 0 &&
      (weld1 == weldParent(m, weld2) || weld2 == weldParent(m, weld1))) {
    return false;
  }
  return !areBodies(m.exclude_bodyid, firstOfBodies(m.exclude_bodyid, body1, body2), body1, body2);
}

int contype(const Model& m, int collider) {
  return isFlex(m, collider) ? m.flex_contype[flexOf(m, collider)] : m.geom_contype[collider];
}

int conaffinity(const Model& m, int collider) {
  return isFlex(m, collider) ? m.flex_conaffinity[flexOf(m, collider)] : m.geom_conaffinity[collider];
}

bool listedExplicitly(const Model& m, int geom1, int geom2) {
  if (m.npair == 0) return false;
  const int body1 = m.geom_bodyid[geom1], body2 = m.geom_bodyid[geom2];
  for (int i = firstOfBodies(m.pair_bodyid, body1, body2); areBodies(m.pair_bodyid, i, body1, body2); ++i) {
    if ((m.pair_geom1[i] == geom1 && m.pair_geom2[i] == geom2) ||
        (m.pair_geom1[i] == geom2 && m.pair_geom2[i] == geom1)) {
      return true;
    }
  }
  return false;
}

/// Nothing moves it: a geom of a static or mocap body, or a rigid flex on one.
bool isStill(const Model& m, int collider) {
  if (!isFlex(m, collider)) return m.body_treeid[m.geom_bodyid[collider]] < 0;
  const int flex = flexOf(m, collider);
  return m.flex_rigid[flex] != 0 && m.body_treeid[m.flexpoint_bodyid[m.flex_pointadr[flex]]] < 0;
}

}  // namespace

bool canCollide(const Model& m, int collider) { return contype(m, collider) != 0 || conaffinity(m, collider) != 0; }

bool mayCollide(const Model& m, int collider1, int collider2) {
  SINEW_CHECK(collider1 >= 0 && collider1 < m.ngeom + m.nflex, "there is no such collider");
  SINEW_CHECK(collider2 >= 0 && collider2 < m.ngeom + m.nflex, "there is no such collider");
  const bool bits = (contype(m, collider1) & conaffinity(m, collider2)) != 0 ||
                    (contype(m, collider2) & conaffinity(m, collider1)) != 0;
  if (!bits) return false;
  if (isFlex(m, collider1) || isFlex(m, collider2)) return !isStill(m, collider1) || !isStill(m, collider2);
  return bodiesMayCollide(m, m.geom_bodyid[collider1], m.geom_bodyid[collider2]) &&
         !listedExplicitly(m, collider1, collider2);
}

int bodyOfVertex(const Model& m, int vert) {
  if (m.flexvert_supportadr[vert] >= 0) return -1;
  const int flex = m.flexvert_flexid[vert];
  const int point = m.flex_pointadr[flex] + vert - m.flex_vertadr[flex];
  const int node = m.flexpoint_nodeid[point];
  return node < 0 || m.flexnode_pinned[node] ? m.flexpoint_bodyid[point] : -1;
}

bool hasVertexOn(const Model& m, int elem, int body) {
  const ElementVertices e(m, elem);
  for (int i = 0; i < e.count; ++i) {
    if (bodyOfVertex(m, e.first + e.local[i]) == body) return true;
  }
  return false;
}

namespace {

/// Whether two lists have a number in common, without branches: neighbours in a mesh often do.
template <int N>
bool haveCommon(const int* a, const int* b) {
  bool any = false;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) any |= a[i] == b[j];
  }
  return any;
}

}  // namespace

bool shareVertex(const Model& m, int elem1, int elem2) {
  const ElementVertices a(m, elem1), b(m, elem2);
  if (a.count == 3 && b.count == 3) return haveCommon<3>(a.local, b.local);
  if (a.count == 4 && b.count == 4) return haveCommon<4>(a.local, b.local);
  for (int i = 0; i < a.count; ++i) {
    for (int j = 0; j < b.count; ++j) {
      if (a.local[i] == b.local[j]) return true;
    }
  }
  return false;
}

bool areOnOneBody(const Model& m, int elem1, int elem2) {
  const ElementVertices a(m, elem1);
  for (int i = 0; i < a.count; ++i) {
    const int body = bodyOfVertex(m, a.first + a.local[i]);
    if (body >= 0 && hasVertexOn(m, elem2, body)) return true;
  }
  return false;
}

int bodyOfCollider(const Model& m, int collider) {
  return isFlex(m, collider) ? m.nbody + flexOf(m, collider) : m.geom_bodyid[collider];
}

std::int64_t bodyPairKey(int body1, int body2) {
  return (std::int64_t{std::min(body1, body2)} << 32) + std::max(body1, body2);
}

}  // namespace sinew
