#include "collision/passing_bodies.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "collision/filters.h"
#include "collision/thin.h"

namespace sinew {
namespace {

template <class T>
bool same(const Array<T>& a, const Array<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0);
}

bool isUpToDate(const Model& m, const ColliderPlan& plan, const PassingBodies& passing) {
  return same(passing.collider, plan.passing) && same(passing.pos, m.geom_pos) && same(passing.size, m.geom_size) &&
         same(passing.rbound, m.geom_rbound) && same(passing.aabb, m.geom_aabb) && same(passing.field, m.hfield_size);
}

}  // namespace

void updatePassing(const Model& m, const ColliderPlan& plan, PassingBodies& passing) {
  if (isUpToDate(m, plan, passing)) return;
  passing.collider = plan.passing;
  passing.pos = m.geom_pos;
  passing.size = m.geom_size;
  passing.rbound = m.geom_rbound;
  passing.aabb = m.geom_aabb;
  passing.field = m.hfield_size;
  passing.group.clear();
  const int count = static_cast<int>(passing.collider.size());
  int i = 0;
  for (; i < count && !isFlex(m, passing.collider[i]); ++i) {
    const int g = passing.collider[i], body = m.geom_bodyid[g];
    const double* pos = m.geom_pos.data() + 3 * g;
    const double reach = std::abs(pos[0]) + std::abs(pos[1]) + std::abs(pos[2]) + m.geom_rbound[g];
    const double depth = kPassingShare * 0.5 * thicknessOf(m, g);
    if (passing.group.empty() || passing.group.back().body != body) passing.group.push_back({body, i, i, depth, reach});
    PassingBodies::Group& group = passing.group.back();
    group.end = i + 1;
    group.depth = std::min(group.depth, depth);
    group.reach = std::max(group.reach, reach);
  }
  passing.flexes = i;
}

}  // namespace sinew
