#include <algorithm>

#include "collision/broad_phase.h"
#include "collision/collide_memory.h"
#include "collision/colliders.h"
#include "collision/collision.h"
#include "collision/contact_limit.h"
#include "collision/contact_maker.h"
#include "collision/element_contacts.h"
#include "collision/filters.h"
#include "collision/geom_contacts.h"
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
  if (m.opt.disabled(disable::kConstraint) || m.opt.disabled(disable::kContact)) {
    d.work->nearPairs.clear();  // the boxes of what falls asleep meanwhile are not in it
    return;
  }

  const Arena::Scope scope(d.work->arena);
  CollideMemory::Store& memory = *d.work->collideMemory;
  memory.provideSlots(d.threads);
  Array<ColliderPair>& candidates = memory.candidates;
  candidates.clear();
  findCandidates(m, d, candidates);
  if (d.callbacks.contactFilter) dropFiltered(m, d, candidates);
  ElementTrees trees(m, d);
  const geom::CollideOptions options = collideOptions(m, d);
  const std::span<const ColliderPair> pairs(candidates.data(), static_cast<std::size_t>(candidates.size()));
  GeomTouches touches(m, d, pairs);
  ContactLimit limit(m, d);
  for (std::size_t i = 0; i < pairs.size(); ++i) {  // contacts in the order of the pairs
    const int first = pairs[i].first, second = pairs[i].second;
    if (!isFlex(m, second)) {
      const GeomTouch touch = touches.of(i);
      addContacts(m, d, touch.parameters, touch.points, first, second);
      if (touch.found > 0) limit.thinned(first, second, touch.found);
      limit.check();
    } else if (!isFlex(m, first)) {
      collideGeomWithFlex(m, d, trees, options, first, flexOf(m, second), limit);
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

}  // namespace sinew
