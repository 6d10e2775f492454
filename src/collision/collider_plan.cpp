#include "collision/collider_plan.h"

#include <algorithm>

#include "collision/filters.h"
#include "collision/near_pairs.h"

namespace sinew {
namespace {

bool isPlane(const Model& m, int collider) { return !isFlex(m, collider) && m.geom_type[collider] == GeomType::Plane; }

bool startsWith(const Array<int>& all, std::ptrdiff_t from, const Array<int>& part) {
  return std::equal(part.begin(), part.end(), all.begin() + from);
}

/// Whether the two arrays, one after the other, are `all`.
bool areBoth(const Array<int>& all, const Array<int>& first, const Array<int>& second) {
  return all.size() == first.size() + second.size() && startsWith(all, 0, first) &&
         startsWith(all, first.size(), second);
}

void setBoth(Array<int>& all, const Array<int>& first, const Array<int>& second) {
  all.resize(first.size() + second.size());
  std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), all.begin()));
}

bool isUpToDate(const Model& m, const ColliderPlan& plan) {
  return plan.isMade && plan.filterParent != m.opt.disabled(disable::kFilterParent) &&
         areBoth(plan.contype, m.geom_contype, m.flex_contype) &&
         areBoth(plan.conaffinity, m.geom_conaffinity, m.flex_conaffinity) && plan.excluded == m.exclude_bodyid &&
         areBoth(plan.pair, m.pair_geom1, m.pair_geom2);
}

/// Leaves out colliders that none of the others may meet, unless there are so many that asking takes long.
void keepThoseWithPartners(const Model& m, Array<int>& colliders) {
  if (colliders.size() > kMostAskedAbout) return;
  std::ptrdiff_t kept = 0;
  const Array<int> all = colliders;
  int partner = all.empty() ? -1 : all.back();  // most have the one before them had
  for (const int c : all) {
    bool found = partner != c && mayCollide(m, c, partner);
    for (std::ptrdiff_t i = all.size() - 1; i >= 0 && !found; --i) {
      if (all[i] == c || !mayCollide(m, c, all[i])) continue;
      partner = all[i];
      found = true;
    }
    if (found) colliders[kept++] = c;
  }
  colliders.resize(kept);
}

}  // namespace

void updatePlan(const Model& m, NearPairs& near) {
  ColliderPlan& plan = near.plan;
  if (isUpToDate(m, plan)) return;
  near.isListed = false;
  plan.isMade = true;
  plan.filterParent = !m.opt.disabled(disable::kFilterParent);
  setBoth(plan.contype, m.geom_contype, m.flex_contype);
  setBoth(plan.conaffinity, m.geom_conaffinity, m.flex_conaffinity);
  plan.excluded = m.exclude_bodyid;
  setBoth(plan.pair, m.pair_geom1, m.pair_geom2);

  plan.bounded.clear();
  plan.plane.clear();
  for (int c = 0; c < m.ngeom + m.nflex; ++c) {
    if (canCollide(m, c) && !isPlane(m, c)) plan.bounded.push_back(c);
  }
  for (int plane = 0; plane < m.ngeom; ++plane) {
    if (!isPlane(m, plane) || !canCollide(m, plane)) continue;
    for (const int c : plan.bounded) {
      if (mayCollide(m, plane, c)) plan.plane.push_back(orderedPair(m, plane, c, -1));
    }
  }
  std::sort(plan.plane.begin(), plan.plane.end());
  keepThoseWithPartners(m, plan.bounded);

  plan.passing = plan.bounded;
  for (const int g : plan.pair) {
    if (!isPlane(m, g)) plan.passing.push_back(g);
  }
  std::sort(plan.passing.begin(), plan.passing.end());
  plan.passing.resize(std::unique(plan.passing.begin(), plan.passing.end()) - plan.passing.begin());
}

}  // namespace sinew
