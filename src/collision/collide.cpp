#include <algorithm>

#include "collision/broad_phase.h"
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

void collideGeoms(const Model& m, Data& d, const geom::CollideOptions& options, const ColliderPair& c) {
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
    d.nearPairs.clear();  // the boxes of what falls asleep meanwhile are not in it
    return;
  }

  const Arena::Scope scope(d.arena);
  thread_local Array<ColliderPair> candidates;
  candidates.clear();
  findCandidates(m, d, candidates);
  ElementTrees trees(m, d);
  const geom::CollideOptions options{m.opt.ccd_tolerance, m.opt.ccd_iterations, !m.opt.disabled(disable::kMultiCcd),
                                     m.opt.solver == Solver::Impulse};
  for (const ColliderPair& c : candidates) {
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
