#include "constraint/relative_motion.h"

#include <algorithm>
#include <utility>

#include "kinematics/dof_chains.h"

namespace sinew {
namespace {

/// Columns while they are collected, in any order and with repetitions.
class Collector {
 public:
  Collector(const Model& m, Data& d, int most)
      : m_(m),
        d_(d),
        motion_{d.arena.take<int>(most), d.arena.take<double>(3 * most), d.arena.take<double>(3 * most)} {}

  void add(int dof, const Vec3& linear, const Vec3& angular) {
    const std::size_t k = static_cast<std::size_t>(count_++);
    motion_.columns[k] = dof;
    MapVec3(motion_.linear.data() + 3 * k) = linear;
    MapVec3(motion_.angular.data() + 3 * k) = angular;
  }

  void addBody(int body, const Vec3& p, double weight) {
    for (int dof = lastDof(m_, body); dof >= 0; dof = m_.dof_parentid[dof]) {
      const JacobianColumn c = jacobianColumn(m_, d_, dof, p);
      add(dof, weight * c.linear, weight * c.angular);
    }
  }

  void addNode(int node, double weight) {
    if (m_.flexnode_pinned[node]) return;
    for (int k = 0; k < 3; ++k) add(m_.nv_rigid + 3 * node + k, weight * Vec3::Unit(k), Vec3::Zero());
  }

  void addCarrier(int carrier, const Vec3& p, double weight) {
    if (carrier < m_.nbody) {
      addBody(carrier, p, weight);
    } else {
      addNode(carrier - m_.nbody, weight);
    }
  }

  /// Growing columns, each once.
  RelativeMotion finish() {
    // lists are short and come in runs: insertion is fastest, and stable
    for (int k = 1; k < count_; ++k) {
      for (int i = k; i > 0 && column(i - 1) > column(i); --i) swap(i - 1, i);
    }
    int kept = 0;
    for (int k = 0; k < count_; ++k) {
      if (kept > 0 && column(kept - 1) == column(k)) {
        vec3(motion_.linear.data(), kept - 1) += vec3(motion_.linear.data(), k);
        vec3(motion_.angular.data(), kept - 1) += vec3(motion_.angular.data(), k);
        continue;
      }
      if (kept != k) swap(kept, k);
      ++kept;
    }
    motion_.columns = motion_.columns.first(static_cast<std::size_t>(kept));
    return motion_;
  }

 private:
  int column(int i) const { return motion_.columns[static_cast<std::size_t>(i)]; }
  void swap(int i, int j) {
    std::swap(motion_.columns[static_cast<std::size_t>(i)], motion_.columns[static_cast<std::size_t>(j)]);
    vec3(motion_.linear.data(), i).swap(vec3(motion_.linear.data(), j));
    vec3(motion_.angular.data(), i).swap(vec3(motion_.angular.data(), j));
  }

  const Model& m_;
  Data& d_;
  RelativeMotion motion_;
  int count_ = 0;
};

int dofsOfCarrier(const Model& m, int carrier) { return carrier < m.nbody ? chainLength(m, carrier) : 3; }

/// Body a flex point rides on, or nbody + node.
int carrierOf(const Model& m, int point) {
  const int node = m.flexpoint_nodeid[point];
  return node >= 0 ? m.nbody + node : m.flexpoint_bodyid[point];
}

}  // namespace

RelativeMotion contactMotion(const Model& m, Data& d, const Contact& contact) {
  const ConstMapVec3 p(contact.pos.data());
  int most = 0;
  for (const ContactSide& side : contact.side) {
    for (int k = side.begin; k < side.begin + side.count; ++k) most += dofsOfCarrier(m, d.support_carrier[k]);
  }
  Collector collector(m, d, most);
  for (const int s : {0, 1}) {
    const ContactSide& side = contact.side[static_cast<std::size_t>(s)];
    const double sign = s == 0 ? -1 : 1;
    for (int k = side.begin; k < side.begin + side.count; ++k) {
      collector.addCarrier(d.support_carrier[k], p, sign * d.support_weight[k]);
    }
  }
  return collector.finish();
}

int dofsOfPoint(const Model& m, int point) { return dofsOfCarrier(m, carrierOf(m, point)); }

void RowSum::add(int point, const Vec3& g) {
  const auto append = [&](int dof, double value) {
    std::size_t k = count_++;
    for (; k > 0 && columns_[k - 1] > dof; --k) {
      columns_[k] = columns_[k - 1];
      values_[k] = values_[k - 1];
    }
    columns_[k] = dof;
    values_[k] = value;
  };
  const int node = m_.flexpoint_nodeid[point];
  if (node >= 0) {
    if (m_.flexnode_pinned[node]) return;
    for (int k = 0; k < 3; ++k) append(m_.nv_rigid + 3 * node + k, g[k]);
    return;
  }
  const Vec3 p = vec3(d_.flexpoint_xpos.data(), point);
  for (int dof = lastDof(m_, m_.flexpoint_bodyid[point]); dof >= 0; dof = m_.dof_parentid[dof]) {
    append(dof, g.dot(jacobianColumn(m_, d_, dof, p).linear));
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
  return carrierMotion(m, d, carrierOf(m, point1), vec3(d.flexpoint_xpos.data(), point1), carrierOf(m, point2),
                       vec3(d.flexpoint_xpos.data(), point2));
}

RelativeMotion carrierMotion(const Model& m, Data& d, int carrier1, const Vec3& p1, int carrier2, const Vec3& p2) {
  Collector collector(m, d, dofsOfCarrier(m, carrier1) + dofsOfCarrier(m, carrier2));
  collector.addCarrier(carrier1, p1, -1);
  collector.addCarrier(carrier2, p2, 1);
  return collector.finish();
}

}  // namespace sinew
