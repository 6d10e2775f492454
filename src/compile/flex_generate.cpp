#include "compile/flex_generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "compile/flex_parameters.h"
#include "compile/memory.h"

namespace sinew::draft {
namespace {

using spec::FlexcompType;

/// What a regular generator is asked for.
struct Lattice {
  std::array<int, 3> count{10, 10, 10};
  Vec3 spacing{0.02, 0.02, 0.02};

  int index(int i, int j) const { return i * count[1] + j; }
  int index(int i, int j, int k) const { return (i * count[1] + j) * count[2] + k; }
  /// Coordinate of point i along an axis, the middle being 0.
  double at(std::size_t axis, int i) const {
    return spacing[static_cast<Eigen::Index>(axis)] * (i - 0.5 * (count[axis] - 1));
  }
};

Lattice latticeOf(const spec::Flexcomp& f, int dim, double margin, const Place& place) {
  Lattice lattice;
  if (!f.count.empty()) lattice.count = {1, 1, 1};
  for (std::size_t k = 0; k < f.count.size(); ++k) lattice.count[k] = f.count[k];
  for (const int n : lattice.count) {
    if (n < 1) place.fail(fmt::format("'count' must be at least 1, found {}", n));
  }
  const bool flat = f.type == FlexcompType::Grid || f.type == FlexcompType::Square || f.type == FlexcompType::Disc;
  if (flat && dim == 2) {
    if (f.count.size() == 3 && lattice.count[2] != 1) {
      place.fail(fmt::format("the third number of 'count' must be 1 for a sheet, found {}", lattice.count[2]));
    }
    lattice.count[2] = 1;
  }
  if (dim == 1) lattice.count[1] = lattice.count[2] = 1;

  if (f.spacing.size() == 1) lattice.spacing.setConstant(f.spacing[0]);
  if (f.spacing.size() == 3) lattice.spacing = Vec3(f.spacing[0], f.spacing[1], f.spacing[2]);
  const double least = 2 * f.radius + margin;
  for (const double s : lattice.spacing) {
    if (s < least) {
      place.fail(fmt::format("'spacing' must be at least 2 * radius + margin = {}, found {}", least, s));
    }
  }
  return lattice;
}

/// Points and elements that a regular generator makes, to about a layer.
std::pair<double, double> forecast(const Lattice& l, FlexcompType type, int dim) {
  const double nx = l.count[0], ny = l.count[1], nz = l.count[2];
  switch (type) {
    case FlexcompType::Box:
    case FlexcompType::Cylinder:
    case FlexcompType::Ellipsoid: {
      const double surface = 2 * (nx * ny + ny * nz + nx * nz);
      return {surface + nx * ny * nz * sizeof(int) / (3 * sizeof(Vec3)), 2 * surface};  // and a table of the lattice
    }
    default:
      break;
  }
  if (dim == 1) return {nx, nx};
  if (dim == 2) return {nx * ny, 2 * (nx - 1) * (ny - 1)};
  return {nx * ny * nz, 6 * (nx - 1) * (ny - 1) * (nz - 1)};
}

/// The first n components scaled to length 1; what is almost zero, or of length 1 already, stays as it is.
Vec3 unit(Vec3 v, int n) {
  constexpr double kTiny = 1e-14;
  const double square = v.head(n).squaredNorm();
  if (square < kTiny) return v;
  const double length = std::sqrt(square);
  if (std::abs(length - 1) > kTiny) v.head(n) /= length;
  return v;
}

void makeLine(const Lattice& l, FlexShape& shape) {
  for (int i = 0; i < l.count[0]; ++i) {
    shape.points.emplace_back(l.at(0, i), 0, 0);
    if (i + 1 < l.count[0]) shape.add({i, i + 1});
  }
}

/// A closed loop whose sides have the length of the spacing.
void makeCircle(const Lattice& l, const Place& place, FlexShape& shape) {
  const int n = l.count[0] - 1;
  if (n < 3) place.fail(fmt::format("a circle needs a 'count' of at least 4, found {}", l.count[0]));
  const double angle = 2 * std::numbers::pi / n, radius = l.spacing[0] / std::sin(angle / 2) / 2;
  for (int i = 0; i < n; ++i) {
    shape.points.emplace_back(radius * std::cos(angle * i), radius * std::sin(angle * i), 0);
    shape.add({i, (i + 1) % n});
  }
}

/// Two triangles per square. In a disc they meet along the diagonal that points to the middle.
void makeSheet(const Lattice& l, bool disc, FlexShape& shape) {
  constexpr double kZero = -1e-14;
  for (int i = 0; i < l.count[0]; ++i) {
    for (int j = 0; j < l.count[1]; ++j) {
      const double x = l.at(0, i), y = l.at(1, j);
      shape.points.emplace_back(x, y, 0);
      if (i + 1 == l.count[0] || j + 1 == l.count[1]) continue;
      const int a = l.index(i, j), b = l.index(i + 1, j), c = l.index(i + 1, j + 1), d = l.index(i, j + 1);
      if (disc && ((x < kZero && y > kZero) || (x > kZero && y < kZero))) {
        shape.add({a, b, d});
        shape.add({b, c, d});
      } else {
        shape.add({a, b, c});
        shape.add({a, c, d});
      }
    }
  }
}

/// Moves the points of a square onto circles. The radius of each is the product of the half size and the metric
/// distance, not their ratio, as in the reference engine.
void roundOff(const Lattice& l, FlexShape& shape) {
  const double sizeX = 0.5 * l.spacing[0] * (l.count[0] - 1), sizeY = 0.5 * l.spacing[1] * (l.count[1] - 1);
  for (Vec3& p : shape.points) {
    const double ring = std::max(std::abs(p.x()), std::abs(p.y()));
    const Vec3 direction = unit(p, 2);
    p.x() = direction.x() * (sizeX * ring);
    p.y() = direction.y() * (sizeY * ring);
  }
}

/// Six tetrahedra per cube, all around its diagonal from corner (1,0,0) or (0,0,0) to (0,1,1).
void makeBlock(const Lattice& l, FlexShape& shape) {
  for (int i = 0; i < l.count[0]; ++i) {
    for (int j = 0; j < l.count[1]; ++j) {
      for (int k = 0; k < l.count[2]; ++k) {
        shape.points.emplace_back(l.at(0, i), l.at(1, j), l.at(2, k));
        if (i + 1 == l.count[0] || j + 1 == l.count[1] || k + 1 == l.count[2]) continue;
        const int c0 = l.index(i, j, k), c1 = l.index(i + 1, j, k), c2 = l.index(i + 1, j + 1, k);
        const int c3 = l.index(i, j + 1, k), c4 = l.index(i, j, k + 1), c5 = l.index(i + 1, j, k + 1);
        const int c6 = l.index(i + 1, j + 1, k + 1), c7 = l.index(i, j + 1, k + 1);
        shape.add({c0, c3, c1, c7});
        shape.add({c0, c1, c4, c7});
        shape.add({c1, c3, c2, c7});
        shape.add({c1, c2, c6, c7});
        shape.add({c1, c5, c4, c7});
        shape.add({c1, c6, c5, c7});
      }
    }
  }
}

/// Surface of a lattice, optionally pressed into a cylinder or an ellipsoid. Numbers of its points: as they are added.
class Hull {
 public:
  Hull(const Lattice& l, FlexcompType type, FlexShape& shape) : l_(l), type_(type), shape_(shape) {
    index_.assign(static_cast<std::size_t>(l.count[0]) * static_cast<std::size_t>(l.count[1] * l.count[2]), -1);
  }

