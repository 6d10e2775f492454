#include "geom/hull_polygons.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <optional>
#include <utility>

#include "math/types.h"

namespace sinew::geom {
namespace {

constexpr double kBin = 0.01;  // rad

using Bin = std::pair<int, int>;

/// Azimuth and polar angle of the triangle's normal in multiples of kBin; nothing for a triangle without area.
std::optional<Bin> normalBin(const Vec3& a, const Vec3& b, const Vec3& c) {
  Vec3 n = (b - a).cross(c - a);
  const double length = n.norm();
  if (length < kMinVal) return std::nullopt;
  n /= length;
  const auto rounded = [](double angle) { return static_cast<int>(std::lround(angle / kBin)); };
  // near the poles the azimuth means nothing
  if (std::abs(n.z()) > 1 - 1e-7) return Bin(0, n.z() < 0 ? rounded(std::numbers::pi) : 0);
  // adding 0 turns -0 into 0, which atan2 would tell apart
  return Bin(rounded(std::atan2(n.y() + 0.0, n.x() + 0.0)), rounded(std::acos(n.z())));
}

/// The order in which the reference engine lists the polygons of a mesh. It is free, and decides which of several faces
/// or edges that fit is the one that touches. There it is the order of a hash table of the bins, which depends on the
/// build; this is the order of the published WebAssembly package (32 bits, LLVM's library). Buckets share one list: an
/// item goes to the front of its bucket, and an empty bucket to the front of the list.
class ReferenceOrder {
 public:
  /// Bins differ from each other.
  void add(const Bin& bin) {
    const int item = static_cast<int>(hash_.size());
    if (hash_.size() + 1 > before_.size()) grow();
    hash_.push_back(hashOf(bin.first) ^ hashOf(bin.second));
    next_.push_back(kEnd);
    int& bucket = before_[bucketOf(item)];
    if (bucket != kNone) {
      next(item) = next(bucket);
      next(bucket) = item;
      return;
    }
    next(item) = next(kHead);
    next(kHead) = item;
    bucket = kHead;
    if (next(item) != kEnd) before_[bucketOf(next(item))] = item;
  }

  /// Numbers of the bins in the order in which they were added.
  std::vector<std::size_t> order() const {
    std::vector<std::size_t> items;
    for (int i = next_[0]; i != kEnd; i = next_[i + 1]) {
      items.push_back(static_cast<std::size_t>(i));
    }
    return items;
  }

 private:
  static constexpr int kHead = -1, kEnd = -2, kNone = -3;

  int& next(int item) { return next_[item + 1]; }
  std::size_t bucketOf(int item) const { return hash_[item] % before_.size(); }

  /// MurmurHash2 of the angle as a double; 0 for 0.
  static std::uint32_t hashOf(int angle) {
    if (angle == 0) return 0;
    constexpr std::uint32_t kMultiplier = 0x5bd1e995;
    const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(angle));
    std::uint32_t h = sizeof bits;
    for (const int shift : {0, 32}) {
      std::uint32_t k = static_cast<std::uint32_t>(bits >> shift) * kMultiplier;
      k = (k ^ k >> 24) * kMultiplier;
      h = h * kMultiplier ^ k;
    }
    h = (h ^ h >> 13) * kMultiplier;
    return h ^ h >> 15;
  }

  /// Twice as many buckets, up to the next prime. Items stay in their order, but each follows the first of its bucket.
  void grow() {
    const auto isPrime = [](std::size_t n) {
      for (std::size_t d = 2; d * d <= n; ++d) {
        if (n % d == 0) return false;
      }
      return true;
    };
    std::size_t size = before_.empty() ? 2 : 2 * before_.size() + 1;
    while (!isPrime(size)) ++size;
    before_.assign(size, kNone);
    int last = kHead;  // the item before the one that is looked at
    while (next(last) != kEnd) {
      const int item = next(last);
      int& bucket = before_[bucketOf(item)];
      if (bucket == kNone) {
        bucket = last;
        last = item;
      } else if (last != kHead && bucketOf(last) == bucketOf(item)) {
        last = item;
      } else {
        next(last) = next(item);
        next(item) = next(bucket);
        next(bucket) = item;
      }
    }
  }

