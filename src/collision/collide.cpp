#include <algorithm>
#include <tuple>

#include "collision/bounding_tree.h"
#include "collision/colliders.h"
#include "collision/collision.h"
#include "collision/contact_maker.h"
#include "collision/element_contacts.h"
#include "collision/filters.h"
#include "collision/manifold.h"
#include "geom/support.h"
#include "math/types.h"
#include "model/awake.h"

namespace sinew {
namespace {

/// Two colliders that are near each other. `first` is the geom of the smaller type, or the smaller flex after all
/// geoms. The order of contacts: by bodies (flexes count as bodies after all others), explicit pairs first, then by
/// geoms.
struct Candidate {
  std::int64_t bodies = 0;  ///< twice the key of the bodies, one more if automatic
  std::int64_t geoms = 0;   ///< number of the explicit pair, or both geoms
  int pair = -1;            ///< explicit pair, -1: automatic
  int first = 0, second = 0;

  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.bodies != b.bodies ? a.bodies < b.bodies : a.geoms < b.geoms;
  }
};

MixedParameters parametersOfPair(const Model& m, int i) {
  MixedParameters p;
  p.dim = m.pair_dim[i];
  std::copy_n(m.pair_friction.data() + 5 * i, 5, p.friction.begin());
  std::copy_n(m.pair_solref.data() + 2 * i, 2, p.solref.begin());
  std::copy_n(m.pair_solreffriction.data() + 2 * i, 2, p.solreffriction.begin());
  std::copy_n(m.pair_solimp.data() + 5 * i, 5, p.solimp.begin());
  p.margin = m.pair_margin[i];
  p.gap = m.pair_gap[i];
  p.adhesion = m.pair_adhesion[i];
  p.restitution = m.pair_restitution[i];
  applyOverrides(m.opt, p);
  return p;
}

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

/// The distance at which two geoms are looked at.
double detectionDistance(const Model& m, int g1, int g2) {
  const double margin = m.opt.enabled(enable::kOverride) ? m.opt.o_margin : m.geom_margin[g1] + m.geom_margin[g2];
  return detectionDistance(m.opt, margin, m.geom_gap[g1] + m.geom_gap[g2]);
}

Candidate candidate(const Model& m, int c1, int c2, int pair) {
  const auto key = bodyPairKey(bodyOfCollider(m, c1), bodyOfCollider(m, c2));
  // equal types keep the order of their bodies, then their ids; flexes come after all types of geoms
  const auto rank = [&](int c) {
    return std::tuple(isFlex(m, c) ? GeomType::Sdf : m.geom_type[c], bodyOfCollider(m, c), c);
  };
  if (rank(c2) < rank(c1)) std::swap(c1, c2);
  if (pair >= 0) return {2 * key, pair, pair, c1, c2};
  return {2 * key + 1, (std::int64_t{c1} << 32) + c2, -1, c1, c2};
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

/// All pairs of colliders that may touch, in the order of their contacts.
void findCandidates(const Model& m, Data& d, Array<Candidate>& candidates) {
  const Arena::Scope scope(d.arena);
  const std::span<int> bounded = d.arena.take<int>(m.ngeom + m.nflex);
  const std::span<int> planes = d.arena.take<int>(m.ngeom);
  std::size_t nbounded = 0, nplane = 0;
  for (int c = 0; c < m.ngeom + m.nflex; ++c) {
    if (!canCollide(m, c)) continue;
    (!isFlex(m, c) && m.geom_type[c] == GeomType::Plane ? planes[nplane++] : bounded[nbounded++]) = c;
  }
  const std::span<BoundingTree::Box> boxes = d.arena.take<BoundingTree::Box>(static_cast<std::ptrdiff_t>(nbounded));
  const bool sleepers = someAsleep(m, d);
  const std::span<std::uint8_t> fresh = d.arena.take<std::uint8_t>(static_cast<std::ptrdiff_t>(nbounded));
  const bool known = sleepers && d.colliderTree.item.size() == static_cast<std::ptrdiff_t>(nbounded);
  for (std::size_t i = 0; i < nbounded; ++i) {
    fresh[i] = !known || !keepsItsBox(m, d, bounded[i]);
    if (fresh[i]) boxes[i] = worldBox(m, d, bounded[i]);
  }
  known ? updateTree(d.colliderTree, boxes, fresh) : updateTree(d.colliderTree, boxes);

  const auto consider = [&](int c1, int c2) {
    if (!mayCollide(m, c1, c2)) return;
    const bool geoms = !isFlex(m, c1) && !isFlex(m, c2);
    if (geoms && !mayTouch(m, d, c1, c2, detectionDistance(m, c1, c2))) return;
    candidates.push_back(candidate(m, c1, c2, -1));
  };
  const auto considerBoxes = [&](int i, int j) {
    consider(bounded[static_cast<std::size_t>(i)], bounded[static_cast<std::size_t>(j)]);
  };
  if (!sleepers) {
    forEachOverlap(d.colliderTree, considerBoxes);
  } else {
    const std::span<std::uint8_t> awake = d.arena.take<std::uint8_t>(static_cast<std::ptrdiff_t>(nbounded));
    const std::span<std::uint8_t> lively = d.arena.take<std::uint8_t>(d.colliderTree.leaves.size());
    for (std::size_t i = 0; i < nbounded; ++i) awake[i] = isLively(m, d, bounded[i]);
    findLively(d.colliderTree, awake, lively);
    forEachOverlap(d.colliderTree, lively, considerBoxes);
  }
  for (std::size_t p = 0; p < nplane; ++p) {
    const bool all = !sleepers || isLively(m, d, planes[p]);
    for (std::size_t i = 0; i < nbounded; ++i) {
      if (all || isLively(m, d, bounded[i])) consider(planes[p], bounded[i]);
    }
  }
  for (int i = 0; i < m.npair; ++i) {
    const int g1 = m.pair_geom1[i], g2 = m.pair_geom2[i];
    if (sleepers && !isLively(m, d, g1) && !isLively(m, d, g2)) continue;
    const double margin = m.opt.enabled(enable::kOverride) ? m.opt.o_margin : m.pair_margin[i];
    if (!mayTouch(m, d, g1, g2, detectionDistance(m.opt, margin, m.pair_gap[i]))) continue;
    candidates.push_back(candidate(m, g1, g2, i));
  }
  std::sort(candidates.begin(), candidates.end());
}

void collideGeoms(const Model& m, Data& d, const geom::CollideOptions& options, const Candidate& c) {
  const MixedParameters p = c.pair >= 0 ? parametersOfPair(m, c.pair)
                                        : mixParameters(m.opt, parametersOf(m, c.first), parametersOf(m, c.second));
  const double distance = detectionDistance(m.opt, p.margin, p.gap);
  thread_local Array<geom::ContactPoint> points;
  points.clear();
  geom::collide(shapeOf(m, d, c.first), shapeOf(m, d, c.second), distance, options, points);
  if (m.opt.solver == Solver::Impulse && m.geom_type[c.first] != GeomType::HField) {
    const double r1 = m.geom_rbound[c.first], r2 = m.geom_rbound[c.second];  // of planes: 0
    settleManifold(points, r1 > 0 && r2 > 0 ? std::min(r1, r2) : std::max(r1, r2));
  }
  addContacts(m, d, p, points, c.first, c.second);
}

}  // namespace

geom::Shape shapeOf(const Model& m, const Data& d, int g) {
  geom::Shape shape;
  shape.type = m.geom_type[g];
  shape.pos = vec3(d.geom_xpos.data(), g);
  shape.rot = mat3(d.geom_xmat.data(), g);
  shape.size = vec3(m.geom_size.data(), g);
  shape.rbound = m.geom_rbound[g];
  const int id = m.geom_dataid[g];
  if (shape.type == GeomType::Mesh) {
    geom::HullView& hull = shape.hull;
    hull.vertex = {m.mesh_vert.data() + 3 * m.mesh_vertadr[id], static_cast<std::size_t>(3 * m.mesh_vertnum[id])};
    if (m.mesh_graphadr[id] >= 0) {
      hull.graph = {m.mesh_graph.data() + m.mesh_graphadr[id],
                    static_cast<std::size_t>(m.nmeshgraph - m.mesh_graphadr[id])};
      hull.seeds = {m.mesh_extrema.data() + geom::kNumHullSeeds * id, geom::kNumHullSeeds};
    }
    const int poly = m.mesh_polyadr[id];
    hull.polynum = m.mesh_polynum[id];
    hull.polynormal = m.mesh_polynormal.data() + 3 * poly;
    hull.polyvertadr = m.mesh_polyvertadr.data() + poly;
    hull.polyvertnum = m.mesh_polyvertnum.data() + poly;
    hull.polyvert = m.mesh_polyvert.data();
    hull.polymapadr = m.mesh_polymapadr.data() + m.mesh_vertadr[id];
    hull.polymapnum = m.mesh_polymapnum.data() + m.mesh_vertadr[id];
    hull.polymap = m.mesh_polymap.data();
  } else if (shape.type == GeomType::HField) {
    shape.field.nrow = m.hfield_nrow[id];
    shape.field.ncol = m.hfield_ncol[id];
    std::copy_n(m.hfield_size.data() + 4 * id, 4, shape.field.size.begin());
    shape.field.data = {m.hfield_data.data() + m.hfield_adr[id],
                        static_cast<std::size_t>(m.hfield_nrow[id] * m.hfield_ncol[id])};
  }
  return shape;
}

void collide(const Model& m, Data& d) {
  d.contact.clear();
  d.support_carrier.clear();
  d.support_weight.clear();
  if (m.opt.disabled(disable::kConstraint) || m.opt.disabled(disable::kContact)) {
    d.colliderTree.item.clear();  // the boxes of what falls asleep meanwhile are not in it
    return;
  }

  const Arena::Scope scope(d.arena);
  thread_local Array<Candidate> candidates;
  candidates.clear();
  findCandidates(m, d, candidates);
  ElementTrees trees(m, d);
  const geom::CollideOptions options{m.opt.ccd_tolerance, m.opt.ccd_iterations, !m.opt.disabled(disable::kMultiCcd),
                                     m.opt.solver == Solver::Impulse};
  for (const Candidate& c : candidates) {
    if (!isFlex(m, c.second)) {
      collideGeoms(m, d, options, c);
    } else if (!isFlex(m, c.first)) {
      collideGeomWithFlex(m, d, trees, options, c.first, flexOf(m, c.second));
    } else {
      collideFlexes(m, d, trees, options, flexOf(m, c.first), flexOf(m, c.second));
    }
  }
  for (int f = 0; f < m.nflex; ++f) {
    if (!flexAsleep(m, d, f)) collideFlexWithItself(m, d, trees, options, f);
  }
}

}  // namespace sinew
