#include "constraint/relative_motion.h"

#include <algorithm>
#include <utility>

#include "kinematics/side.h"

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

  void addCarrier(Carrier carrier, const Vec3& p, double weight) {
    forEachDof(m_, d_, carrier, p,
               [&](int dof, const Vec3& linear, const Vec3& angular) { add(dof, weight * linear, weight * angular); });
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
  const auto append = [&](int dof, double value) {
    std::size_t k = count_++;
    for (; k > 0 && columns_[k - 1] > dof; --k) {
      columns_[k] = columns_[k - 1];
      values_[k] = values_[k - 1];
    }
    columns_[k] = dof;
    values_[k] = value;
  };
  forEachDof(m_, d_, Carrier::ofPoint(m_, point), vec3(d_.flexpoint_xpos.data(), point),
             [&](int dof, const Vec3& linear, const Vec3&) { append(dof, g.dot(linear)); });
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
  Collector collector(m, d, dofCount(m, carrier1) + dofCount(m, carrier2));
  collector.addCarrier(carrier1, p1, -1);
  collector.addCarrier(carrier2, p2, 1);
  return collector.finish();
}

}  // namespace sinew
