#include "constraints.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew::cli {
namespace {

template <class T>
long countPositive(const Array<T>& values) {
  return std::count_if(values.begin(), values.end(), [](T value) { return value > 0; });
}

/// Colliders are geoms, then flexes.
int contype(const Model& m, int c) { return c < m.ngeom ? m.geom_contype[c] : m.flex_contype[c - m.ngeom]; }
int conaffinity(const Model& m, int c) { return c < m.ngeom ? m.geom_conaffinity[c] : m.flex_conaffinity[c - m.ngeom]; }

/// Two colliders whose bits allow contact and that can move against each other: geoms of different bodies, or a flex
/// and anything.
bool mayTouch(const Model& m, int a, int b) {
  if ((contype(m, a) & conaffinity(m, b)) == 0 && (contype(m, b) & conaffinity(m, a)) == 0) return false;
  if (a >= m.ngeom && a == b)
    return m.flex_selfcollide[a - m.ngeom] != SelfCollide::None || m.flex_internal[a - m.ngeom];
  if (a >= m.ngeom || b >= m.ngeom) return true;
  return m.body_weldid[m.geom_bodyid[a]] != m.body_weldid[m.geom_bodyid[b]];
}

bool anythingMayTouch(const Model& m) {
  std::vector<int> colliding;
  for (int c = 0; c < m.ngeom + m.nflex; ++c) {
    if (contype(m, c) || conaffinity(m, c)) colliding.push_back(c);
  }
  for (const int a : colliding) {
    if (std::any_of(colliding.begin(), colliding.end(), [&](int b) { return mayTouch(m, a, b); })) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> constraintsInUse(const Model& m) {
  std::vector<std::string> found;
  if (m.opt.disabled(disable::kConstraint)) return found;
  const auto add = [&](int disableBit, long count, const char* one, const char* many) {
    if (count > 0 && !m.opt.disabled(disableBit)) found.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  add(disable::kEquality, countPositive(m.eq_active0), "equality", "equalities");
  add(disable::kFrictionLoss, countPositive(m.dof_frictionloss), "dof with friction loss", "dofs with friction loss");
  add(disable::kFrictionLoss, countPositive(m.tendon_frictionloss), "tendon with friction loss",
      "tendons with friction loss");
  add(disable::kLimit, countPositive(m.jnt_limited), "joint limit", "joint limits");
  add(disable::kLimit, countPositive(m.tendon_limited), "tendon limit", "tendon limits");
  if (!m.opt.disabled(disable::kContact) && (m.npair > 0 || anythingMayTouch(m))) found.push_back("contacts");
  return found;
}

}  // namespace sinew::cli
