#include <algorithm>
#include <cmath>

#include "geom/collide_convex.h"
#include "geom/thin_out.h"
#include "math/index.h"
#include "math/ordered_math.h"

namespace sinew::geom {
namespace {

/// Half the width that an element without one gets, m.
constexpr double kUpright = 1e-9;

/// The cells of a height field under a box, and the prisms over them.
class PrismWalk {
 public:
  /// `low` and `high`: corners of the box, in the frame of the field.
  PrismWalk(const HeightFieldView& field, const Vec3& low, const Vec3& high) : field_(field) {
    const auto cells = [](double x, double half, int count) {
      return std::clamp((x + half) / (2.0 * half), 0.0, 1.0) * (count - 1);
    };
    firstColumn_ = floorWithin(cells(low[0], field.size[0], field.ncol), field.ncol - 1);
    lastColumn_ = ceilWithin(cells(high[0], field.size[0], field.ncol), field.ncol - 1);
    firstRow_ = floorWithin(cells(low[1], field.size[1], field.nrow), field.nrow - 1);
    lastRow_ = ceilWithin(cells(high[1], field.size[1], field.nrow), field.nrow - 1);
  }

  /// Calls visit(corners, number) for every prism: row by row, two in each cell. Corners enter one after the other, in
  /// turns from the far and the near side of the row, and three that follow each other make a prism. Prisms whose top
  /// is below `lowest` are left out.
  template <class Visit>
  void forEach(double lowest, Visit visit) const {
    std::array<Vec3, 6> prism;
    prism.fill(Vec3::Zero());
    for (int row = firstRow_; row < lastRow_; ++row) {
      int entered = 0;
      for (int column = firstColumn_; column <= lastColumn_; ++column) {
        for (const int side : {1, 0}) {
          for (const std::size_t i : {0u, 1u, 3u, 4u}) prism[i] = prism[i + 1];
          enter(row + side, column, prism);
          if (++entered < 3) continue;
          if (prism[3][2] < lowest && prism[4][2] < lowest && prism[5][2] < lowest) continue;
          visit(prism, 2 * (row * field_.ncol + column) + side);
        }
      }
    }
  }

 private:
  void enter(int row, int column, std::array<Vec3, 6>& prism) const {
    const double dx = (2.0 * field_.size[0]) / (field_.ncol - 1), dy = (2.0 * field_.size[1]) / (field_.nrow - 1);
    const double x = dx * column - field_.size[0], y = dy * row - field_.size[1];
    const std::size_t cell =
        static_cast<std::size_t>(row) * static_cast<std::size_t>(field_.ncol) + static_cast<std::size_t>(column);
    prism[2] = Vec3(x, y, -field_.size[3]);
    prism[5] = Vec3(x, y, static_cast<double>(field_.data[cell]) * field_.size[2]);
  }

  const HeightFieldView& field_;
  int firstColumn_ = 0, lastColumn_ = 0, firstRow_ = 0, lastRow_ = 0;
};

/// A shape seen from a height field: a body in the field's frame and its bounds.
struct Visitor {
  ConvexBody body;
  Vec3 low, high;

  Visitor(const Shape& field, const Shape& shape) : body(shape, 0) {
    Mat3 rot;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) rot(i, j) = dot(Vec3(field.rot.col(i)), Vec3(shape.rot.col(j)));
    }
    body.setPose(applyTransposed(field.rot, shape.pos - field.pos), rot);
    for (int i = 0; i < 3; ++i) {
      high[i] = body.support(Vec3::Unit(i))[i];
      low[i] = body.support(-Vec3::Unit(i))[i];
    }
  }

  /// The bounds are those of the element's core: its radius, like a margin, reaches into cells beside it, and these
  /// could only add a sideways normal.
  Visitor(const Shape& field, const Element& element) : Visitor(inFrameOf(field, element)) {}

  /// Farther than `margin` from the box that holds the field, or nowhere: its bounds are NaN.
  bool misses(const HeightFieldView& field, double margin) const {
    return !(low[0] - margin <= field.size[0] && high[0] + margin >= -field.size[0] &&  //
             low[1] - margin <= field.size[1] && high[1] + margin >= -field.size[1] &&  //
             low[2] - margin <= field.size[2] && high[2] + margin >= -field.size[3]);
  }

