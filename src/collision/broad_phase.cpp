#include "collision/broad_phase.h"

#include <algorithm>
#include <new>

#include "collision/bounding_tree.h"
#include "collision/collide_memory.h"
#include "collision/colliders.h"
#include "collision/collision.h"
#include "collision/filters.h"
#include "collision/geom_contacts.h"
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

/// By which a box counts as larger: rounding must not hide a contact that a collider would find.
constexpr double kSlack = 1e-9;

/// The box around a geom, in its own axes, against a plane: no gap wider than `distance`.
bool boxNearPlane(const Model& m, const Data& d, int plane, int g, double distance) {
  const Vec3 n = mat3(d.geom_xmat.data(), plane).col(2), along = mat3(d.geom_xmat.data(), g).transpose() * n;
  const Vec3 between = vec3(d.geom_xpos.data(), g) - vec3(d.geom_xpos.data(), plane);
  const ConstMapVec3 center(m.geom_aabb.data() + 6 * g), size(m.geom_aabb.data() + 6 * g + 3);
  return n.dot(between) + along.dot(center) - (1 + kSlack) * along.cwiseAbs().dot(size) <= distance;
}

/// The boxes around two geoms, each in its own axes, seen along the faces of both: no gap wider than `distance`.
bool boxesNear(const Model& m, const Data& d, int g1, int g2, double distance) {
  const ConstMapMat3 R1 = mat3(d.geom_xmat.data(), g1), R2 = mat3(d.geom_xmat.data(), g2);
  const ConstMapVec3 center1(m.geom_aabb.data() + 6 * g1), center2(m.geom_aabb.data() + 6 * g2);
  const ConstMapVec3 size1(m.geom_aabb.data() + 6 * g1 + 3), size2(m.geom_aabb.data() + 6 * g2 + 3);
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
  const auto isPlane = [&](int g) { return m.geom_type[g] == GeomType::Plane; };
  const auto boxed = [&](int g) { return !isPlane(g) && m.geom_type[g] != GeomType::Sphere; };
  if (isPlane(g1)) return !boxed(g2) || boxNearPlane(m, d, g1, g2, distance);
  if (isPlane(g2)) return !boxed(g1) || boxNearPlane(m, d, g2, g1, distance);
  return !boxed(g1) || !boxed(g2) || boxesNear(m, d, g1, g2, distance);
}

void include(BoundingTree::Box& box, const BoundingTree::Box& other) {
  for (int k = 0; k < 3; ++k) {
    box.lower[k] = std::min(box.lower[k], other.lower[k]);
    box.upper[k] = std::max(box.upper[k], other.upper[k]);
  }
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

/// The boxes of what may meet others with bounds: those that sleep keep theirs.
void updateBoxes(const Model& m, Data& d, const Sweep& sweep) {
  NearPairs& near = d.work->nearPairs;
  const Array<int>& bounded = near.plan.bounded;
  const bool inPlace = near.isListed && near.room.empty();  // nobody asks by how much they have moved
  const std::span<BoundingTree::Box> boxes =
      inPlace ? std::span<BoundingTree::Box>(near.box) : d.work->arena.take<BoundingTree::Box>(bounded.size());
  const bool known = near.isListed && someAsleep(m, d);
  for (int i = 0; i < static_cast<int>(bounded.size()); ++i) {
    BoundingTree::Box& box = boxes[i];
    if (known && keepsItsBox(m, d, bounded[i])) {
      box = near.box[i];
      continue;
    }
    // made where it stays: a copy would have to wait until what was just written has left the store buffer
    ::new (static_cast<void*>(&box)) BoundingTree::Box(worldBox(m, d, bounded[i]));
    sweep.extend(bounded[i], box);
  }
  if (!inPlace) updateNearPairs(m, boxes, near, d.work->arena);
}

/// Calls f(pair) for the listed pairs whose boxes overlap, in their order. They are listed by bodies, so where the
/// boxes around all colliders of two bodies are apart, their pairs need no look.
template <class F>
void forEachNear(const Model& m, const NearPairs& near, Arena& arena, F&& f) {
  const Array<int>& bounded = near.plan.bounded;
  const std::span<BoundingTree::Box> bodyBox = arena.take<BoundingTree::Box>(bounded.size());
  const std::span<std::size_t> place = arena.take<std::size_t>(bounded.size());  // of its body's box
  std::size_t last = 0;
  for (int i = 0; i < static_cast<int>(bounded.size()); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (i == 0 || bodyOfCollider(m, bounded[i]) != bodyOfCollider(m, bounded[i - 1])) {
      bodyBox[last = k] = near.box[i];
    } else {
      include(bodyBox[last], near.box[i]);
    }
    place[k] = last;
  }
  const auto boxOf = [&](int i) -> const BoundingTree::Box& { return bodyBox[place[i]]; };
  for (auto pair = near.pair.begin(); pair != near.pair.end();) {
    const std::int64_t bodies = pair->colliders.bodies;
    if (!overlap(boxOf(pair->first), boxOf(pair->second))) {
      while (pair != near.pair.end() && pair->colliders.bodies == bodies) ++pair;
      continue;
    }
    for (; pair != near.pair.end() && pair->colliders.bodies == bodies; ++pair) {
      if (overlap(near.box[pair->first], near.box[pair->second])) f(pair->colliders);
    }
  }
}

}  // namespace

void findCandidates(const Model& m, Data& d, const Sweep& sweep, Array<ColliderPair>& candidates) {
  const Arena::Scope scope(d.work->arena);
  updateBoxes(m, d, sweep);

  const bool sleepers = someAsleep(m, d);
  const auto matters = [&](int c1, int c2) { return !sleepers || isLively(m, d, c1) || isLively(m, d, c2); };
  const auto mayMeet = [&](const ColliderPair& pair) {
    const int c1 = pair.first, c2 = pair.second;
    if (isFlex(m, c1) || isFlex(m, c2)) return true;
    const double distance = detectionDistanceOfGeoms(m, pair);
    return mayTouch(m, d, c1, c2, distance) || sweep.mayPass(c1, c2);
  };
  // planes and explicit pairs, which have no boxes; then what is listed, which is in order
  Array<ColliderPair>&unlisted = d.work->collideMemory->unlisted, &listed = d.work->collideMemory->listed;
  unlisted.clear();
  listed.clear();
  for (const ColliderPair& pair : d.work->nearPairs.plan.plane) {
    if (matters(pair.first, pair.second) && mayMeet(pair)) unlisted.push_back(pair);
  }
  for (int i = 0; i < m.npair; ++i) {
    const int g1 = m.pair_geom1[i], g2 = m.pair_geom2[i];
    if (!matters(g1, g2)) continue;
    const ColliderPair pair = orderedPair(m, g1, g2, i);
    if (mayMeet(pair)) unlisted.push_back(pair);
  }
  if (m.npair > 0) std::sort(unlisted.begin(), unlisted.end());  // else it is in order as well
  forEachNear(m, d.work->nearPairs, d.work->arena, [&](const ColliderPair& pair) {
    if (matters(pair.first, pair.second) && mayMeet(pair)) listed.push_back(pair);
  });
  candidates.resize(unlisted.size() + listed.size());
  std::merge(unlisted.begin(), unlisted.end(), listed.begin(), listed.end(), candidates.begin());
}

}  // namespace sinew
