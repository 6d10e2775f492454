#include <algorithm>

#include "collision/broad_phase.h"
#include "collision/collide_memory.h"
#include "collision/collider_plan.h"
#include "collision/colliders.h"
#include "collision/collision.h"
#include "collision/contact_limit.h"
#include "collision/contact_maker.h"
#include "collision/element_contacts.h"
#include "collision/filters.h"
#include "collision/geom_contacts.h"
#include "collision/sides.h"
#include "collision/sweep.h"
#include "collision/thin.h"
#include "geom/support.h"
#include "math/types.h"
#include "model/awake.h"
#include "model/callbacks.h"
#include "model/workspace.h"

namespace sinew {

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

namespace {

/// What the user's filter says about two colliders; without one, or if it throws, they may touch.
bool userAllows(const Model& m, Data& d, int first, int second) {
  bool allowed = true;
  if (!d.callbacks.contactFilter) return true;
  const bool answered =
      callUser(d, CallbackKind::ContactFilter, [&] { allowed = d.callbacks.contactFilter(m, d, first, second); });
  return allowed || !answered;
}

/// Leaves out pairs that the user's filter refuses.
void dropFiltered(const Model& m, Data& d, Array<ColliderPair>& pairs) {
  const auto end = std::remove_if(pairs.begin(), pairs.end(),
                                  [&](const ColliderPair& pair) { return !userAllows(m, d, pair.first, pair.second); });
  pairs.resize(end - pairs.begin());
}

}  // namespace

void collide(const Model& m, Data& d) {
  d.contact.clear();
  d.support_carrier.clear();
  d.support_weight.clear();
  d.work->collideMemory->sides.clear();
  if (m.opt.disabled(disable::kConstraint) || m.opt.disabled(disable::kContact)) {
    d.work->nearPairs.clear();  // the boxes of what falls asleep meanwhile are not in it
    return;
  }

  beginSides(m, d);
  const Arena::Scope scope(d.work->arena);
  CollideMemory::Store& memory = *d.work->collideMemory;
  memory.provideSlots(d.threads);
  Array<ColliderPair>& candidates = memory.candidates;
  candidates.clear();
  updatePlan(m, d.work->nearPairs);
  updatePassing(m, d.work->nearPairs.plan, memory.passing);
  const Sweep sweep(m, d, d.qvel);
  findCandidates(m, d, sweep, candidates);
  if (d.callbacks.contactFilter) dropFiltered(m, d, candidates);
  ElementTrees trees(m, d);
  const geom::CollideOptions options = collideOptions(m, d);
  const std::span<const ColliderPair> pairs(candidates.data(), static_cast<std::size_t>(candidates.size()));
  GeomTouches touches(m, d, sweep, pairs);
  ContactLimit limit(m, d);
  for (std::size_t i = 0; i < pairs.size(); ++i) {  // contacts in the order of the pairs
    const int first = pairs[i].first, second = pairs[i].second;
    if (!isFlex(m, second)) {
      const GeomTouch touch = touches.of(i);
      if (!touch.points.empty()) addContacts(m, d, parametersOfGeoms(m, pairs[i]), touch.points, first, second);
      if (touch.found > 0) limit.thinned(first, second, touch.found);
      limit.check();
    } else if (!isFlex(m, first)) {
      collideGeomWithFlex(m, d, sweep, trees, options, first, flexOf(m, second), limit);
    } else {
      collideFlexes(m, d, trees, options, flexOf(m, first), flexOf(m, second), limit);
    }
  }
  for (int f = 0; f < m.nflex; ++f) {
    if (flexAsleep(m, d, f) || !userAllows(m, d, m.ngeom + f, m.ngeom + f)) continue;
    collideFlexWithItself(m, d, trees, options, f, limit);
  }
  limit.finish();
}

int collidePassing(const Model& m, Data& d, std::span<const double> qvel, std::span<const double> change) {
  if (m.opt.disabled(disable::kConstraint) || m.opt.disabled(disable::kContact)) return 0;
  const Arena::Scope scope(d.work->arena);
  if (!d.work->nearPairs.plan.isMade) {  // else it is that of collide()
    updatePlan(m, d.work->nearPairs);
    updatePassing(m, d.work->nearPairs.plan, d.work->collideMemory->passing);
  }
  const Sweep sweep(m, d, qvel);
  if (!sweep.active()) return 0;
  const Sweep turn(m, d, change);
  // what touches may turn about that place, however little the solver has changed its motion
  const bool touching = std::any_of(d.contact.begin(), d.contact.end(), [&](const Contact& contact) {
    return contact.efc_address >= 0 && contact.geom[0] >= 0 && contact.geom[1] >= 0 &&
           sweep.mayPass(contact.geom[0], contact.geom[1]);
  });
  if (!turn.active() && m.nflex == 0 && !touching) return 0;
  const auto sleeps = [&](int c) {
    return isFlex(m, c) ? flexAsleep(m, d, flexOf(m, c)) : bodyAsleep(d, m.geom_bodyid[c]);
  };
  CollideMemory::Store& memory = *d.work->collideMemory;
  Array<ColliderPair>& candidates = memory.candidates;
  candidates.clear();
  findCandidates(m, d, sweep, candidates);
  if (d.callbacks.contactFilter) dropFiltered(m, d, candidates);
  ElementTrees trees(m, d);
  const geom::CollideOptions options = collideOptions(m, d);
  ContactLimit limit(m, d);
  const int before = d.ncon();
  for (const ColliderPair& pair : candidates) {
    const int first = pair.first, second = pair.second;
    if (!sweep.mayPass(first, second)) continue;
    if (sleeps(first) || sleeps(second) || isFlex(m, first)) continue;
    if (isFlex(m, second)) {
      const MixedParameters p = mixParameters(m.opt, parametersOf(m, first), parametersOf(m, second));
      if (m.geom_type[first] != GeomType::Plane) sweep.meetFlex(first, flexOf(m, second), d, trees, options, p, limit);
      continue;
    }
    const bool touch = std::any_of(d.contact.begin(), d.contact.end(), [&](const Contact& contact) {
      return contact.efc_address >= 0 && contact.geom[0] == first && contact.geom[1] == second;
    });
    // collide() has looked along the same motion where they do not touch
    if (!touch && !(turn.active() && turn.ways(first, second) > passingDepth(m, first, second))) continue;
    Array<geom::ContactPoint>& points = memory.slot(0).points;
    points.clear();
    if (!touch) sweep.meet(first, second, options, points);
    if (points.empty()) sweep.turnInto(first, second, options, points);
    if (points.empty()) continue;
    addContacts(m, d, parametersOfGeoms(m, pair), {points.data(), static_cast<std::size_t>(points.size())}, first,
                second);
    limit.check();
  }
  limit.finish();
  return d.ncon() - before;
}

}  // namespace sinew