 private:
  explicit Visitor(const Element& local) : body(local, 0), low(local.corner[0]), high(local.corner[0]) {
    for (std::size_t i = 1; i < static_cast<std::size_t>(local.count); ++i) {
      low = low.cwiseMin(local.corner[i]);
      high = high.cwiseMax(local.corner[i]);
    }
    // one that stands upright over a line of the grid belongs to the cells on both sides of it
    for (int i = 0; i < 2; ++i) {
      if (low[i] != high[i]) continue;
      low[i] -= kUpright;
      high[i] += kUpright;
    }
  }

  static Element inFrameOf(const Shape& field, Element element) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(element.count); ++i) {
      element.corner[i] = applyTransposed(field.rot, element.corner[i] - field.pos);
    }
    return element;
  }
};

bool isEmpty(const HeightFieldView& field) { return field.nrow < 2 || field.ncol < 2 || field.data.empty(); }

/// `reach`: how far beyond its bounds the visitor begins, apart from the margin.
int collidePrisms(const Shape& field, Visitor& visitor, double reach, double margin, const CollideOptions& options,
                  Array<ContactPoint>& out) {
  if (visitor.misses(field.field, margin + reach)) return 0;

  // Cells are those under the shape itself, without the margin around it: a cell beside the shape could only add a
  // point with a sideways normal at the seam between two prisms.
  const PrismWalk walk(field.field, visitor.low, visitor.high);
  visitor.body.setInflation(0.5 * margin);
  ConvexBody prism(field, 0.5 * margin);
  WitnessList contacts;
  const std::ptrdiff_t begin = out.size();
  int count = 0;
  walk.forEach(visitor.low[2] - (margin + reach), [&](const std::array<Vec3, 6>& corners, int number) {
    prism.setPrism(corners);
    if (!(penetration(prism, visitor.body, 0, 1, options, contacts) < 0)) return;
    const Witness& w = contacts.item[0];
    out.push_back({.pos = apply(field.rot, (w.onA + w.onB) * 0.5) + field.pos,
                   .normal = apply(field.rot, unitOrX(w.onA - w.onB)),
                   .dist = margin + w.dist,
                   .feature = number});
    ++count;
    if (out.size() - begin == 2 * kMostPoints) thinOut(out, begin, kMostPoints);
  });
  thinOut(out, begin, kMostPoints);
  return count;
}

/// `reach` as above.
double distanceOfPrisms(const Shape& field, Visitor& visitor, double reach, double cutoff,
                        const CollideOptions& options, Vec3* onField, Vec3* onShape) {
  double nearest = cutoff;
  if (visitor.misses(field.field, cutoff + reach)) return nearest;
  const double around = std::max(cutoff, 0.0) + reach;
  const PrismWalk walk(field.field, visitor.low - Vec3::Constant(around), visitor.high + Vec3::Constant(around));
  ConvexBody prism(field, 0);
  WitnessList contacts;
  walk.forEach(visitor.low[2] - around, [&](const std::array<Vec3, 6>& corners, int) {
    prism.setPrism(corners);
    const double dist = penetration(prism, visitor.body, std::max(nearest, 0.0), 1, options, contacts);
    if (contacts.count == 0 || !(dist < nearest)) return;
    nearest = dist;
    if (onField) *onField = apply(field.rot, contacts.item[0].onA) + field.pos;
    if (onShape) *onShape = apply(field.rot, contacts.item[0].onB) + field.pos;
  });
  return nearest;
}

}  // namespace

int collideHeightField(const Shape& field, const Shape& shape, double margin, const CollideOptions& options,
                       Array<ContactPoint>& out) {
  if (isEmpty(field.field)) return 0;
  Visitor visitor(field, shape);
  return collidePrisms(field, visitor, 0, margin, options, out);
}

int collideHeightField(const Shape& field, const Element& element, double margin, const CollideOptions& options,
                       Array<ContactPoint>& out) {
  if (isEmpty(field.field)) return 0;
  Visitor visitor(field, element);
  return collidePrisms(field, visitor, element.radius, margin, options, out);
}

double heightFieldDistance(const Shape& field, const Shape& shape, double cutoff, const CollideOptions& options,
                           Vec3* onField, Vec3* onShape) {
  if (isEmpty(field.field)) return cutoff;
  Visitor visitor(field, shape);
  return distanceOfPrisms(field, visitor, 0, cutoff, options, onField, onShape);
}

double heightFieldDistance(const Shape& field, const Element& element, double cutoff, const CollideOptions& options,
                           Vec3* onField, Vec3* onElement) {
  if (isEmpty(field.field)) return cutoff;
  Visitor visitor(field, element);
  return distanceOfPrisms(field, visitor, element.radius, cutoff, options, onField, onElement);
}

}  // namespace sinew::geom
