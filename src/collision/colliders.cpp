#include "collision/colliders.h"

#include <algorithm>

#include "collision/elements.h"
#include "collision/filters.h"
#include "collision/restitution.h"
#include "collision/spacing.h"
#include "math/types.h"
#include "model/bounding_tree.h"

namespace sinew {
namespace {

ContactParameters parametersOfFlex(const Model& m, int f) {
  ContactParameters p;
  p.condim = m.flex_condim[f];
  p.priority = m.flex_priority[f];
  p.solmix = m.flex_solmix[f];
  std::copy_n(m.flex_solref.data() + 2 * f, 2, p.solref.begin());
  std::copy_n(m.flex_solimp.data() + 5 * f, 5, p.solimp.begin());
  std::copy_n(m.flex_friction.data() + 3 * f, 3, p.friction.begin());
  p.margin = m.flex_margin[f];
  p.gap = m.flex_gap[f];
  p.restitution = m.flex_restitution[f];
  p.early = earlyDistance(m, m.ngeom + f);
  return p;
}

ContactParameters parametersOfGeom(const Model& m, int g) {
  ContactParameters p;
  p.condim = m.geom_condim[g];
  p.priority = m.geom_priority[g];
  p.solmix = m.geom_solmix[g];
  std::copy_n(m.geom_solref.data() + 2 * g, 2, p.solref.begin());
  std::copy_n(m.geom_solimp.data() + 5 * g, 5, p.solimp.begin());
  std::copy_n(m.geom_friction.data() + 3 * g, 3, p.friction.begin());
  p.margin = m.geom_margin[g];
  p.gap = m.geom_gap[g];
  p.adhesion = m.geom_adhesion[g];
  p.restitution = m.geom_restitution[g];
  p.early = earlyDistance(m, g);
  return p;
}

}  // namespace

double earlyDistance(const Model& m, int collider) {
  if (m.opt.solver != Solver::Impulse) return 0;
  if (!isFlex(m, collider)) {
    const double radius = m.geom_rbound[collider];  // 0: without bounds
    return radius > 0 ? std::min(kSpeculativeDistance, 0.2 * radius) : kSpeculativeDistance;
  }
  const int f = flexOf(m, collider);
  return std::min(kSpeculativeDistance, std::max(0.5 * vertexSpacing(m, f), m.flex_radius[f]));
}

double stiffEarlyDistance(const Model& m, int flex) {
  if (m.opt.solver == Solver::Impulse || m.flex_law[flex] == FlexLaw::Reference) return 0;
  return std::min(kSpeculativeDistance, std::max(0.5 * vertexSpacing(m, flex), m.flex_radius[flex]));
}

ContactParameters parametersOf(const Model& m, int collider) {
  return isFlex(m, collider) ? parametersOfFlex(m, flexOf(m, collider)) : parametersOfGeom(m, collider);
}

BoundingTree::Box geomBox(const Model& m, const Data& d, int g, double reach) {
  const ConstMapMat3 R = mat3(d.geom_xmat.data(), g);
  const double* aabb = m.geom_aabb.data() + 6 * g;
  const Vec3 center = vec3(d.geom_xpos.data(), g) + R * ConstMapVec3(aabb);
  const Vec3 half = R.cwiseAbs() * ConstMapVec3(aabb + 3) + Vec3::Constant(reach);
  BoundingTree::Box box;
  for (int i = 0; i < 3; ++i) {
    box.lower[i] = center[i] - half[i];
    box.upper[i] = center[i] + half[i];
  }
  return box;
}

BoundingTree::Box worldBox(const Model& m, const Data& d, int collider) {
  const bool flex = isFlex(m, collider);
  const int id = flex ? flexOf(m, collider) : collider;
  const double own = flex ? m.flex_margin[id] : m.geom_margin[id];
  const double margin = m.opt.enabled(enable::kOverride) ? m.opt.o_margin : own;
  double reach = std::max(0.0, margin) + (flex ? m.flex_gap[id] : m.geom_gap[id]);
  reach += 0.5 * earlyDistance(m, collider);  // half of both is not less than the smaller one
  if (flex) reach += stiffEarlyDistance(m, id);
  return flex ? flexBox(m, d, id, reach) : geomBox(m, d, id, reach);
}

}  // namespace sinew
