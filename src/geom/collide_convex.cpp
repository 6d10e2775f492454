#include "geom/collide_convex.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geom/collide_scratch.h"
#include "geom/gjk_simplex.h"
#include "math/ordered_math.h"
#include "math/quat.h"

namespace sinew::geom {
namespace {

constexpr double kPerturbation = 1e-3;  ///< angle by which shapes are turned to find more points, rad
constexpr double kDistinct = 1e-3;      ///< distance of points that count as different, of the smaller shape

/// Nearest points of the cores, pushed out to the surfaces.
double inflateCores(const GjkResult& cores, double radiusA, double radiusB, double cutoff, WitnessList& contacts) {
  if (!cores.hasWitness) return kInfinite;
  const double dist = cores.distance - (radiusA + radiusB);
  if (dist > cutoff) return kInfinite;
  const Vec3 n = unitOrX(cores.onB - cores.onA);
  contacts.item[0] = {cores.onA + radiusA * n, cores.onB - radiusB * n, dist};
  contacts.count = 1;
  return dist;
}

/// Moves the two points of a contact so that they lie `apart` from each other. Weights on a triangle with three
/// vertices almost on a line are inexact, its plane need not be.
void placeApart(const Vec3& apart, Witness& w) {
  const Vec3 error = apart - (w.onA - w.onB);
  w.onA += 0.5 * error;
  w.onB -= 0.5 * error;
}

/// The deepest point of two overlapping bodies, from the face of A - B nearest to the origin.
Witness deepestPoint(const Polytope& polytope) {
  const Polytope::Face& face = polytope.nearest();
  const MinkowskiVertex &p = polytope.vertex(face.vertex[0]), &q = polytope.vertex(face.vertex[1]),
                        &r = polytope.vertex(face.vertex[2]);
  if (face.vertex[0] == face.vertex[1]) {
    Witness w{p.onA, p.onB, -std::sqrt(face.square)};
    placeApart(face.foot, w);
    return w;
  }
  const std::array<double, 3> w = affineCoordinates(p.point, q.point, r.point, face.foot);
  return {w[0] * p.onA + w[1] * q.onA + w[2] * r.onA, w[0] * p.onB + w[1] * q.onB + w[2] * r.onB,
          -std::sqrt(face.square)};
}

void clipNearestFace(const Polytope& polytope, const ConvexBody& a, const ConvexBody& b, ClipScratch& memory,
                     WitnessList& contacts) {
  Feature ofA, ofB;
  for (std::size_t i = 0; i < 3; ++i) {
    const MinkowskiVertex& v = polytope.vertex(polytope.nearest().vertex[i]);
    ofA.vertex[i] = v.vertexA;
    ofA.point[i] = v.onA;
    ofB.vertex[i] = v.vertexB;
    ofB.point[i] = v.onB;
  }
  clipFeatures(a, b, ofA, ofB, memory, contacts);
}

/// Overlap of the inflated bodies as contacts: distances count from the true surfaces. Returns how many.
int appendContacts(ConvexBody& a, ConvexBody& b, double margin, int maxContacts, const CollideOptions& options,
                   Array<ContactPoint>& out) {
  WitnessList contacts;
  if (!(penetration(a, b, 0, maxContacts, options, contacts) < 0)) return 0;
  for (int i = 0; i < contacts.count; ++i) {
    const Witness& w = contacts.item[i];
    out.push_back(
        {.pos = (w.onA + w.onB) * 0.5, .normal = unitOrX(w.onA - w.onB), .dist = margin + w.dist, .feature = i});
  }
  return contacts.count;
}

/// Turns a body by `turn` about a point.
void turnAbout(const Vec3& point, const Mat3& turn, const Shape& shape, ConvexBody& body) {
  const Vec3 arm = point - shape.pos;
  body.setPose(shape.pos - (apply(turn, arm) - arm), multiply(turn, shape.rot));
}

/// Two flat shapes that meet in an area touch, when one is turned a little, at the rim of that area. Appends what is
/// found that way around the first contact, which is the last one in `out`.
int addTurnedContacts(const Shape& shapeA, const Shape& shapeB, ConvexBody& a, ConvexBody& b, double margin,
                      const CollideOptions& options, Array<ContactPoint>& out) {
  const std::ptrdiff_t start = out.size() - 1;
  const ContactPoint first = out.back();
  const Vec3 n = unitOrX(first.normal);
  Vec3 u = n[1] < 0.5 && n[1] > -0.5 ? Vec3::UnitY() : Vec3::UnitZ();
  u = unitOrX(u - n * dot(n, u));
  const Vec3 v = n.cross(u);
  const double distinct = kDistinct * std::min(shapeA.rbound, shapeB.rbound);

  int count = 1, turned = 0;
  for (const Vec3& axis : {u, v}) {
    for (const double angle : {-kPerturbation, kPerturbation}) {
      ++turned;
      const Mat3 turn = toMatrix(fromAxisAngle(axis, angle));
      turnAbout(first.pos, turn, shapeA, a);
      turnAbout(first.pos, turn.transpose(), shapeB, b);
      if (appendContacts(a, b, margin, 1, options, out) == 0) continue;
      const Vec3 pos = out.back().pos;
      const bool known = std::any_of(out.begin() + start, out.end() - 1,
                                     [&](const ContactPoint& c) { return norm(c.pos - pos) <= distinct; });
      if (known) {
        out.resize(out.size() - 1);
        continue;
      }
      out.back().dist = first.dist;  // measured in a turned pose; the shapes are flat, so the depth is the same
      out.back().feature = turned;
      ++count;
    }
  }
  return count;
}

/// Replaces the last contact, of two bodies inflated by half the margin, by those of the sides that face each other
/// there, if there are such.
int spreadOverFaces(ConvexBody& a, ConvexBody& b, double margin, const CollideOptions& options,
                    Array<ContactPoint>& out) {
  const ContactPoint nearest = out.back();
  out.resize(out.size() - 1);
  a.setInflation(0);
  b.setInflation(0);
  ScratchOf memory(options);
  const int count = collideFaces(a, b, nearest.normal, margin, memory->faces, out);
  if (count > 0) return count;
  out.push_back(nearest);
  return 1;
}

bool isRound(const Shape& s) { return s.type == GeomType::Sphere || s.type == GeomType::Ellipsoid; }
bool isFlatSided(const Shape& s) { return s.type == GeomType::Box || s.type == GeomType::Mesh; }

}  // namespace

double penetration(ConvexBody& a, ConvexBody& b, double cutoff, int maxContacts, const CollideOptions& options,
                   WitnessList& contacts) {
  ScratchOf memory(options);
  GjkResult& result = memory->gjk;
  contacts.count = 0;

  // Spheres and capsules that overlap by less than their radius need no penetration depth: their cores are apart.
  if (a.hasCore() || b.hasCore()) {
    const double radiusA = a.coreRadius(), radiusB = b.coreRadius();
    a.reduceToCore(true);
    b.reduceToCore(true);
    gjk(a, b, std::min(kInfinite, cutoff + (radiusA + radiusB)), options, result);
    a.reduceToCore(false);
    b.reduceToCore(false);
    if (result.distance > options.tolerance) return inflateCores(result, radiusA, radiusB, cutoff, contacts);
  }

  gjk(a, b, cutoff, options, result);
  if (result.hasWitness) {
    contacts.item[0] = {result.onA, result.onB, result.distance};
    contacts.count = 1;
  }
  if (result.distance > options.tolerance || result.count < 2 || result.separated) return result.distance;

  // touching or deeper
  contacts.item[0].dist = 0;
  Polytope& polytope = memory->polytope;
  const bool seeded =
      polytope.seed({result.simplex.data(), static_cast<std::size_t>(result.count)}, a, b, options.iterations);
  const bool expanded = seeded && polytope.expand(a, b, options);
  if (seeded) contacts.count = 0;
  const bool doubtful = bothPolytopes(a, b) && (!expanded || polytope.inDoubt(a, b));
  if (!(doubtful ? polytope.planeOfVertices(a, b, options.iterations) : expanded)) return 0;
  contacts.item[0] = deepestPoint(polytope);
  if (doubtful) placeApart(polytope.nearest().foot, contacts.item[0]);
  if (!contacts.item[0].onA.allFinite() || !contacts.item[0].onB.allFinite()) return 0;
  contacts.count = 1;
  if (maxContacts > 1) clipNearestFace(polytope, a, b, memory->clip, contacts);
  double deepest = contacts.item[0].dist;
  for (int i = 1; i < contacts.count; ++i) {
    deepest = std::min(deepest, contacts.item[i].dist);
  }
  return deepest;
}

int collideOnce(ConvexBody& a, ConvexBody& b, double margin, const CollideOptions& options, Array<ContactPoint>& out) {
  return appendContacts(a, b, margin, 1, options, out);
}

int collideConvex(const Shape& shapeA, const Shape& shapeB, double margin, const CollideOptions& options,
                  Array<ContactPoint>& out) {
  ConvexBody a(shapeA, 0.5 * margin), b(shapeB, 0.5 * margin);
  if (options.steady && options.multiContact && hasFaces(a) && hasFaces(b)) {
    return appendContacts(a, b, margin, 1, options, out) == 0 ? 0 : spreadOverFaces(a, b, margin, options, out);
  }
  const bool clip = options.multiContact && margin <= 0 && isFlatSided(shapeA) && isFlatSided(shapeB);
  const int count = appendContacts(a, b, margin, clip ? kMaxWitnesses : 1, options, out);
  if (clip || count != 1 || !options.multiContact || isRound(shapeA) || isRound(shapeB)) return count;
  return addTurnedContacts(shapeA, shapeB, a, b, margin, options, out);
}

}  // namespace sinew::geom
