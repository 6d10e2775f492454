#include "sinew/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/parallel.h"
#include "model/workspace.h"
#include "query/cast_ray.h"
#include "query/nearest.h"
#include "query/query_trees.h"

namespace sinew {
namespace {

void checkPlaced(const Model& m, const Data& d, const char* what) {
  if (d.signature != m.signature) {
    throw std::invalid_argument(fmt::format("{}: the Data was made for another Model", what));
  }
  if (d.work->queryTrees.placed == 0) {
    throw std::logic_error(fmt::format("{}: nothing is placed yet, call forward() or step() first", what));
  }
}

void checkFinite(const std::array<double, 3>& v, const char* what, std::size_t index) {
  if (std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); })) return;
  throw std::invalid_argument(
      fmt::format("ray {}: the {} must be finite, found {} {} {}", index, what, v[0], v[1], v[2]));
}

void checkOptions(const Model& m, const RayOptions& options) {
  if (options.excludeBody < -1 || options.excludeBody >= m.nbody) {
    throw std::invalid_argument(
        fmt::format("ray: excludeBody must be -1 or a body below {}, found {}", m.nbody, options.excludeBody));
  }
  if (!(options.cutoff >= 0)) {
    throw std::invalid_argument(fmt::format("ray: the cutoff must not be negative, found {}", options.cutoff));
  }
}

Vec3 vectorOf(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }
std::array<double, 3> arrayOf(const Vec3& v) { return {v[0], v[1], v[2]}; }

RayHit hitOf(const geom::Ray& ray, const SurfaceHit& found) {
  if (!found.hit.isHit()) return {};
  return {found.hit.distance,
          arrayOf(ray.origin + found.hit.distance * ray.direction),
          arrayOf(found.hit.normal),
          found.geom,
          found.flex,
          found.element};
}

void checkCollider(const Model& m, const Collider& c, const char* what) {
  if (c.type != ObjType::Geom && c.type != ObjType::Flex) {
    throw std::invalid_argument(fmt::format("{}: a collider is a geom or a flex", what));
  }
  const int count = c.type == ObjType::Geom ? m.ngeom : m.nflex;
  if (c.id < 0 || c.id >= count) {
    throw std::invalid_argument(fmt::format("{}: {} {} does not exist, the model has {}", what,
                                            c.type == ObjType::Geom ? "geom" : "flex", c.id, count));
  }
}

}  // namespace

RayHit ray(const Model& m, Data& d, const std::array<double, 3>& origin, const std::array<double, 3>& direction,
           const RayOptions& options) {
  checkPlaced(m, d, "ray");
  checkOptions(m, options);
  checkFinite(origin, "origin", 0);
  checkFinite(direction, "direction", 0);
  const geom::Ray line{vectorOf(origin), vectorOf(direction)};
  const RayHit hit = hitOf(line, castRay(m, d, line, options));
  d.work->arena.settle();
  return hit;
}

void rays(const Model& m, Data& d, std::span<const std::array<double, 3>> origins,
          std::span<const std::array<double, 3>> directions, std::span<RayHit> hits, const RayOptions& options) {
  checkPlaced(m, d, "rays");
  checkOptions(m, options);
  if (hits.size() != directions.size() || (origins.size() != 1 && origins.size() != directions.size())) {
    throw std::invalid_argument(
        fmt::format("rays: {} origins, {} directions and {} hits do not fit: one origin, or as "
                    "many of each",
                    origins.size(), directions.size(), hits.size()));
  }
  for (std::size_t i = 0; i < origins.size(); ++i) checkFinite(origins[i], "origin", i);
  for (std::size_t i = 0; i < directions.size(); ++i) checkFinite(directions[i], "direction", i);

  // all trees first: from then on threads only read
  colliderTree(m, d);
  for (int f = 0; options.flexes && f < m.nflex; ++f) surfaceTree(m, d, f);
  constexpr std::size_t kChunk = 64;  // rays that are not worth sharing
  const auto chunks = static_cast<int>((directions.size() + kChunk - 1) / kChunk);
  parallelFor(d.threads, chunks, [&](int chunk, int) {
    const std::size_t begin = static_cast<std::size_t>(chunk) * kChunk;
    for (std::size_t i = begin; i < std::min(begin + kChunk, directions.size()); ++i) {
      const geom::Ray line{vectorOf(origins[origins.size() == 1 ? 0 : i]), vectorOf(directions[i])};
      hits[i] = hitOf(line, castRay(m, d, line, options));
    }
  });
  d.work->arena.settle();
}

RayHit rayAt(const Model& m, Data& d, const Collider& thing, const std::array<double, 3>& origin,
             const std::array<double, 3>& direction) {
  checkPlaced(m, d, "rayAt");
  checkCollider(m, thing, "rayAt");
  checkFinite(origin, "origin", 0);
  checkFinite(direction, "direction", 0);
  const geom::Ray line{vectorOf(origin), vectorOf(direction)};
  const RayHit hit = hitOf(line, castRayAt(m, d, line, thing.type == ObjType::Geom ? thing.id : m.ngeom + thing.id));
  d.work->arena.settle();
  return hit;
}

Distance distance(const Model& m, Data& d, const Collider& first, const Collider& second, double cutoff) {
  checkPlaced(m, d, "distance");
  checkCollider(m, first, "distance");
  checkCollider(m, second, "distance");
  if (first.type == second.type && first.id == second.id) {
    throw std::invalid_argument("distance: a collider has no distance from itself");
  }
  if (!(cutoff >= 0)) {
    throw std::invalid_argument(fmt::format("distance: the cutoff must not be negative, found {}", cutoff));
  }
  const NearestPoints nearest = nearestPoints(m, d, first, second, std::min(cutoff, kMaxVal));
  d.work->arena.settle();
  if (!nearest.found) return {.distance = cutoff};
  return {nearest.distance, true, arrayOf(nearest.from), arrayOf(nearest.to), nearest.element1, nearest.element2};
}

}  // namespace sinew