  /// A solid: tetrahedra between the middle, which is point 0, and the surface.
  void fill() {
    shape_.points.emplace_back(0, 0, 0);
    addPoints(true);
    for (const int k : {0, l_.count[2] - 1}) {
      for (int i = 0; i + 1 < l_.count[0]; ++i) {
        for (int j = 0; j + 1 < l_.count[1]; ++j)
          addPair(at(i, j, k), at(i + 1, j, k), at(i, j + 1, k), at(i + 1, j + 1, k));
      }
    }
    for (const int j : {0, l_.count[1] - 1}) {
      for (int i = 0; i + 1 < l_.count[0]; ++i) {
        for (int k = 0; k + 1 < l_.count[2]; ++k)
          addPair(at(i, j, k), at(i + 1, j, k), at(i, j, k + 1), at(i + 1, j, k + 1));
      }
    }
    for (const int i : {0, l_.count[0] - 1}) {
      for (int j = 0; j + 1 < l_.count[1]; ++j) {
        for (int k = 0; k + 1 < l_.count[2]; ++k)
          addPair(at(i, j, k), at(i, j + 1, k), at(i, j, k + 1), at(i, j + 1, k + 1));
      }
    }
  }

  /// A surface of triangles that face outwards, without the lid at the upper end of z.
  void wrap() {
    addPoints(false);
    for (int i = 0; i + 1 < l_.count[0]; ++i) {
      for (int j = 0; j + 1 < l_.count[1]; ++j) {
        shape_.add({at(i, j, 0), at(i + 1, j + 1, 0), at(i + 1, j, 0)});
        shape_.add({at(i, j, 0), at(i, j + 1, 0), at(i + 1, j + 1, 0)});
      }
    }
    for (const int j : {0, l_.count[1] - 1}) {
      for (int i = 0; i + 1 < l_.count[0]; ++i) {
        const int from = j == 0 ? i : i + 1, to = j == 0 ? i + 1 : i;
        for (int k = 0; k + 1 < l_.count[2]; ++k) {
          shape_.add({at(from, j, k), at(to, j, k), at(to, j, k + 1)});
          shape_.add({at(from, j, k), at(to, j, k + 1), at(from, j, k + 1)});
        }
      }
    }
    for (const int i : {0, l_.count[0] - 1}) {
      for (int j = 0; j + 1 < l_.count[1]; ++j) {
        const int from = i == 0 ? j + 1 : j, to = i == 0 ? j : j + 1;
        for (int k = 0; k + 1 < l_.count[2]; ++k) {
          shape_.add({at(i, from, k), at(i, to, k), at(i, to, k + 1)});
          shape_.add({at(i, from, k), at(i, to, k + 1), at(i, from, k + 1)});
        }
      }
    }
  }

