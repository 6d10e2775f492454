#include "collision/thin.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "collision/filters.h"
#include "collision/spacing.h"

namespace sinew {
namespace {

double geomThickness(const Model& m, int g) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const double* size = m.geom_size.data() + 3 * g;
  switch (m.geom_type[g]) {
    case GeomType::Plane:
      return kNone;
    case GeomType::HField:
      return m.hfield_size[4 * m.geom_dataid[g] + 3];
    case GeomType::Sphere:
    case GeomType::Capsule:
      return 2 * size[0];
    case GeomType::Cylinder:
      return 2 * std::min(size[0], size[1]);
    case GeomType::Ellipsoid:
    case GeomType::Box:
      return 2 * std::min({size[0], size[1], size[2]});
    case GeomType::Mesh: {
      const double* half = m.geom_aabb.data() + 6 * g + 3;
      return 2 * std::min({half[0], half[1], half[2]});
    }
    default:
      return kNone;
  }
}

int colliderOf(const Model& m, const Contact& contact, std::size_t side) {
  return contact.geom[side] >= 0 ? contact.geom[side] : m.ngeom + contact.flex[side];
}

}  // namespace

double vertexSpacing(const Model& m, int f) {
  // as many points as there are, spread over the largest extents
  const int dim = m.flex_dim[f];
  double extent[3];
  for (int k = 0; k < 3; ++k) extent[k] = 2 * m.flex_size[3 * f + k];
  std::sort(extent, extent + 3, std::greater<>());
  double volume = 1;
  for (int k = 0; k < dim; ++k) volume *= extent[k];
  return std::pow(volume / m.flex_vertnum[f], 1.0 / dim);
}

double thicknessOf(const Model& m, int collider) {
  if (!isFlex(m, collider)) return geomThickness(m, collider);
  const int f = flexOf(m, collider);
  return 2 * m.flex_radius[f] + (m.flex_dim[f] == 3 ? vertexSpacing(m, f) : 0);
}

double passingDepth(const Model& m, int collider1, int collider2) {
  return kPassingShare * 0.5 * std::max(thicknessOf(m, collider1), thicknessOf(m, collider2));
}

double passingDepth(const Model& m, const Contact& contact) {
  return passingDepth(m, colliderOf(m, contact, 0), colliderOf(m, contact, 1));
}

double middleDepth(const Model& m, const Contact& contact) {
  double thickness = 0;
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    const int geom = contact.geom[side];
    if (geom >= 0 && m.geom_type[geom] == GeomType::HField) continue;
    thickness += thicknessOf(m, colliderOf(m, contact, side));
  }
  return 0.5 * thickness;
}

double stopDepth(const Model& m, int collider1, int collider2) {
  double middle = 0;
  for (const int c : {collider1, collider2}) {
    if (isFlex(m, c) && m.flex_dim[flexOf(m, c)] < 3) middle += m.flex_radius[flexOf(m, c)];
  }
  return middle > 0 ? kPassingShare * middle : passingDepth(m, collider1, collider2);
}

double stopDepth(const Model& m, const Contact& contact) {
  return stopDepth(m, colliderOf(m, contact, 0), colliderOf(m, contact, 1));
}

double thinRadius(const Model& m, const Contact& contact) {
  for (const int g : contact.geom) {
    if (g >= 0 && m.geom_type[g] == GeomType::Plane) return 0;  // it has no other side
  }
  double sum = 0;
  for (const int f : contact.flex) {
    if (f >= 0 && m.flex_dim[f] < 3 && m.flex_law[f] != FlexLaw::Reference) sum += m.flex_radius[f];
  }
  return sum;
}

}  // namespace sinew
