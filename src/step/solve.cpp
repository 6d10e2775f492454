#include <algorithm>

#include "sinew/step.h"
#include "step/stages.h"

// Constraints are solved from version 0.2 on. Until then this is the one place that says what happens without them.
namespace sinew {
namespace {

bool anyPositive(const Array<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double x) { return x > 0; });
}

bool anySet(const Array<std::uint8_t>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](std::uint8_t x) { return x != 0; });
}

/// Could a geom of one body touch a geom of the other? What decides is what holds them together, and the masks.
bool canCollide(const Model& m, int body1, int body2) {
  const bool masks = (m.body_contype[body1] & m.body_conaffinity[body2]) != 0 ||
                     (m.body_contype[body2] & m.body_conaffinity[body1]) != 0;
  if (!masks) return false;
  const int weld1 = m.body_weldid[body1];
  const int weld2 = m.body_weldid[body2];
  if (weld1 == weld2) return false;
  const bool related = weld1 == m.body_weldid[m.body_parentid[weld2]] || weld2 == m.body_weldid[m.body_parentid[weld1]];
  if (related && weld1 != 0 && weld2 != 0 && !m.opt.disabled(disable::kFilterParent)) return false;
  const int signature = (std::min(body1, body2) << 16) + std::max(body1, body2);
  return std::find(m.exclude_signature.begin(), m.exclude_signature.end(), signature) == m.exclude_signature.end();
}

bool anyContact(const Model& m) {
  if (m.npair > 0) return true;
  for (int b = 0; b < m.nbody; ++b) {
    if (m.body_geomnum[b] == 0) continue;
    for (int c = b + 1; c < m.nbody; ++c) {
      if (m.body_geomnum[c] > 0 && canCollide(m, b, c)) return true;
    }
  }
  return false;
}

}  // namespace

bool hasConstraints(const Model& m) {
  if (m.opt.disabled(disable::kConstraint)) return false;
  if (!m.opt.disabled(disable::kEquality) && m.neq > 0) return true;
  if (!m.opt.disabled(disable::kFrictionLoss) &&
      (anyPositive(m.dof_frictionloss) || anyPositive(m.tendon_frictionloss)))
    return true;
  if (!m.opt.disabled(disable::kLimit) && (anySet(m.jnt_limited) || anySet(m.tendon_limited))) return true;
  return !m.opt.disabled(disable::kContact) && anyContact(m);
}

void solve(const Model& m, Data& d) {
  std::copy_n(d.qacc_smooth.begin(), m.nv, d.qacc.begin());
  std::fill(d.qfrc_constraint.begin(), d.qfrc_constraint.end(), 0.0);
}

}  // namespace sinew