 private:
  int& at(int i, int j, int k) { return index_[l_.index(i, j, k)]; }

  /// Face by face: z low and high, then what is left of y low and high, then of x low and high.
  void addPoints(bool lid) {
    const int top = lid ? l_.count[2] - 2 : l_.count[2] - 1;  // last layer of the sides that the lid does not have
    for (const int k : {0, l_.count[2] - 1}) {
      if (k > 0 && !lid) continue;
      for (int i = 0; i < l_.count[0]; ++i) {
        for (int j = 0; j < l_.count[1]; ++j) addPoint(i, j, k);
      }
    }
    for (const int j : {0, l_.count[1] - 1}) {
      for (int i = 0; i < l_.count[0]; ++i) {
        for (int k = 1; k <= top; ++k) addPoint(i, j, k);
      }
    }
    for (const int i : {0, l_.count[0] - 1}) {
      for (int j = 1; j + 1 < l_.count[1]; ++j) {
        for (int k = 1; k <= top; ++k) addPoint(i, j, k);
      }
    }
  }

  void addPoint(int i, int j, int k) {
    at(i, j, k) = shape_.numPoints();
    const auto share = [&](int n, std::size_t axis) { return 2.0 * n / (l_.count[axis] - 1) - 1; };
    const auto half = [&](Eigen::Index axis) { return 0.5 * l_.spacing[axis] * (l_.count[axis] - 1); };
    Vec3 p(share(i, 0), share(j, 1), share(k, 2));
    if (type_ == FlexcompType::Cylinder) {
      const double ring = std::max(std::abs(p.x()), std::abs(p.y()));
      p = unit(p, 2);
      shape_.points.emplace_back(p.x() * (half(0) * ring), p.y() * (half(1) * ring), p.z() * half(2));
      return;
    }
    if (type_ == FlexcompType::Ellipsoid) p = unit(p, 3);
    shape_.points.emplace_back(p.x() * half(0), p.y() * half(1), p.z() * half(2));
  }

  /// Two tetrahedra under the square of points p (first index along the outer loop).
  void addPair(int p00, int p10, int p01, int p11) {
    shape_.add({0, p00, p10, p11});
    shape_.add({0, p00, p01, p11});
  }

  const Lattice& l_;
  FlexcompType type_;
  FlexShape& shape_;
  std::vector<int> index_;
};

void makeHull(const Lattice& lattice, FlexcompType type, const Place& place, FlexShape& shape) {
  if (shape.dim == 1) place.fail("a box, cylinder or ellipsoid needs dim 2 or 3, found 1");
  for (const int n : lattice.count) {
    if (n < 2) place.fail(fmt::format("'count' must be at least 2 along all axes here, found {}", n));
  }
  Hull hull(lattice, type, shape);
  if (shape.dim == 3) {
    hull.fill();
  } else {
    hull.wrap();
  }
}

}  // namespace

FlexShape generateShape(const Draft& draft, const spec::Flexcomp& f, const Place& place) {
  if (f.dim < 1 || f.dim > 3) place.fail(fmt::format("'dim' must be 1, 2 or 3, found {}", f.dim));
  FlexShape shape;
  shape.dim = f.dim;
  if (f.type == FlexcompType::Square || f.type == FlexcompType::Disc) shape.dim = 2;
  switch (f.type) {
    case FlexcompType::Mesh:
    case FlexcompType::Gmsh:
    case FlexcompType::Direct:
      takeShape(draft, f, place, shape);
      return shape;
    default:
      break;
  }

  const Lattice lattice = latticeOf(f, shape.dim, marginOf(f), place);
  const auto [points, elements] = forecast(lattice, f.type, shape.dim);
  chargeFlexcomp(draft, f, shape.dim, points, elements);
  switch (f.type) {
    case FlexcompType::Circle:
      if (shape.dim != 1) place.fail(fmt::format("a circle needs dim 1, found {}", shape.dim));
      makeCircle(lattice, place, shape);
      break;
    case FlexcompType::Square:
    case FlexcompType::Disc:
      makeSheet(lattice, f.type == FlexcompType::Disc, shape);
      if (f.type == FlexcompType::Disc) roundOff(lattice, shape);
      break;
    case FlexcompType::Box:
    case FlexcompType::Cylinder:
    case FlexcompType::Ellipsoid:
      makeHull(lattice, f.type, place, shape);
      break;
    default:
      shape.count = lattice.count;
      if (shape.dim == 1) makeLine(lattice, shape);
      if (shape.dim == 2) makeSheet(lattice, false, shape);
      if (shape.dim == 3) makeBlock(lattice, shape);
  }
  return shape;
}

}  // namespace sinew::draft
