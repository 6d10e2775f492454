#include "collision/broad_phase.h"

#include <algorithm>

#include "collision/bounding_tree.h"
#include "collision/collide_memory.h"
#include "collision/colliders.h"
#include "collision/collision.h"
#include "collision/filters.h"
#include "collision/near_pairs.h"
#include "collision/sweep.h"
#include "math/types.h"
#include "model/awake.h"
#include "model/workspace.h"

namespace sinew {
namespace {

/// Bounding spheres, or a sphere against a plane; a geom without a bound is near everything.
bool spheresNear(const Model& m, const Data& d, int g1, int g2, double distance) {
  const double r1 = m.geom_rbound[g1], r2 = m.geom_rbound[g2];
  const Vec3 between = vec3(d.geom_xpos.data(), g2) - vec3(d.geom_xpos.data(), g1);
  if (r1 > 0 && r2 > 0) return between.squaredNorm() <= (r1 + r2 + distance) * (r1 + r2 + distance);
  if (m.geom_type[g1] == GeomType::Plane && r2 > 0) {
    return Vec3(mat3(d.geom_xmat.data(), g1).col(2)).dot(between) <= distance + r2;
  }
  if (m.geom_type[g2] == GeomType::Plane && r1 > 0) {
    return Vec3(mat3(d.geom_xmat.data(), g2).col(2)).dot(-between) <= distance + r1;
  }
  return true;
}

/// The boxes around two geoms, each in its own axes, seen along the faces of both: no gap wider than `distance`.
bool boxesNear(const Model& m, const Data& d, int g1, int g2, double distance) {
  const ConstMapMat3 R1 = mat3(d.geom_xmat.data(), g1), R2 = mat3(d.geom_xmat.data(), g2);
  const ConstMapVec3 center1(m.geom_aabb.data() + 6 * g1), center2(m.geom_aabb.data() + 6 * g2);
  const ConstMapVec3 size1(m.geom_aabb.data() + 6 * g1 + 3), size2(m.geom_aabb.data() + 6 * g2 + 3);
  // rounding must not hide a contact that a collider would find
  constexpr double kSlack = 1e-9;
  const auto near = [&](const Vec3& between, const Vec3& reach) {
    return (between.cwiseAbs() - (1 + kSlack) * reach).maxCoeff() <= distance;
  };
  const Mat3 R = R1.transpose() * R2, absR = R.cwiseAbs();
  const Vec3 between =
      R1.transpose() * (vec3(d.geom_xpos.data(), g2) - vec3(d.geom_xpos.data(), g1)) + R * center2 - center1;
  return near(between, size1 + absR * size2) && near(R.transpose() * between, size2 + absR.transpose() * size1);
}

/// False only if the geoms are surely farther apart than `distance`.
bool mayTouch(const Model& m, const Data& d, int g1, int g2, double distance) {
  if (!spheresNear(m, d, g1, g2, distance)) return false;
  const auto boxed = [&](int g) { return m.geom_type[g] != GeomType::Plane && m.geom_type[g] != GeomType::Sphere; };
  return !boxed(g1) || !boxed(g2) || boxesNear(m, d, g1, g2, distance);
}

double earlyDistance(const Model& m, int g1, int g2) { return std::min(earlyDistance(m, g1), earlyDistance(m, g2)); }

/// The distance at which two geoms are looked at.
double detectionDistance(const Model& m, int g1, int g2) {
  const double margin = m.opt.enabled(enable::kOverride) ? m.opt.o_margin : m.geom_margin[g1] + m.geom_margin[g2];
  return detectionDistance(m.opt, margin, m.geom_gap[g1] + m.geom_gap[g2], earlyDistance(m, g1, g2));
}

/// As body_awake: -1 if nothing moves a collider, 0 if it sleeps, 1 if it is awake, or below a mocap body.
int awakeness(const Model& m, const Data& d, int collider) {
  return isFlex(m, collider) ? flexAwakeness(m, d, flexOf(m, collider)) : d.body_awake[m.geom_bodyid[collider]];
}

/// It has not moved, and neither has its box.
bool keepsItsBox(const Model& m, const Data& d, int collider) { return awakeness(m, d, collider) == 0; }

/// Whether contacts of a collider matter while others sleep: it is awake, or below a mocap body, which may push things.
/// What two colliders that are not do to each other has been settled when they fell asleep.
bool isLively(const Model& m, const Data& d, int collider) { return awakeness(m, d, collider) > 0; }

/// Colliders that planes are not among, and their boxes: those that sleep keep theirs.
void updateBoxes(const Model& m, Data& d, const Sweep& sweep, std::span<const int> bounded) {
  const std::span<BoundingTree::Box> boxes =
      d.work->arena.take<BoundingTree::Box>(static_cast<std::ptrdiff_t>(bounded.size()));
  const bool known = someAsleep(m, d) && isAbout(d.work->nearPairs, bounded);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (known && keepsItsBox(m, d, bounded[i])) {
      boxes[i] = d.work->nearPairs.box[static_cast<std::ptrdiff_t>(i)];
      continue;
    }
    boxes[i] = worldBox(m, d, bounded[i]);
    sweep.extend(bounded[i], boxes[i]);
  }
  updateNearPairs(m, bounded, boxes, d.work->nearPairs, d.work->arena);
}

}  // namespace

