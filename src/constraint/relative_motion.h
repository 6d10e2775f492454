#pragma once

#include <span>

#include "math/types.h"
#include "model/carrier.h"
#include "model/workspace.h"
#include "sinew/data.h"
#include "sinew/model.h"

namespace sinew {

/// Dofs that change the relative position of two material points, growing, and for each the relative velocity that unit
/// speed of the dof causes: v_2 - v_1, w_2 - w_1. Lives in the arena.
struct RelativeMotion {
  std::span<int> columns;
  std::span<double> linear, angular;  ///< 3 per column
};

/// Motion of the two sides of a contact at its point. A side moves with the weighted mean of its carriers: bodies with
/// all the dofs of their chains, flex nodes with their three. A pinned node does not move, a point does not turn. For
/// contacts between two bodies there is a shorter way, see contact_rows.cpp.
RelativeMotion contactMotion(const Model& m, Data& d, const Contact& contact);

/// Motion of point p2 of carrier2 against p1 of carrier1, translations only (`angular` may be empty).
RelativeMotion carrierMotion(const Model& m, Data& d, Carrier carrier1, const Vec3& p1, Carrier carrier2,
                             const Vec3& p2);

/// Motion of flex point `point2` against `point1`, translations only.
RelativeMotion pointMotion(const Model& m, Data& d, int point1, int point2);

/// Number of dofs that move a flex point.
int dofsOfPoint(const Model& m, int point);

/// Row of a Jacobian that is a sum of g . v_p over flex points p.
class RowSum {
 public:
  struct Row {
    std::span<int> columns;  ///< growing
    std::span<double> values;
  };
  /// `most` is the number of columns there can be, repetitions included. Memory from d.work->arena.
  RowSum(const Model& m, Data& d, int most)
      : m_(m), d_(d), columns_(d.work->arena.take<int>(most)), values_(d.work->arena.take<double>(most)) {}
  void add(int point, const Vec3& g);
  Row finish();

 private:
  const Model& m_;
  const Data& d_;
  std::span<int> columns_;
  std::span<double> values_;
  std::size_t count_ = 0;
};

}  // namespace sinew
