#include "compile/flex_mass.h"

#include <cmath>

namespace sinew::draft {

double measureOf(int dim, const std::vector<Vec3>& points, const int* element) {
  const auto side = [&](int k) -> Vec3 { return points[element[k]] - points[element[0]]; };
  if (dim == 1) return side(1).norm();
  if (dim == 2) return 0.5 * side(1).cross(side(2)).norm();
  return std::abs(side(1).cross(side(2)).dot(side(3))) / 6;
}

std::vector<double> lumpedMasses(int dim, double density, double thickness, const std::vector<Vec3>& points,
                                 const std::vector<int>& elements) {
  const double factor = dim == 2 ? density * (thickness > 0 ? thickness : kDefaultThickness) : density;
  std::vector<double> masses(points.size(), 0.0);
  const std::size_t corners = static_cast<std::size_t>(dim) + 1;
  for (std::size_t e = 0; e < elements.size(); e += corners) {
    const double share = factor * measureOf(dim, points, &elements[e]) / static_cast<double>(corners);
    for (std::size_t k = 0; k < corners; ++k) masses[elements[e + k]] += share;
  }
  return masses;
}

}  // namespace sinew::draft