void findCandidates(const Model& m, Data& d, const Sweep& sweep, Array<ColliderPair>& candidates) {
  const Arena::Scope scope(d.work->arena);
  std::span<int> bounded = d.work->arena.take<int>(m.ngeom + m.nflex), planes = d.work->arena.take<int>(m.ngeom);
  std::size_t nbounded = 0, nplane = 0;
  for (int c = 0; c < m.ngeom + m.nflex; ++c) {
    if (!canCollide(m, c)) continue;
    (!isFlex(m, c) && m.geom_type[c] == GeomType::Plane ? planes[nplane++] : bounded[nbounded++]) = c;
  }
  bounded = bounded.first(nbounded);
  planes = planes.first(nplane);
  updateBoxes(m, d, sweep, bounded);

  const bool sleepers = someAsleep(m, d);
  const auto matters = [&](int c1, int c2) { return !sleepers || isLively(m, d, c1) || isLively(m, d, c2); };
  const auto mayMeet = [&](int c1, int c2) {
    return isFlex(m, c1) || isFlex(m, c2) || mayTouch(m, d, c1, c2, detectionDistance(m, c1, c2)) ||
           sweep.mayPass(c1, c2);
  };
  // planes and explicit pairs, which have no boxes; then what is listed, which is in order
  Array<ColliderPair>&unlisted = d.work->collideMemory->unlisted, &listed = d.work->collideMemory->listed;
  unlisted.clear();
  listed.clear();
  for (const int plane : planes) {
    for (const int c : bounded) {
      if (matters(plane, c) && mayCollide(m, plane, c) && mayMeet(plane, c))
        unlisted.push_back(orderedPair(m, plane, c, -1));
    }
  }
  for (int i = 0; i < m.npair; ++i) {
    const int g1 = m.pair_geom1[i], g2 = m.pair_geom2[i];
    if (!matters(g1, g2)) continue;
    const double margin = m.opt.enabled(enable::kOverride) ? m.opt.o_margin : m.pair_margin[i];
    if (!mayTouch(m, d, g1, g2, detectionDistance(m.opt, margin, m.pair_gap[i], earlyDistance(m, g1, g2))) &&
        !sweep.mayPass(g1, g2)) {
      continue;
    }
    unlisted.push_back(orderedPair(m, g1, g2, i));
  }
  std::sort(unlisted.begin(), unlisted.end());
  for (const NearPairs::Pair& near : d.work->nearPairs.pair) {
    const auto [first, second] = std::pair(near.colliders.first, near.colliders.second);
    if (!overlap(d.work->nearPairs.box[near.first], d.work->nearPairs.box[near.second])) continue;
    if (matters(first, second) && mayMeet(first, second)) listed.push_back(near.colliders);
  }
  candidates.resize(unlisted.size() + listed.size());
  std::merge(unlisted.begin(), unlisted.end(), listed.begin(), listed.end(), candidates.begin());
}

}  // namespace sinew
