#include "collision/filters.h"

#include <algorithm>

namespace sinew {
namespace {

/// Rigid piece that a body belongs to, and the one above it.
int weldParent(const Model& m, int weld) { return m.body_weldid[m.body_parentid[weld]]; }

bool bodiesMayCollide(const Model& m, int body1, int body2) {
  const int weld1 = m.body_weldid[body1], weld2 = m.body_weldid[body2];
  if (weld1 == weld2) return false;
  if (m.body_dofnum[weld1] == 0 && m.body_dofnum[weld2] == 0) return false;
  if (!m.opt.disabled(disable::kFilterParent) && weld1 != 0 && weld2 != 0 &&
      (weld1 == weldParent(m, weld2) || weld2 == weldParent(m, weld1))) {
    return false;
  }
  const auto key = bodyPairKey(body1, body2);
  return !std::binary_search(m.exclude_signature.begin(), m.exclude_signature.end(), key);
}

bool listedExplicitly(const Model& m, int geom1, int geom2) {
  if (m.npair == 0) return false;
  const auto key = bodyPairKey(m.geom_bodyid[geom1], m.geom_bodyid[geom2]);
  auto it = std::lower_bound(m.pair_signature.begin(), m.pair_signature.end(), key);
  for (; it != m.pair_signature.end() && *it == key; ++it) {
    const std::ptrdiff_t i = it - m.pair_signature.begin();
    if ((m.pair_geom1[i] == geom1 && m.pair_geom2[i] == geom2) ||
        (m.pair_geom1[i] == geom2 && m.pair_geom2[i] == geom1)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool canCollide(const Model& m, int geom) { return m.geom_contype[geom] != 0 || m.geom_conaffinity[geom] != 0; }

bool mayCollide(const Model& m, int geom1, int geom2) {
  const bool bits = (m.geom_contype[geom1] & m.geom_conaffinity[geom2]) != 0 ||
                    (m.geom_contype[geom2] & m.geom_conaffinity[geom1]) != 0;
  return bits && bodiesMayCollide(m, m.geom_bodyid[geom1], m.geom_bodyid[geom2]) && !listedExplicitly(m, geom1, geom2);
}

std::int64_t bodyPairKey(int body1, int body2) {
  return (std::int64_t{std::min(body1, body2)} << 16) + std::max(body1, body2);
}

}  // namespace sinew
