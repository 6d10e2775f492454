#include "geom/fill_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "geom/mesh_error.h"

namespace sinew::geom {
namespace {

/// A lattice point nearer to a cut than this share of the edge moves onto it: edges between two corners or two centres,
/// and edges between a corner and a centre. The values keep all dihedral angles between 10.7 and 164.8 degrees.
constexpr double kNearLong = 0.24999;
constexpr double kNearShort = 0.41189;
/// How exactly cuts are found, in cells and in barycentric coordinates.
constexpr double kTolerance = 1e-5;
/// Rays are shifted by this, so that they do not run along the sides of the box, in cells.
constexpr double kShiftY = 1.37e-6, kShiftZ = 0.89e-6;

/// More points than this are a typing error.
constexpr int kMaxPoints = 10'000'000;

using Index3 = std::array<int, 3>;

/// Every edge must belong to an even number of triangles.
void requireClosed(std::span<const Vec3> vertices, std::span<const int> faces) {
  std::map<std::pair<int, int>, int> uses;
  for (std::size_t i = 0; i < faces.size(); i += 3) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = faces[i + k], b = faces[i + (k + 1) % 3];
      if (a != b) ++uses[std::minmax(a, b)];
    }
  }
  for (const auto& [edge, count] : uses) {
    if (count % 2 == 0) continue;
    const Vec3 &a = vertices[edge.first], &b = vertices[edge.second];
    throw MeshError(
        fmt::format("the surface is not closed: the edge between vertices {} and {}, from ({:.6g} {:.6g} {:.6g}) to "
                    "({:.6g} {:.6g} {:.6g}), belongs to {} triangle{}",
                    edge.first, edge.second, a[0], a[1], a[2], b[0], b[1], b[2], count, count == 1 ? "" : "s"));
  }
}

/// The surface in coordinates in which a cell is a unit cube and the bounding box begins at the origin.
struct Surface {
  std::vector<Vec3> vertex;
  std::vector<int> face;
  Vec3 corner(std::size_t triangle, std::size_t k) const { return vertex[face[3 * triangle + k]]; }
  std::size_t numFaces() const { return face.size() / 3; }
};

/// Points of the lattice in doubled coordinates: even ones are corners of cells, odd ones centres. Centres reach half a
/// cell beyond the box.
class Lattice {
 public:
  explicit Lattice(const Index3& cells) : n_(cells) {}
  const Index3& cells() const { return n_; }
  int size() const { return corners() + (n_[0] + 2) * (n_[1] + 2) * (n_[2] + 2); }
  bool contains(const Index3& p) const {
    const bool centre = p[0] & 1;
    int outside = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      if (((p[k] & 1) != 0) != centre) return false;
      if (p[k] < 0 || p[k] > 2 * n_[k]) ++outside;
      if (p[k] < -1 || p[k] > 2 * n_[k] + 1) return false;
    }
    return outside == 0 || (centre && outside == 1);
  }
  int index(const Index3& p) const {
    if ((p[0] & 1) == 0) return ((p[0] / 2) * (n_[1] + 1) + p[1] / 2) * (n_[2] + 1) + p[2] / 2;
    return corners() + (((p[0] + 1) / 2) * (n_[1] + 2) + (p[1] + 1) / 2) * (n_[2] + 2) + (p[2] + 1) / 2;
  }
  Index3 point(int index) const {
    if (index < corners()) {
      const int k = index % (n_[2] + 1), j = index / (n_[2] + 1) % (n_[1] + 1);
      return {2 * (index / (n_[2] + 1) / (n_[1] + 1)), 2 * j, 2 * k};
    }
    index -= corners();
    const int k = index % (n_[2] + 2), j = index / (n_[2] + 2) % (n_[1] + 2);
    return {2 * (index / (n_[2] + 2) / (n_[1] + 2)) - 1, 2 * j - 1, 2 * k - 1};
  }

 private:
  int corners() const { return (n_[0] + 1) * (n_[1] + 1) * (n_[2] + 1); }
  Index3 n_;
};

Vec3 position(const Index3& p) { return {0.5 * p[0], 0.5 * p[1], 0.5 * p[2]}; }

/// Neighbours of a lattice point: 6 along long edges, then 8 along short ones.
constexpr std::array<Index3, 14> kNeighbours{{{2, 0, 0},
                                              {-2, 0, 0},
                                              {0, 2, 0},
                                              {0, -2, 0},
                                              {0, 0, 2},
                                              {0, 0, -2},
                                              {1, 1, 1},
                                              {1, 1, -1},
                                              {1, -1, 1},
                                              {1, -1, -1},
                                              {-1, 1, 1},
                                              {-1, 1, -1},
                                              {-1, -1, 1},
                                              {-1, -1, -1}}};
