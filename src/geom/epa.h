#pragma once

#include <vector>

#include "geom/gjk.h"

/// Penetration of two convex bodies by the expanding-polytope algorithm (van den Bergen 2001): the polytope spanned by
/// GJK's simplex grows inside A - B until its face nearest to the origin is a face of A - B itself.
namespace sinew::geom {

/// The polytope and its scratch memory. Grows to the largest problem met and then stays.
class Polytope {
 public:
  struct Face {
    std::array<int, 3> vertex{};
    std::array<int, 3> adjacent{};  ///< face across the edge from vertex i to vertex i + 1
    Vec3 foot = Vec3::Zero();       ///< nearest point of its plane to the origin, outward
    double square = 0;              ///< |foot|^2
    int slot = -1;                  ///< place among the candidates, or one of the two below
  };
  static constexpr int kNoCandidate = -1, kDeleted = -2;

  /// Starts from a simplex of 2 to 4 vertices that holds the origin. False if no polytope with the origin inside comes
  /// of it: the bodies touch at best, or rounding hides that they overlap.
  bool seed(std::span<const MinkowskiVertex> simplex, ConvexBody& a, ConvexBody& b, int maxIterations);

  /// Expands up to maxIterations times; afterwards nearest() is the face that gives the penetration. Where that face of
  /// a curved body contradicts a plane that bounds A - B nearer to the origin, it is that plane, with its point of A -
  /// B as all three vertices. False if rounding spoiled the polytope.
  bool expand(ConvexBody& a, ConvexBody& b, const CollideOptions& options);

  /// For two polytopes whose expansion or seed failed or is in doubt, see inDoubt(): finds the nearest plane from the
  /// vertices met so far, without faces and edges that rounding could spoil, asking for further vertices until A - B
  /// does not reach beyond that plane. False if the bodies do not overlap, or not after maxIterations vertices.
  bool planeOfVertices(ConvexBody& a, ConvexBody& b, int maxIterations);

  /// By more than rounding explains, A - B reaches farther along the normal of nearest() than that face does, or
  /// another face is nearer.
  bool inDoubt(ConvexBody& a, ConvexBody& b) const;

  const Face& nearest() const { return faces_[nearest_]; }
  const MinkowskiVertex& vertex(int i) const { return vertices_[i]; }

  /// Calls f(list, list of the other) for every list that grows with the problems met.
  template <class F>
  void forEachList(Polytope& other, F&& f) {
    f(vertices_, other.vertices_);
    f(faces_, other.faces_);
    f(candidates_, other.candidates_);
    f(horizon_, other.horizon_);
  }

 private:
  bool seedFromSegment(const MinkowskiVertex& p, const MinkowskiVertex& q, ConvexBody& a, ConvexBody& b);
  bool seedFromTriangle(const MinkowskiVertex& p, const MinkowskiVertex& q, const MinkowskiVertex& r, ConvexBody& a,
                        ConvexBody& b);
  bool seedFromTetrahedron(std::span<const MinkowskiVertex> simplex, ConvexBody& a, ConvexBody& b);
  bool restartFromFace(int face, ConvexBody& a, ConvexBody& b);

  void clear();
  void setCenters(std::size_t simplex);
  int addVertex(const MinkowskiVertex& v);
  int addSupport(ConvexBody& a, ConvexBody& b, const Vec3& direction, double length);
  double addFace(const std::array<int, 3>& vertex, const std::array<int, 3>& adjacent);
  void addCandidate(int face);
  void deleteFace(int face);
  void findHorizon(int face, const Vec3& eye);
  bool collectVisible(int face, int edge, const Vec3& eye);
  void followEdge(int face, int edge, const Vec3& eye);
  int edgeFrom(int face, int vertex) const;
  bool expandFaces(ConvexBody& a, ConvexBody& b, const CollideOptions& options, bool exact);
  void lowerReach(ConvexBody& a, ConvexBody& b, const CollideOptions& options);
  bool isKnown(int vertex) const;
  double reachOfVertices(const Vec3& direction, double enough) const;
  double rounding(const MinkowskiVertex& v) const;

  Face& face(int i) { return faces_[i]; }
  const Vec3& point(int i) const { return vertices_[i].point; }

  /// An edge of a face that stays, beyond which all faces are visible from the new vertex.
  struct HorizonEdge {
    int face, edge;
  };

  std::vector<MinkowskiVertex> vertices_;
  std::vector<Face> faces_;
  std::vector<int> candidates_;  ///< faces that may become the nearest
  std::vector<HorizonEdge> horizon_;
  Vec3 center_ = Vec3::Zero(), inside_ = Vec3::Zero();
  std::size_t maxFaces_ = 0;
  int nearest_ = -1;
  /// The least reach of A - B along a normal met so far, which the depth cannot exceed, that normal, and the vertex.
  double leastReach_ = 0;
  Vec3 leastNormal_ = Vec3::Zero();
  int leastTip_ = -1;
};

}  // namespace sinew::geom
