#include "geom/support.h"

#include <limits>

#include "math/ordered_math.h"

namespace sinew::geom {
namespace {

/// Meshes with fewer vertices are searched exhaustively, as in the reference engine: which of two equally far vertices
/// is found decides where contacts of aligned faces lie.
constexpr std::size_t kClimbFrom = 10;

/// Components of a direction beyond this count as 1 in the choice of the seed.
constexpr double kSeedThreshold = 0.4;

/// A hull graph in the layout of HullGraph::packed().
struct GraphView {
  explicit GraphView(std::span<const int> graph)
      : count(graph[0]), edgeAdr(graph.data() + 2), globalId(edgeAdr + count), edges(globalId + count) {}
  int count;
  const int *edgeAdr, *globalId, *edges;
};

double along(const Vec3& direction, const float* vertex) {
  return direction[0] * static_cast<double>(vertex[0]) + direction[1] * static_cast<double>(vertex[1]) +
         direction[2] * static_cast<double>(vertex[2]);
}

int seedIndex(const Vec3& direction) {
  const auto step = [](double x) { return x > kSeedThreshold ? 2 : x < -kSeedThreshold ? 0 : 1; };
  return 9 * step(direction[0]) + 3 * step(direction[1]) + step(direction[2]);
}

/// The entry of hullSeeds() for one direction. Single precision, as in the reference engine: it decides among equals.
int hullSeed(const HullView& hull, int index) {
  const int across = index / 9 - 1, along = index / 3 % 3 - 1, up = index % 3 - 1;
  const auto x = static_cast<float>(across), y = static_cast<float>(along), z = static_cast<float>(up);
  const GraphView graph(hull.graph);
  float farthest = std::numeric_limits<float>::lowest();
  int seed = 0;
  for (int i = 0; i < graph.count; ++i) {
    const float* v = hull.vertex.data() + 3 * static_cast<std::size_t>(graph.globalId[i]);
    const float reach = v[0] * x + v[1] * y + v[2] * z;
    if (reach > farthest) {
      farthest = reach;
      seed = i;
    }
  }
  return seed;
}

const HullView kNoHull;

}  // namespace

std::array<int, kNumHullSeeds> hullSeeds(const HullView& hull) {
  std::array<int, kNumHullSeeds> seeds{};
  if (hull.graph.empty()) return seeds;
  for (int i = 0; i < kNumHullSeeds; ++i) seeds[i] = hullSeed(hull, i);
  return seeds;
}

ConvexBody::ConvexBody(const Shape& shape, double inflation)
    : kind_(Kind::None),
      pos_(shape.pos),
      size_(shape.size),
      rot_(shape.rot),
      inflation_(inflation),
      hull_(shape.type == GeomType::Mesh ? &shape.hull : &kNoHull) {
  switch (shape.type) {
    case GeomType::Sphere:
      kind_ = Kind::Sphere;
      break;
    case GeomType::Capsule:
      kind_ = Kind::Capsule;
      break;
    case GeomType::Ellipsoid:
      kind_ = Kind::Ellipsoid;
      break;
    case GeomType::Cylinder:
      kind_ = Kind::Cylinder;
      break;
    case GeomType::Box:
      kind_ = Kind::Box;
      break;
    case GeomType::Mesh:
      kind_ = hull_->graph.empty() || hull_->vertex.size() < 3 * kClimbFrom ? Kind::MeshScan : Kind::MeshClimb;
      break;
    case GeomType::HField:
      kind_ = Kind::Prism;
      numCorners_ = 6;
      corner_.fill(Vec3::Zero());
      break;
    default:
      break;  // planes are no bodies: such a shape is left as a point
  }
}

ConvexBody::ConvexBody(const Element& element, double inflation)
    : kind_(Kind::Simplex),
      size_(element.radius, 0, 0),
      rot_(Mat3::Identity()),
      inflation_(inflation),
      hull_(&kNoHull),
      numCorners_(static_cast<std::size_t>(element.count)) {
  Vec3 low = element.corner[0], high = low;
  for (std::size_t i = 0; i < numCorners_; ++i) {
    corner_[i] = element.corner[i];
    low = low.cwiseMin(corner_[i]);
    high = high.cwiseMax(corner_[i]);
  }
  pos_ = 0.5 * (low + high);
}

void ConvexBody::startInside() {
  if (kind_ != Kind::Simplex) return;
  pos_.setZero();
  for (std::size_t i = 0; i < numCorners_; ++i) pos_ += corner_[i];
  pos_ /= static_cast<double>(numCorners_);
}

Vec3 ConvexBody::center() const {
  if (kind_ != Kind::Prism) return pos_;
  Vec3 sum = Vec3::Zero();
  for (const Vec3& corner : corner_) sum += corner;
  return sum * (1.0 / 6.0);
}

bool ConvexBody::isPolytope() const {
  if (kind_ == Kind::Simplex) return reduced_;
  return inflation_ == 0 && (isMesh() || isBox() || kind_ == Kind::Prism);
}

void ConvexBody::setPose(const Vec3& pos, const Mat3& rot) {
  pos_ = pos;
  rot_ = rot;
}

Vec3 ConvexBody::support(const Vec3& direction) {
  if (reduced_) return corePoint(direction);
  const Vec3 point = surfacePoint(direction);
  return inflation_ > 0 ? Vec3(point + direction * inflation_) : point;
}

Vec3 ConvexBody::corePoint(const Vec3& direction) const {
  if (kind_ == Kind::Sphere) return pos_;
  if (kind_ == Kind::Simplex) return corner_[farthestCorner(0, numCorners_, direction)];
  const Vec3 axis = rot_.col(2);
  return axis * (dot(axis, direction) >= 0 ? size_[1] : -size_[1]) + pos_;
}

std::size_t ConvexBody::farthestCorner(std::size_t first, std::size_t end, const Vec3& direction) const {
  std::size_t best = first;
  for (std::size_t i = first + 1; i < end; ++i) {
    if (dot(corner_[i], direction) > dot(corner_[best], direction)) best = i;
  }
  return best;
}

Vec3 ConvexBody::surfacePoint(const Vec3& direction) {
  switch (kind_) {
    case Kind::None:
      return pos_;
    case Kind::Sphere:
      return direction * size_[0] + pos_;
    case Kind::Prism: {
      const std::size_t first = direction[2] < 0 ? 0 : 3;
      const std::size_t best = farthestCorner(first, first + 3, direction);
      lastVertex_ = static_cast<int>(best);
      return corner_[best];
    }
    case Kind::Simplex:
      return direction * size_[0] + corner_[farthestCorner(0, numCorners_, direction)];
    default:
      break;
  }

  const Vec3 local = applyTransposed(rot_, direction);
  Vec3 point;
  switch (kind_) {
    case Kind::Capsule:
      point = local * size_[0];
      point[2] += local[2] >= 0 ? size_[1] : -size_[1];
      break;
    case Kind::Ellipsoid: {
      // the ellipsoid is the image S of the unit ball, whose support point is S d / |S d|
      const Vec3 scaled = local.cwiseProduct(size_);
      const double square = dot(scaled, scaled);
      if (square < kMinVal * kMinVal) {
        point = Vec3(size_[0], 0, 0);
        break;
      }
      const double scale = 1 / std::sqrt(square);
      for (int i = 0; i < 3; ++i) point[i] = scaled[i] * (scale * size_[i]);
      break;
    }
    case Kind::Cylinder: {
      const double square = local[0] * local[0] + local[1] * local[1];
      const double scale = square >= kMinVal * kMinVal ? size_[0] / std::sqrt(square) : 0;
      point = Vec3(scale * local[0], scale * local[1], local[2] >= 0 ? size_[1] : -size_[1]);
      break;
    }
    case Kind::Box:
      lastVertex_ = 0;
      for (int i = 0; i < 3; ++i) {
        point[i] = local[i] >= 0 ? size_[i] : -size_[i];
        if (point[i] > 0) lastVertex_ |= 1 << i;
      }
      break;
    case Kind::MeshScan:
      point = meshScan(local);
      break;
    default:
      point = meshClimb(local);
      break;
  }
  return apply(rot_, point) + pos_;
}

Vec3 ConvexBody::meshVertex(int vertex) const {
  const float* v = hull_->vertex.data() + 3 * static_cast<std::size_t>(vertex);
  return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
}

Vec3 ConvexBody::meshScan(const Vec3& local) {
  const float* vertex = hull_->vertex.data();
  int best = lastVertex_ < 0 ? 0 : lastVertex_;
  double farthest = along(local, vertex + 3 * static_cast<std::size_t>(best));
  const int count = static_cast<int>(hull_->vertex.size() / 3);
  for (int i = 0; i < count; ++i) {
    const double reach = along(local, vertex + 3 * static_cast<std::size_t>(i));
    if (reach > farthest) {
      farthest = reach;
      best = i;
    }
  }
  lastVertex_ = best;
  return meshVertex(best);
}

Vec3 ConvexBody::meshClimb(const Vec3& local) {
  const GraphView graph(hull_->graph);
  const auto reachOf = [&](int hullVertex) {
    return along(local, hull_->vertex.data() + 3 * static_cast<std::size_t>(graph.globalId[hullVertex]));
  };

  // start at the better of the last vertex and the seed for this direction; the seed keeps the climb short when the
  // direction has jumped
  const int index = seedIndex(local);
  const int seed = hull_->seeds.empty() ? hullSeed(*hull_, index) : hull_->seeds[index];
  int best = seed;
  double farthest = reachOf(seed);
  if (lastHullVertex_ >= 0) {
    const double reach = reachOf(lastHullVertex_);
    if (!(farthest > reach)) {
      best = lastHullVertex_;
      farthest = reach;
    }
  }

  // on a convex polytope a vertex without a better neighbour is the best of all
  for (int from = -1; from != best;) {
    from = best;
    for (const int* neighbour = graph.edges + graph.edgeAdr[from]; *neighbour >= 0; ++neighbour) {
      const double reach = reachOf(*neighbour);
      if (reach > farthest) {
        farthest = reach;
        best = *neighbour;
      }
    }
  }
  lastHullVertex_ = best;
  lastVertex_ = graph.globalId[best];
  return meshVertex(lastVertex_);
}

}  // namespace sinew::geom