  std::vector<std::uint32_t> hash_;
  std::vector<int> next_ = {kEnd};  ///< of the head, then of each item
  std::vector<int> before_;         ///< for each bucket, the item before its first
};

/// The outline of a growing set of triangles. An edge shared by two of them cancels; what is left are closed paths, one
/// or more for each connected part.
class Outline {
 public:
  void add(int a, int b, int c) {
    const std::pair<int, int> edges[3] = {{a, b}, {b, c}, {c, a}};
    int part = -1;
    bool isNew[3];
    for (int k = 0; k < 3; ++k) {
      const auto twin = live_.find({edges[k].second, edges[k].first});
      isNew[k] = twin == live_.end();
      if (isNew[k]) continue;
      const int other = root(edges_[twin->second].part);
      part = part < 0 ? other : join(part, other);
      edges_[twin->second].isLive = false;
      live_.erase(twin);
    }
    if (part < 0) {
      part = static_cast<int>(parent_.size());
      parent_.push_back(part);
    }
    for (int k = 0; k < 3; ++k) {
      if (!isNew[k]) continue;
      live_.emplace(edges[k], edges_.size());
      edges_.push_back({edges[k].first, edges[k].second, part, true});
    }
  }

  /// One path for each part, starting with its oldest edge. A part that does not close has no path.
  std::vector<std::vector<int>> paths() {
    std::map<int, std::vector<Edge>> parts;
    std::vector<int> starts;
    for (const Edge& e : edges_) {
      if (!e.isLive) continue;
      parts[root(e.part)].push_back(e);
      starts.push_back(e.from);
    }
    // Three edges are listed by age, as the reference engine does: if triangles were merged before, this may run the
    // other way round and turn the normal inward.
    if (starts.size() == 3) return {starts};
    std::vector<std::vector<int>> out;
    for (const auto& [part, edges] : parts) {
      std::map<int, int> next;
      for (const Edge& e : edges) next.emplace(e.from, e.to);
      std::vector<int> path = {edges[0].from};
      int at = edges[0].to;
      while (at != path[0] && path.size() <= edges.size() && next.count(at) > 0) {
        path.push_back(at);
        at = next[at];
      }
      if (at == path[0] && path.size() >= 3) out.push_back(std::move(path));
    }
    return out;
  }

 private:
  struct Edge {
    int from, to, part;
    bool isLive;
  };

  int root(int part) {
    const auto parent = [this](int i) -> int& { return parent_[i]; };
    while (parent(part) != part) part = parent(part) = parent(parent(part));
    return part;
  }

  /// The older part keeps its number.
  int join(int a, int b) {
    const int rootA = root(a), rootB = root(b);
    const int keep = std::min(rootA, rootB), lose = std::max(rootA, rootB);
    parent_[lose] = keep;
    return keep;
  }

  std::vector<Edge> edges_;
  std::map<std::pair<int, int>, std::size_t> live_;  // directed edge -> its place in edges_
  std::vector<int> parent_;                          // union-find over parts
};

}  // namespace

HullPolygons hullPolygons(const HullGraph& graph, std::span<const double> points) {
  std::map<Bin, std::size_t> bins;
  std::vector<Outline> outlines;
  ReferenceOrder order;
  for (std::size_t i = 0; i < graph.faceGlobalId.size(); i += 3) {
    const int a = graph.faceGlobalId[i], b = graph.faceGlobalId[i + 1], c = graph.faceGlobalId[i + 2];
    const auto bin = normalBin(vec3(points.data(), a), vec3(points.data(), b), vec3(points.data(), c));
    if (!bin) continue;
    const auto [it, isNew] = bins.emplace(*bin, outlines.size());
    if (isNew) {
      outlines.emplace_back();
      order.add(*bin);
    }
    outlines[it->second].add(a, b, c);
  }

  HullPolygons out;
  const std::size_t numPoints = points.size() / 3;
  std::vector<std::vector<int>> around(numPoints);
  for (const std::size_t outline : order.order()) {
    for (const std::vector<int>& path : outlines[outline].paths()) {
      for (const int v : path) around[v].push_back(out.numPolygons());
      out.vertexAdr.push_back(static_cast<int>(out.vertex.size()));
      out.vertexNum.push_back(static_cast<int>(path.size()));
      out.vertex.insert(out.vertex.end(), path.begin(), path.end());
    }
  }
  for (const std::vector<int>& polygons : around) {
    out.mapAdr.push_back(static_cast<int>(out.map.size()));
    out.mapNum.push_back(static_cast<int>(polygons.size()));
    out.map.insert(out.map.end(), polygons.begin(), polygons.end());
  }
  return out;
}

void setPolygonNormals(HullPolygons& polygons, std::span<const double> points) {
  polygons.normal.clear();
  for (const int adr : polygons.vertexAdr) {
    const int* corner = polygons.vertex.data() + adr;
    const Vec3 a = vec3(points.data(), corner[0]);
    const Vec3 n = (vec3(points.data(), corner[1]) - a).cross(vec3(points.data(), corner[2]) - a);
    const double length = n.norm();
    const Vec3 unit = length < 1e-14 ? Vec3(1, 0, 0) : Vec3(n / length);
    polygons.normal.insert(polygons.normal.end(), unit.data(), unit.data() + 3);
  }
}

}  // namespace sinew::geom