constexpr std::size_t kLongNeighbours = 6;

/// Which lattice points are inside: rays along x through all of them, an odd number of crossings before the point. On
/// an edge of the projected surface the two triangles must not both count, nor none: each edge is evaluated in one
/// direction only, so both see the same sign.
class InsideTest {
 public:
  InsideTest(const Surface& surface, const Lattice& lattice) : cells_(lattice.cells()) {
    // rays at multiples of half a cell; doubled coordinates -1 .. 2 n + 1
    width_ = 2 * cells_[2] + 3;
    crossings_.resize(static_cast<std::size_t>((2 * cells_[1] + 3) * width_));
    for (std::size_t t = 0; t < surface.numFaces(); ++t) addTriangle(surface, t);
    for (std::vector<double>& line : crossings_) std::sort(line.begin(), line.end());
  }

  bool operator()(const Index3& p) const {
    const std::vector<double>& line = crossings_[ray(p[1], p[2])];
    return (std::lower_bound(line.begin(), line.end(), 0.5 * p[0]) - line.begin()) % 2 != 0;
  }

 private:
  std::size_t ray(int j, int k) const { return static_cast<std::size_t>((j + 1) * width_ + k + 1); }

  void addTriangle(const Surface& surface, std::size_t t) {
    std::array<Vec3, 3> x;
    for (std::size_t k = 0; k < 3; ++k) x[k] = surface.corner(t, k);
    const Vec3 low = x[0].cwiseMin(x[1]).cwiseMin(x[2]), high = x[0].cwiseMax(x[1]).cwiseMax(x[2]);
    const auto first = [](double value, double shift) { return static_cast<int>(std::ceil(2 * (value - shift))); };
    const auto last = [](double value, double shift) { return static_cast<int>(std::floor(2 * (value - shift))); };
    for (int j = std::max(-1, first(low[1], kShiftY)); j <= std::min(2 * cells_[1] + 1, last(high[1], kShiftY)); ++j) {
      for (int k = std::max(-1, first(low[2], kShiftZ)); k <= std::min(2 * cells_[2] + 1, last(high[2], kShiftZ));
           ++k) {
        const double y = 0.5 * j + kShiftY, z = 0.5 * k + kShiftZ;
        std::array<double, 3> side;
        for (std::size_t e = 0; e < 3; ++e) {
          const std::size_t a = (e + 1) % 3, b = (e + 2) % 3;
          const bool turned = surface.face[3 * t + a] > surface.face[3 * t + b];
          const Vec3 &p = x[turned ? b : a], &q = x[turned ? a : b];
          const double area = (q[1] - p[1]) * (z - p[2]) - (q[2] - p[2]) * (y - p[1]);
          side[e] = (area > 0) == !turned ? std::abs(area) : -std::abs(area);
          if (area == 0) side[e] = turned ? 1e-300 : -1e-300;
        }
        const bool positive = side[0] > 0 && side[1] > 0 && side[2] > 0;
        const bool negative = side[0] < 0 && side[1] < 0 && side[2] < 0;
        if (!positive && !negative) continue;
        const double sum = side[0] + side[1] + side[2];
        crossings_[ray(j, k)].push_back((side[0] * x[0][0] + side[1] * x[1][0] + side[2] * x[2][0]) / sum);
      }
    }
  }

  Index3 cells_;
  int width_ = 0;
  std::vector<std::vector<double>> crossings_;
};

/// Triangles by the cells that their boxes touch.
class Bins {
 public:
  Bins(const Surface& surface, const Index3& cells) : surface_(surface) {
    for (std::size_t k = 0; k < 3; ++k) n_[k] = cells[k] + 2;
    lists_.resize(static_cast<std::size_t>(n_[0] * n_[1] * n_[2]));
    for (std::size_t t = 0; t < surface.numFaces(); ++t) {
      const Vec3 a = surface.corner(t, 0), b = surface.corner(t, 1), c = surface.corner(t, 2);
      forEach(a.cwiseMin(b).cwiseMin(c), a.cwiseMax(b).cwiseMax(c),
              [&](std::vector<int>& list) { list.push_back(static_cast<int>(t)); });
    }
  }

