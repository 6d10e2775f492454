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

/// What moves as one: the geoms that are welded together, or a flex.
int unitOf(const Model& m, int c) { return c < m.ngeom ? m.body_weldid[m.geom_bodyid[c]] : m.nbody + c - m.ngeom; }

/// The units of a set of colliders, as far as it matters: none, one, or several.
class Units {
 public:
  void add(int unit) {
    if (unit_ < 0) unit_ = unit;
    several_ = several_ || unit != unit_;
  }
  /// One of these and one of those are different units.
  bool meets(const Units& other) const {
    return unit_ >= 0 && other.unit_ >= 0 && (several_ || other.several_ || unit_ != other.unit_);
  }

 private:
  int unit_ = -1;
  bool several_ = false;
};

/// Two colliders may touch if a bit of the contype of one is set in the conaffinity of the other and they can move
/// against each other: geoms of bodies that are not welded together, or a flex and anything. Bit by bit, so that the
/// work grows with the number of colliders, not of pairs.
bool anythingMayTouch(const Model& m) {
  for (int f = 0; f < m.nflex; ++f) {
    const bool itself = m.flex_selfcollide[f] != SelfCollide::None || m.flex_internal[f];
    if (itself && (m.flex_contype[f] & m.flex_conaffinity[f]) != 0) return true;
  }
  for (int bit = 0; bit < 32; ++bit) {
    const unsigned mask = 1u << bit;
    Units types, affinities;
    for (int c = 0; c < m.ngeom + m.nflex; ++c) {
      if (static_cast<unsigned>(contype(m, c)) & mask) types.add(unitOf(m, c));
      if (static_cast<unsigned>(conaffinity(m, c)) & mask) affinities.add(unitOf(m, c));
    }
    if (types.meets(affinities)) return true;
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
