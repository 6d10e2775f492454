#include <algorithm>
#include <cassert>
#include <cmath>

#include "kinematics/dof_chains.h"
#include "kinematics/kinematics.h"
#include "kinematics/wrap.h"
#include "model/awake.h"

namespace sinew {
namespace {

/// Row of the tendon Jacobians. Columns grow along the row; add() is called with columns that shrink within a segment,
/// so one cursor from the end finds them all.
struct TendonRow {
  const int* column;
  double* value;
  int count;

  void addSegment(const Model& m, const Data& d, int bodyA, const Vec3& a, int bodyB, const Vec3& b, double scale);
};

/// J += scale u' (J_b - J_a), u the direction from a to b. A dof that moves both bodies cannot change their distance.
void TendonRow::addSegment(const Model& m, const Data& d, int bodyA, const Vec3& a, int bodyB, const Vec3& b,
                           double scale) {
  if (bodyA == bodyB) return;
  const Vec3 u = normalizedOrX(b - a);
  const Vec3 armA = a - treeCom(m, d, bodyA);
  const Vec3 armB = b - treeCom(m, d, bodyB);
  int k = count - 1;
  forEachDofBetween(m, bodyA, bodyB, [&](int dof, bool movesA) {
    const double rate = dot3(u, velocityAt(&d.cdof[6 * dof], movesA ? armA : armB));
    while (column[k] != dof) --k;
    value[k] += movesA ? -scale * rate : scale * rate;
  });
}

/// Collects the points of all paths, in order, for drawing.
class PathPoints {
 public:
  explicit PathPoints(Data& d) : d_(d) {}
  int count() const { return count_; }
  void skip(int points) { count_ += points; }
  void add(const Vec3& p, int object) {
    vec3(d_.wrap_xpos.data(), count_) = p;
    d_.wrap_obj[count_] = object;
    ++count_;
  }

 private:
  Data& d_;
  int count_ = 0;
};
constexpr int kOnSite = -1, kAtPulley = -2;  // values of wrap_obj besides geom ids

void fixedTendon(const Model& m, Data& d, int tendon, TendonRow& row) {
  const int end = m.tendon_adr[tendon] + m.tendon_num[tendon];
  for (int w = m.tendon_adr[tendon]; w < end; ++w) {
    const int joint = m.wrap_objid[w];
    d.ten_length[tendon] += m.wrap_prm[w] * d.qpos[m.jnt_qposadr[joint]];
    int k = 0;
    while (row.column[k] != m.jnt_dofadr[joint]) ++k;
    row.value[k] += m.wrap_prm[w];
  }
}

bool isGeom(WrapType type) { return type == WrapType::Sphere || type == WrapType::Cylinder; }

WrapPath wrapElement(const Model& m, const Data& d, int w, const Vec3& a, const Vec3& b) {
  const int geom = m.wrap_objid[w];
  const WrapObstacle obstacle{vec3(d.geom_xpos.data(), geom), mat3(d.geom_xmat.data(), geom), m.geom_size[3 * geom],
                              m.wrap_type[w] == WrapType::Cylinder};
  const int sideSite = static_cast<int>(std::lround(m.wrap_prm[w]));
  if (sideSite < 0) return wrapAround(obstacle, a, b, nullptr);
  const Vec3 side = vec3(d.site_xpos.data(), sideSite);
  return wrapAround(obstacle, a, b, &side);
}

/// Path elements: sites, geoms between two sites, and pulleys, each of which starts a new branch whose length counts
/// 1/divisor.
void spatialTendon(const Model& m, Data& d, int tendon, TendonRow& row, PathPoints& points) {
  const int last = m.tendon_adr[tendon] + m.tendon_num[tendon] - 1;
  double divisor = 1;
  int w = m.tendon_adr[tendon];
  while (w < last) {
    if (m.wrap_type[w] == WrapType::Pulley || m.wrap_type[w + 1] == WrapType::Pulley) {
      if (m.wrap_type[w] == WrapType::Pulley) {
        divisor = m.wrap_prm[w];
        points.add(Vec3::Zero(), kAtPulley);
      }
      ++w;
      continue;
    }

    const bool overGeom = isGeom(m.wrap_type[w + 1]);
    const int next = overGeom ? w + 2 : w + 1;
    const int siteA = m.wrap_objid[w], siteB = m.wrap_objid[next];
    const int bodyA = m.site_bodyid[siteA], bodyB = m.site_bodyid[siteB];
    const Vec3 a = vec3(d.site_xpos.data(), siteA);
    const Vec3 b = vec3(d.site_xpos.data(), siteB);
    points.add(a, kOnSite);

    const WrapPath path = overGeom ? wrapElement(m, d, w + 1, a, b) : WrapPath{};
    if (path.touches()) {
      const int geom = m.wrap_objid[w + 1];
      const int body = m.geom_bodyid[geom];
      d.ten_length[tendon] += ((path.first - a).norm() + path.length + (b - path.second).norm()) / divisor;
      row.addSegment(m, d, bodyA, a, body, path.first, 1 / divisor);
      row.addSegment(m, d, body, path.second, bodyB, b, 1 / divisor);
      points.add(path.first, geom);
      points.add(path.second, geom);
    } else {
      d.ten_length[tendon] += (b - a).norm() / divisor;
      row.addSegment(m, d, bodyA, a, bodyB, b, 1 / divisor);
    }

    w = next;
    if (w == last || m.wrap_type[w + 1] == WrapType::Pulley) points.add(b, kOnSite);
  }
}

}  // namespace

void tendons(const Model& m, Data& d) {
  PathPoints points(d);
  for (int i = 0; i < m.ntendon; ++i) {
    // what a sleeping tendon has is still right, as long as its points need not move up or down the list
    if (tendonAsleep(m, d, i) && d.ten_wrapadr[i] == points.count()) {
      points.skip(d.ten_wrapnum[i]);
      continue;
    }
    const int adr = m.ten_J_rowadr[i];
    std::fill_n(d.ten_J.data() + adr, m.ten_J_rownnz[i], 0.0);
    TendonRow row{m.ten_J_colind.data() + adr, d.ten_J.data() + adr, m.ten_J_rownnz[i]};
    d.ten_length[i] = 0;
    d.ten_wrapadr[i] = points.count();
    if (m.wrap_type[m.tendon_adr[i]] == WrapType::Joint) {
      fixedTendon(m, d, i, row);
    } else {
      spatialTendon(m, d, i, row, points);
    }
    d.ten_wrapnum[i] = points.count() - d.ten_wrapadr[i];
  }
}

}  // namespace sinew