  /// Where the segment from p to q first meets the surface, as a share of its length; 0.5 if it does not (which is
  /// rounding at most: one end is inside, the other outside).
  double firstCut(const Vec3& p, const Vec3& q) {
    double first = 2;
    forEach(p.cwiseMin(q), p.cwiseMax(q), [&](const std::vector<int>& list) {
      for (const int t : list) first = std::min(first, cut(static_cast<std::size_t>(t), p, q));
    });
    return first > 1 ? 0.5 : std::max(first, 0.0);
  }

 private:
  template <class Visitor>
  void forEach(const Vec3& low, const Vec3& high, Visitor&& visit) {
    Index3 from, to;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto cell = [&](double x) { return std::clamp(static_cast<int>(std::floor(x)) + 1, 0, n_[k] - 1); };
      from[k] = cell(low[static_cast<Eigen::Index>(k)] - kTolerance);
      to[k] = cell(high[static_cast<Eigen::Index>(k)] + kTolerance);
    }
    for (int i = from[0]; i <= to[0]; ++i) {
      for (int j = from[1]; j <= to[1]; ++j) {
        for (int k = from[2]; k <= to[2]; ++k) visit(lists_[(i * n_[1] + j) * n_[2] + k]);
      }
    }
  }

  /// Share of p -> q where it meets the triangle, within tolerance; beyond 1: it does not.
  double cut(std::size_t t, const Vec3& p, const Vec3& q) const {
    constexpr double kNever = 2;
    const Vec3 a = surface_.corner(t, 0);
    const Vec3 ab = surface_.corner(t, 1) - a, ac = surface_.corner(t, 2) - a, n = ab.cross(ac);
    const double square = n.squaredNorm(), slope = n.dot(q - p);
    if (!(square > 0) || std::abs(slope) < 1e-12 * std::sqrt(square)) return kNever;
    const double s = n.dot(a - p) / slope;
    if (s < -kTolerance || s > 1 + kTolerance) return kNever;
    const Vec3 x = p + s * (q - p) - a;
    const double v = n.dot(x.cross(ac)) / square, w = n.dot(ab.cross(x)) / square;
    if (v < -kTolerance || w < -kTolerance || v + w > 1 + kTolerance) return kNever;
    return std::min(s, 1.0);
  }

  const Surface& surface_;
  Index3 n_;
  std::vector<std::vector<int>> lists_;
};

enum class Side : signed char { Outside = -1, On = 0, Inside = 1 };

class Filler {
 public:
  Filler(const Surface& surface, const Index3& cells) : lattice_(cells), bins_(surface, cells) {
    const InsideTest isInside(surface, lattice_);
    const std::size_t n = static_cast<std::size_t>(lattice_.size());
    side_.assign(n, Side::Outside);
    place_.resize(n);
    output_.assign(n, -1);
    for (int i = 0; i < lattice_.size(); ++i) {
      const Index3 p = lattice_.point(i);
      place_[i] = position(p);
      if (lattice_.contains(p) && isInside(p)) side_[i] = Side::Inside;
    }
    findCuts();
    moveOntoCuts();
  }

