#include "constraints.h"

#include <fmt/format.h>

#include <algorithm>

namespace sinew::cli {
namespace {

template <class T>
long countPositive(const Array<T>& values) {
  return std::count_if(values.begin(), values.end(), [](T value) { return value > 0; });
}

/// Two geoms on bodies that can move against each other, whose bits allow contact.
bool anyGeomsMayTouch(const Model& m) {
  const auto mayTouch = [&](int a, int b) {
    const bool bits = (m.geom_contype[a] & m.geom_conaffinity[b]) || (m.geom_contype[b] & m.geom_conaffinity[a]);
    return bits && m.body_weldid[m.geom_bodyid[a]] != m.body_weldid[m.geom_bodyid[b]];
  };
  std::vector<int> colliding;
  for (int i = 0; i < m.ngeom; ++i) {
    if (m.geom_contype[i] || m.geom_conaffinity[i]) colliding.push_back(i);
  }
  for (const int a : colliding) {
    if (std::any_of(colliding.begin(), colliding.end(), [&](int b) { return mayTouch(a, b); })) return true;
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
  if (!m.opt.disabled(disable::kContact) && (m.npair > 0 || anyGeomsMayTouch(m))) found.push_back("contacts");
  return found;
}

}  // namespace sinew::cli
