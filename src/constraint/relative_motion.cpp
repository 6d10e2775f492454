#include "constraint/relative_motion.h"

#include <utility>

#include "kinematics/dof_chains.h"
#include "kinematics/side.h"
#include "model/workspace.h"

namespace sinew {
namespace {

RelativeMotion motionOf(Data& d, int most) {
  return {d.work->arena.take<int>(most), d.work->arena.take<double>(3 * most), d.work->arena.take<double>(3 * most)};
}

/// Collects the columns of carriers, growing, each once. Those of one carrier grow (a dof comes after its parents), so
/// that they are merged with what is there.
class Collector {
 public:
  Collector(const Model& m, Data& d, int most) : m_(m), d_(d), most_(most), motion_(motionOf(d, most)) {}

  void addCarrier(Carrier carrier, const Vec3& p, double weight) {
    const int begin = count_;
    if (carrier.isBody()) {
      addBody(carrier.body(), p, weight);
    } else {
      addNode(carrier.node(), weight);
    }
    if (begin > 0 && begin < count_ && column(begin) <= column(begin - 1)) merge(begin);
  }

  RelativeMotion finish() {
    motion_.columns = motion_.columns.first(static_cast<std::size_t>(count_));
    return motion_;
  }

 private:
  int column(int i) const { return motion_.columns[i]; }

  void set(int k, int dof, const Vec3& linear, const Vec3& angular) {
    motion_.columns[k] = dof;
    vec3(motion_.linear.data(), k) = linear;
    vec3(motion_.angular.data(), k) = angular;
  }

  /// From the last dof to the first.
  void addBody(int body, const Vec3& p, double weight) {
    int k = count_ += chainLength(m_, body);
    for (int dof = lastDof(m_, body); dof >= 0; dof = m_.dof_parentid[dof]) {
      const JacobianColumn c = jacobianColumn(m_, d_, dof, p);
      set(--k, dof, weight * c.linear, weight * c.angular);
    }
  }

  void addNode(int node, double weight) {
    if (m_.flexnode_pinned[node]) return;
    for (int k = 0; k < 3; ++k) set(count_++, m_.nv_rigid + 3 * node + k, weight * Vec3::Unit(k), Vec3::Zero());
  }

  /// Merges the columns from `second` on into those before; of equal columns the later one is added to the earlier.
  void merge(int second) {
    if (other_.columns.empty()) other_ = motionOf(d_, most_);
    int kept = 0;
    const auto take = [&](int k) {
      other_.columns[kept] = column(k);
      vec3(other_.linear.data(), kept) = vec3(motion_.linear.data(), k);
      vec3(other_.angular.data(), kept) = vec3(motion_.angular.data(), k);
      ++kept;
    };
    for (int i = 0, j = second; i < second || j < count_;) {
      if (j == count_ || (i < second && column(i) < column(j))) {
        take(i++);
      } else if (i == second || column(j) < column(i)) {
        take(j++);
      } else {
        take(i++);
        vec3(other_.linear.data(), kept - 1) += vec3(motion_.linear.data(), j);
        vec3(other_.angular.data(), kept - 1) += vec3(motion_.angular.data(), j++);
      }
    }
    std::swap(motion_, other_);
    count_ = kept;
  }