  /// Four tetrahedra around every long edge between two centres, one for each edge of the face between them.
  TetMesh fill() {
    const Index3& n = lattice_.cells();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
      Index3 face;
      for (face[axis] = 0; face[axis] <= n[axis]; ++face[axis]) {
        for (face[b] = 0; face[b] < n[b]; ++face[b]) {
          for (face[c] = 0; face[c] < n[c]; ++face[c]) addFace(axis, b, c, face);
        }
      }
    }
    return std::move(mesh_);
  }

 private:
  struct Cut {
    double share;  ///< from the inside end
    Vec3 x;
    int output = -1;
  };

  static std::uint64_t key(int inside, int outside) {
    return (static_cast<std::uint64_t>(inside) << 32) | static_cast<std::uint32_t>(outside);
  }
  Side side(int v) const { return side_[v]; }
  const Vec3& place(int v) const { return place_[v]; }

  template <class Visitor>
  void forEachNeighbour(int v, Visitor&& visit) const {
    const Index3 p = lattice_.point(v);
    if (!lattice_.contains(p)) return;
    for (std::size_t k = 0; k < kNeighbours.size(); ++k) {
      const Index3 q{p[0] + kNeighbours[k][0], p[1] + kNeighbours[k][1], p[2] + kNeighbours[k][2]};
      if (lattice_.contains(q)) visit(lattice_.index(q), k < kLongNeighbours);
    }
  }

  void findCuts() {
    for (int v = 0; v < lattice_.size(); ++v) {
      if (side(v) != Side::Inside) continue;
      forEachNeighbour(v, [&](int w, bool) {
        if (side(w) != Side::Outside) return;
        const double share = bins_.firstCut(place(v), place(w));
        cuts_.emplace(key(v, w), Cut{share, place(v) + share * (place(w) - place(v))});
      });
    }
  }

  void moveOntoCuts() {
    for (int v = 0; v < lattice_.size(); ++v) {
      const bool inside = side(v) == Side::Inside;
      double nearest = 1;
      Vec3 target = Vec3::Zero();
      forEachNeighbour(v, [&](int w, bool isLong) {
        if (side(w) == Side::On || side(w) == side(v)) return;
        const Cut& cut = cuts_.at(inside ? key(v, w) : key(w, v));
        const double share = inside ? cut.share : 1 - cut.share;
        if (share > (isLong ? kNearLong : kNearShort)) return;
        const double distance = share * (isLong ? 1 : std::sqrt(0.75));
        if (distance >= nearest) return;
        nearest = distance;
        target = cut.x;
      });
      if (nearest == 1) continue;
      place_[v] = target;
      side_[v] = Side::On;
    }
  }

  void addFace(std::size_t axis, std::size_t b, std::size_t c, const Index3& face) {
    const auto at = [&](int da, int db, int dc) {
      Index3 p;
      p[axis] = 2 * face[axis] + da;
      p[b] = 2 * face[b] + db;
      p[c] = 2 * face[c] + dc;
      return lattice_.index(p);
    };
    const int low = at(-1, 1, 1), high = at(1, 1, 1);
    const std::array<int, 4> ring{at(0, 0, 0), at(0, 2, 0), at(0, 2, 2), at(0, 0, 2)};
    for (std::size_t k = 0; k < 4; ++k) clip({low, high, ring[k], ring[(k + 1) % 4]});
  }

  /// A point of the result: a lattice point, or where the surface cuts an edge.
  int output(int v) {
    int& id = output_[v];
    if (id < 0) id = add(place(v));
    return id;
  }
  int output(int inside, int outside) {
    Cut& cut = cuts_.at(key(inside, outside));
    if (cut.output < 0) cut.output = add(cut.x);
    return cut.output;
  }
  int add(const Vec3& x) {
    mesh_.vertex.push_back(x);
    return static_cast<int>(mesh_.vertex.size()) - 1;
  }
  const Vec3& at(int id) const { return mesh_.vertex[id]; }

  void addTetrahedron(int a, int b, int c, int d) {
    const double volume = (at(b) - at(a)).cross(at(c) - at(a)).dot(at(d) - at(a));
    if (volume < 0) std::swap(b, c);
    mesh_.tetrahedron.insert(mesh_.tetrahedron.end(), {a, b, c, d});
  }

  /// The part of a tetrahedron of the lattice that is inside.
  void clip(const std::array<int, 4>& corners) {
    std::array<int, 4> in, on, out;
    std::size_t nIn = 0, nOn = 0, nOut = 0;
    for (const int v : corners) {
      if (side(v) == Side::Inside) in[nIn++] = v;
      if (side(v) == Side::On) on[nOn++] = v;
      if (side(v) == Side::Outside) out[nOut++] = v;
    }
    if (nIn == 0) return;
    if (nOut == 0)
      return addTetrahedron(output(corners[0]), output(corners[1]), output(corners[2]), output(corners[3]));
    if (nIn == 1) {
      std::array<int, 3> far{};
      for (std::size_t k = 0; k < nOn; ++k) far[k] = output(on[k]);
      for (std::size_t k = 0; k < nOut; ++k) far[nOn + k] = output(in[0], out[k]);
      return addTetrahedron(output(in[0]), far[0], far[1], far[2]);
    }
    if (nIn == 2 && nOut == 1) {
      const int tip = output(on[0]);
      return addPyramid(in[0], in[1], out[0], tip);
    }
    if (nIn == 2) {
      // between the triangles (in0, cuts) and (in1, cuts); the square between the cuts is on the surface
      return addPrism({output(in[0]), output(in[0], out[0]), output(in[0], out[1])},
                      {output(in[1]), output(in[1], out[0]), output(in[1], out[1])}, true);
    }
    addPrism({output(in[0]), output(in[1]), output(in[2])},
             {output(in[0], out[0]), output(in[1], out[0]), output(in[2], out[0])}, false);
  }

  /// Does the square p q q' p' (p' next to p) get the diagonal from p to q'? The shorter one, and of equal ones that
  /// from the point that came first: it depends on the square alone, so both sides of it agree.
  bool startsAt(int p, int q, int q1, int p1) const {
    const double first = (at(p) - at(q1)).squaredNorm(), second = (at(q) - at(p1)).squaredNorm();
    if (std::abs(first - second) > 1e-9) return first < second;
    return std::min(p, q1) < std::min(q, p1);
  }

  void addPyramid(int p, int q, int out, int tip) {
    const int a = output(p), b = output(q), a1 = output(p, out), b1 = output(q, out);
    if (startsAt(a, b, b1, a1)) {
      addTetrahedron(tip, a, b, b1);
      addTetrahedron(tip, a, b1, a1);
    } else {
      addTetrahedron(tip, b, a, a1);
      addTetrahedron(tip, b, a1, b1);
    }
  }

  /// Three tetrahedra, unless the diagonals of the three squares go round in a circle. Then the diagonal of square 1 is
  /// turned, if nobody else sees it; else there are eight around a point in the middle.
  void addPrism(const std::array<int, 3>& a, const std::array<int, 3>& b, bool ownsSquare1) {
    std::array<bool, 3> rises;  // diagonal of square k from a[k] to b[k + 1], else from a[k + 1] to b[k]
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t next = (k + 1) % 3;
      rises[k] = startsAt(a[k], a[next], b[next], b[k]);
    }
    if (rises[0] == rises[1] && rises[1] == rises[2]) {
      if (!ownsSquare1) return addPrismAroundMiddle(a, b, rises[0]);
      rises[1] = !rises[1];
    }
    for (std::size_t k = 0; k < 3; ++k) {
      // a[k] has the diagonals of both of its squares
      const std::size_t next = (k + 1) % 3, before = (k + 2) % 3;
      if (!rises[k] || rises[before]) continue;
      addTetrahedron(a[k], b[0], b[1], b[2]);
      if (rises[next]) {
        addTetrahedron(a[k], a[next], b[next], b[before]);
        addTetrahedron(a[k], a[next], a[before], b[before]);
      } else {
        addTetrahedron(a[k], a[before], b[before], b[next]);
        addTetrahedron(a[k], a[next], a[before], b[next]);
      }
      return;
    }
  }

  void addPrismAroundMiddle(const std::array<int, 3>& a, const std::array<int, 3>& b, bool rises) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < 3; ++k) sum += at(a[k]) + at(b[k]);
    const int middle = add(sum / 6);
    addTetrahedron(middle, a[0], a[1], a[2]);
    addTetrahedron(middle, b[0], b[1], b[2]);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t next = (k + 1) % 3;
      if (rises) {
        addTetrahedron(middle, a[k], a[next], b[next]);
        addTetrahedron(middle, a[k], b[next], b[k]);
      } else {
        addTetrahedron(middle, a[k], a[next], b[k]);
        addTetrahedron(middle, a[next], b[next], b[k]);
      }
    }
  }

  Lattice lattice_;
  Bins bins_;
  std::vector<Side> side_;
  std::vector<Vec3> place_;
  std::vector<int> output_;
  std::unordered_map<std::uint64_t, Cut> cuts_;
  TetMesh mesh_;
};

}  // namespace

