#include "query/cast_ray.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "model/workspace.h"
#include "query/query_trees.h"

namespace sinew {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

geom::RayHit rayGeom(const Model& m, const Data& d, int g, const geom::Ray& ray) {
  const Vec3 pos = vec3(d.geom_xpos.data(), g);
  const Mat3 R = mat3(d.geom_xmat.data(), g);
  const Vec3 size = vec3(m.geom_size.data(), g);
  const int id = m.geom_dataid[g];
  switch (m.geom_type[g]) {
    case GeomType::Mesh: {
      const std::span<const float> vertices(m.mesh_vert.data() + 3 * m.mesh_vertadr[id],
                                            static_cast<std::size_t>(3 * m.mesh_vertnum[id]));
      const std::span<const int> faces(m.mesh_face.data() + 3 * m.mesh_faceadr[id],
                                       static_cast<std::size_t>(3 * m.mesh_facenum[id]));
      return geom::rayMesh(vertices, faces, size, pos, R, ray);
    }
    case GeomType::HField: {
      const double* s = &m.hfield_size[4 * id];
      const int rows = m.hfield_nrow[id];
      const int columns = m.hfield_ncol[id];
      const std::span<const float> elevation(m.hfield_data.data() + m.hfield_adr[id],
                                             static_cast<std::size_t>(rows * columns));
      return geom::rayHfield(rows, columns, elevation, {s[0], s[1], s[2], s[3]}, pos, R, ray);
    }
    default:
      return geom::rayShape(m.geom_type[g], size, pos, R, ray);
  }
}

/// One ray on its way through the trees.
class Caster {
 public:
  Caster(const Model& m, Data& d, const geom::Ray& ray, const RayOptions& options)
      : m_(m), d_(d), ray_(ray), options_(options) {}

  SurfaceHit cast() {
    const BoundingTree& tree = colliderTree(m_, d_);
    for (const int plane : d_.work->queryTrees.planes) meetGeom(plane);
    walk(tree, [&](int collider) {
      if (collider >= m_.ngeom) {
        meetFlex(collider - m_.ngeom);
      } else if (m_.geom_type[collider] != GeomType::Plane) {
        meetGeom(collider);
      }
    });
    return nearest_;
  }

  SurfaceHit castAt(int collider) {
    if (collider >= m_.ngeom) {
      meetElements(collider - m_.ngeom);
    } else {
      offer({rayGeom(m_, d_, collider, ray_), collider, -1, -1});
    }
    return nearest_;
  }

 private:
  /// Nothing beyond this matters.
  double limit() const { return nearest_.hit.isHit() ? nearest_.hit.distance : options_.cutoff; }

  /// Where the ray is inside a box for the first time, or less; infinite if it passes by. Boxes count as slightly
  /// larger than they are, so that rounding hides nothing.
  double entry(const BoundingTree::Box& box) const {
    constexpr double kOfExtent = 1e-9, kOfPlace = 1e-12;
    double begin = 0, end = limit();
    for (int i = 0; i < 3; ++i) {
      const double low = box.lower[i], high = box.upper[i], from = ray_.origin[i], along = ray_.direction[i];
      const double slack = kOfExtent * (high - low) + kOfPlace * (std::abs(from) + std::abs(low) + std::abs(high));
      const double a = low - slack - from, b = high + slack - from;
      if (std::abs(along) < std::numeric_limits<double>::min()) {
        if (a > 0 || b < 0) return kInfinite;
        continue;
      }
      const double first = a / along, second = b / along;
      begin = std::max(begin, std::min(first, second));
      end = std::min(end, std::max(first, second));
    }
    return begin <= end ? begin : kInfinite;
  }

  /// f(item) for the items whose boxes the ray meets before anything else, nearer subtrees first.
  template <class F>
  void walk(const BoundingTree& tree, F&& f) {
    if (!tree.item.empty() && entry(tree.box[0]) < kInfinite) walkBelow(tree, 0, f);
  }

  template <class F>
  void walkBelow(const BoundingTree& tree, int node, F& f) {
    if (tree.leaves[node] == 1) return f(tree.item[tree.firstLeaf[node]]);
    int near = node + 1, far = node + 2 * tree.leaves[node + 1];
    double toNear = entry(tree.box[near]), toFar = entry(tree.box[far]);
    if (toFar < toNear) {
      std::swap(near, far);
      std::swap(toNear, toFar);
    }
    if (toNear < kInfinite) walkBelow(tree, near, f);
    if (toFar <= limit() && toFar < kInfinite) walkBelow(tree, far, f);
  }

  bool groupCounts(int group) const { return options_.groups[std::clamp(group, 0, 5)]; }
  bool bodyCounts(int body) const {
    return body < 0 || (body != options_.excludeBody && (options_.statics || m_.body_weldid[body] != 0));
  }

  void meetGeom(int g) {
    if (m_.geom_rgba[4 * g + 3] == 0 || !groupCounts(m_.geom_group[g]) || !bodyCounts(m_.geom_bodyid[g])) return;
    offer({rayGeom(m_, d_, g, ray_), g, -1, -1});
  }

  void meetFlex(int f) {
    if (!options_.flexes || m_.flex_rgba[4 * f + 3] == 0 || !groupCounts(m_.flex_group[f])) return;
    meetElements(f);
  }

  void meetElements(int f) {
    walk(surfaceTree(m_, d_, f), [&](int item) {
      const geom::RayHit hit = geom::rayElement(surfaceElement(m_, d_, f, item), ray_);
      if (hit.isHit() && bodyCounts(bodyOfSurfaceElement(m_, f, item))) offer({hit, -1, f, item});
    });
  }

  /// Keeps the nearest; of equals the geom before the flex, then the smaller number.
  void offer(const SurfaceHit& found) {
    const auto rank = [&](const SurfaceHit& s) {
      return std::tuple(s.hit.distance, s.geom >= 0 ? s.geom : m_.ngeom + s.flex, s.element);
    };
    if (!found.hit.isHit() || found.hit.distance > options_.cutoff) return;
    if (!nearest_.hit.isHit() || rank(found) < rank(nearest_)) nearest_ = found;
  }

  const Model& m_;
  Data& d_;
  const geom::Ray& ray_;
  const RayOptions& options_;
  SurfaceHit nearest_;
};

}  // namespace

SurfaceHit castRay(const Model& m, Data& d, const geom::Ray& ray, const RayOptions& options) {
  return Caster(m, d, ray, options).cast();
}

SurfaceHit castRayAt(const Model& m, Data& d, const geom::Ray& ray, int collider) {
  return Caster(m, d, ray, RayOptions()).castAt(collider);
}

}  // namespace sinew