  const Model& m_;
  Data& d_;
  int most_;
  RelativeMotion motion_, other_{};
  int count_ = 0;
};

/// Two chains walked down together, from their last dofs.
RelativeMotion bodyMotion(const Model& m, Data& d, int body1, const Vec3& p1, int body2, const Vec3& p2) {
  const int most = chainLength(m, body1) + chainLength(m, body2);
  const std::span<int> columns = d.work->arena.take<int>(most);
  const std::span<double> linear = d.work->arena.take<double>(3 * most);
  const Vec3 r1 = p1 - treeCom(m, d, body1), r2 = p2 - treeCom(m, d, body2);
  std::size_t k = columns.size();
  forEachDofOfEither(m, body1, body2, [&](int dof, bool moves1, bool moves2) {
    columns[--k] = dof;
    const double* cdof = d.cdof.data() + 6 * dof;
    MapVec3 to(linear.data() + 3 * k);
    if (moves1 && moves2) {
      to = velocityAt(cdof, r2) - velocityAt(cdof, r1);
    } else if (moves1) {
      to = -velocityAt(cdof, r1);
    } else {
      to = velocityAt(cdof, r2);
    }
  });
  return {columns.subspan(k), linear.subspan(3 * k), {}};
}

}  // namespace

RelativeMotion contactMotion(const Model& m, Data& d, const Contact& contact) {
  const ConstMapVec3 p(contact.pos.data());
  int most = 0;
  const Side first(m, d, contact, 0), second(m, d, contact, 1);
  for (const Side& side : {first, second}) {
    side.forEachCarrier([&](Carrier carrier, double) { most += dofCount(m, carrier); });
  }
  Collector collector(m, d, most);
  first.forEachCarrier([&](Carrier carrier, double w) { collector.addCarrier(carrier, p, -w); });
  second.forEachCarrier([&](Carrier carrier, double w) { collector.addCarrier(carrier, p, w); });
  return collector.finish();
}

int dofsOfPoint(const Model& m, int point) { return dofCount(m, Carrier::ofPoint(m, point)); }

void RowSum::add(int point, const Vec3& g) {
  const std::size_t begin = count_;
  const int node = m_.flexpoint_nodeid[point];
  if (node >= 0) {
    if (m_.flexnode_pinned[node]) return;
    for (int k = 0; k < 3; ++k, ++count_) {
      columns_[count_] = m_.nv_rigid + 3 * node + k;
      values_[count_] = g[k];
    }
  } else {
    const int body = m_.flexpoint_bodyid[point];
    const Vec3 p = vec3(d_.flexpoint_xpos.data(), point);
    std::size_t k = count_ += static_cast<std::size_t>(chainLength(m_, body));
    for (int dof = lastDof(m_, body); dof >= 0; dof = m_.dof_parentid[dof]) {
      columns_[--k] = dof;
      values_[k] = g.dot(jacobianColumn(m_, d_, dof, p).linear);
    }
  }
  if (begin == 0 || begin == count_ || columns_[begin - 1] < columns_[begin]) return;
  // the new columns grow, as those before do: few have far to go
  for (std::size_t from = begin; from < count_; ++from) {
    const int dof = columns_[from];
    const double value = values_[from];
    std::size_t k = from;
    for (; k > 0 && columns_[k - 1] > dof; --k) {
      columns_[k] = columns_[k - 1];
      values_[k] = values_[k - 1];
    }
    columns_[k] = dof;
    values_[k] = value;
  }
}

RowSum::Row RowSum::finish() {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    if (kept > 0 && columns_[kept - 1] == columns_[k]) {
      values_[kept - 1] += values_[k];
    } else {
      columns_[kept] = columns_[k];
      values_[kept++] = values_[k];
    }
  }
  return {columns_.first(kept), values_.first(kept)};
}

RelativeMotion pointMotion(const Model& m, Data& d, int point1, int point2) {
  return carrierMotion(m, d, Carrier::ofPoint(m, point1), vec3(d.flexpoint_xpos.data(), point1),
                       Carrier::ofPoint(m, point2), vec3(d.flexpoint_xpos.data(), point2));
}

RelativeMotion carrierMotion(const Model& m, Data& d, Carrier carrier1, const Vec3& p1, Carrier carrier2,
                             const Vec3& p2) {
  if (carrier1.isBody() && carrier2.isBody()) return bodyMotion(m, d, carrier1.body(), p1, carrier2.body(), p2);
  Collector collector(m, d, dofCount(m, carrier1) + dofCount(m, carrier2));
  collector.addCarrier(carrier1, p1, -1);
  collector.addCarrier(carrier2, p2, 1);
  return collector.finish();
}

}  // namespace sinew
