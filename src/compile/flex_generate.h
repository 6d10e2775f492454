#pragma once

#include <array>
#include <vector>

#include "compile/draft.h"
#include "compile/place.h"
#include "math/types.h"
#include "sinew/spec.h"

namespace sinew::draft {

/// Points and elements as a generator makes them, before scale and pose.
struct FlexShape {
  int dim = 2;
  std::vector<Vec3> points;
  std::vector<int> elements;          ///< dim + 1 points each
  std::array<int, 3> count{1, 1, 1};  ///< grid: points along the axes

  void add(std::initializer_list<int> element) { elements.insert(elements.end(), element); }
  int numPoints() const { return static_cast<int>(points.size()); }
};

/// The points and elements of a flexcomp, numbered as the reference engine numbers them. Their memory is charged to the
/// draft before they are made. Throws LoadError at `place`.
FlexShape generateShape(const Draft& draft, const spec::Flexcomp& flexcomp, const Place& place);

/// The part of generateShape() that takes points and elements from a file or from the element itself.
void takeShape(const Draft& draft, const spec::Flexcomp& flexcomp, const Place& place, FlexShape& shape);

}  // namespace sinew::draft