TetMesh fillSurface(std::span<const Vec3> vertices, std::span<const int> faces, int cells) {
  requireClosed(vertices, faces);
  Vec3 low = Vec3::Constant(1e300), high = Vec3::Constant(-1e300);
  for (const int v : faces) {
    low = low.cwiseMin(vertices[v]);
    high = high.cwiseMax(vertices[v]);
  }
  const Vec3 extent = high - low;
  if (!(extent.minCoeff() > 1e-9 * extent.maxCoeff())) throw MeshError("the surface is flat: nothing fits into it");
  Index3 n;
  Vec3 size;
  for (int k = 0; k < 3; ++k) {
    n[k] = std::max(1, static_cast<int>(std::lround(cells * extent[k] / extent.maxCoeff())));
    size[k] = extent[k] / n[k];
  }
  if (2.0 * n[0] * n[1] * n[2] > kMaxPoints) {
    throw MeshError(fmt::format("{} cells along the longest side make more than {} points", cells, kMaxPoints));
  }
  Surface surface;
  for (const Vec3& x : vertices) surface.vertex.push_back((x - low).cwiseQuotient(size));
  surface.face.assign(faces.begin(), faces.end());
  TetMesh mesh = Filler(surface, n).fill();
  if (mesh.tetrahedron.empty()) {
    throw MeshError(fmt::format("no tetrahedron fits into the surface with {} cells along its longest side", cells));
  }
  for (Vec3& x : mesh.vertex) x = low + x.cwiseProduct(size);
  return mesh;
}

}  // namespace sinew::geom
