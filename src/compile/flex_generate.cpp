#include "compile/flex_generate.h"

#include <fmt/format.h>

#include <algorithm>

#include "compile/flex_parameters.h"

namespace sinew::draft {
namespace {

using spec::FlexcompType;

/// More points than this are a typing error.
constexpr long long kMaxPoints = 10'000'000;

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
  const auto& n = lattice.count;
  if (n[0] > kMaxPoints || n[1] > kMaxPoints || n[2] > kMaxPoints || static_cast<long long>(n[0]) * n[1] > kMaxPoints ||
      static_cast<long long>(n[0]) * n[1] * n[2] > kMaxPoints) {
    place.fail(fmt::format("'count' asks for more than {} points", kMaxPoints));
  }
  return lattice;
}

void makeLine(const Lattice& l, FlexShape& shape) {
  for (int i = 0; i < l.count[0]; ++i) {
    shape.points.emplace_back(l.at(0, i), 0, 0);
    if (i + 1 < l.count[0]) shape.add({i, i + 1});
  }
}

void makeSheet(const Lattice& l, FlexShape& shape) {
  for (int i = 0; i < l.count[0]; ++i) {
    for (int j = 0; j < l.count[1]; ++j) {
      shape.points.emplace_back(l.at(0, i), l.at(1, j), 0);
      if (i + 1 == l.count[0] || j + 1 == l.count[1]) continue;
      const int a = l.index(i, j), b = l.index(i + 1, j), c = l.index(i + 1, j + 1), d = l.index(i, j + 1);
      shape.add({a, b, c});
      shape.add({a, c, d});
    }
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

void takeDirect(const spec::Flexcomp& f, const Place& place, FlexShape& shape) {
  if (f.point.size() % 3 != 0) {
    place.fail(fmt::format("'point' needs a multiple of 3 numbers, found {}", f.point.size()));
  }
  for (std::size_t i = 0; i < f.point.size(); i += 3)
    shape.points.emplace_back(f.point[i], f.point[i + 1], f.point[i + 2]);
  shape.elements = f.element;
}

}  // namespace

FlexShape generateShape(const spec::Flexcomp& f, const Place& place) {
  const double margin = marginOf(f);
  if (f.dim < 1 || f.dim > 3) place.fail(fmt::format("'dim' must be 1, 2 or 3, found {}", f.dim));
  FlexShape shape;
  shape.dim = f.dim;
  switch (f.type) {
    case FlexcompType::Grid: {
      const Lattice lattice = latticeOf(f, shape.dim, margin, place);
      shape.count = lattice.count;
      if (shape.dim == 1) makeLine(lattice, shape);
      if (shape.dim == 2) makeSheet(lattice, shape);
      if (shape.dim == 3) makeBlock(lattice, shape);
      break;
    }
    case FlexcompType::Direct:
      takeDirect(f, place, shape);
      break;
    default:
      place.fail("this 'type' of flexcomp is not supported");
  }
  return shape;
}

}  // namespace sinew::draft
