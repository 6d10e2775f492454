#include "geom/face_manifold.h"

#include <algorithm>
#include <cstdint>

#include "math/ordered_math.h"

namespace sinew::geom {
namespace {

constexpr double kAcross = 0.99;  ///< cosine from which a side lies across a direction
constexpr double kAtSideCorner =
    2e-3;  ///< of the side: a point this near to a corner of the clipped side is that corner
constexpr int kFeatureBits = 20;

/// How far the bodies are apart along d.
double separationAlong(ConvexBody& a, ConvexBody& b, const Vec3& d) {
  return dot(d, b.support(-d)) - dot(d, a.support(d));
}

/// Keeps what lies inside the plane through `from` and `to` over a side with the outward normal `n`
/// (Sutherland-Hodgman).
void clip(const Vec3& from, const Vec3& to, const Vec3& n, int name, FaceScratch& scratch) {
  const Vec3 outward = n.cross(to - from);  // corners come clockwise
  const double bound = dot(outward, from);
  scratch.swap.clear();
  const std::size_t count = scratch.clipped.size();
  for (std::size_t k = 0; k < count; ++k) {
    const FaceScratch::Corner &p = scratch.clipped[k], &q = scratch.clipped[k + 1 < count ? k + 1 : 0];
    const double d0 = dot(outward, p.point) - bound, d1 = dot(outward, q.point) - bound;
    if (d0 <= 0) scratch.swap.push_back({p.point, d0 == 0 && d1 > 0 ? name : p.side});
    if ((d0 < 0 && d1 > 0) || (d0 > 0 && d1 < 0)) {
      scratch.swap.push_back({p.point + (d0 / (d0 - d1)) * (q.point - p.point), d0 < 0 ? name : p.side});
    }
  }
  std::swap(scratch.clipped, scratch.swap);
}

/// A number for what meets in a point.
int nameOf(int reference, int referenceFace, int incidentFace, int before, int after) {
  std::uint64_t h = 0;
  for (const int part : {reference, referenceFace, incidentFace, before, after}) {
    h = (h ^ static_cast<std::uint32_t>(part)) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 29;
  }
  return static_cast<int>(h >> (64 - kFeatureBits));
}

}  // namespace

int collideFaces(ConvexBody& a, ConvexBody& b, const Vec3& n, double margin, FaceScratch& scratch,
                 Array<ContactPoint>& out) {
  const Face faceA = faceAlong(a, n), faceB = faceAlong(b, -n);
  if (faceA.id < 0 || faceB.id < 0) return 0;

  // n comes from an iteration; where a side is a better answer it is the exact one
  Vec3 direction = n;
  double separation = separationAlong(a, b, n);
  for (const Vec3& normal : {faceA.normal, Vec3(-faceB.normal)}) {
    if (!(dot(normal, n) > kAcross)) continue;
    const double along = separationAlong(a, b, normal);
    if (along < separation) continue;
    separation = along;
    direction = normal;
  }

  const bool onA = dot(faceA.normal, direction) > kAcross;
  if (!onA && !(dot(faceB.normal, direction) < -kAcross)) return 0;
  const Face &reference = onA ? faceA : faceB, &incident = onA ? faceB : faceA;
  faceCorners(onA ? a : b, reference.id, scratch.reference);
  faceCorners(onA ? b : a, incident.id, scratch.incident);
  scratch.clipped.clear();
  double size = 0;
  for (std::size_t k = 0; k < scratch.incident.size(); ++k) {
    scratch.clipped.push_back({scratch.incident[k], static_cast<int>(k)});
    size = std::max(size, (scratch.incident[k] - scratch.incident[0]).squaredNorm());
  }
  for (std::size_t k = 0; k < scratch.reference.size() && !scratch.clipped.empty(); ++k) {
    const Vec3& to = scratch.reference[k + 1 < scratch.reference.size() ? k + 1 : 0];
    clip(scratch.reference[k], to, reference.normal, -1 - static_cast<int>(k), scratch);
  }

  const double cosine = std::abs(dot(reference.normal, direction));
  const int corners = static_cast<int>(scratch.incident.size());
  int count = 0;
  for (std::size_t k = 0; k < scratch.clipped.size(); ++k) {
    const Vec3& point = scratch.clipped[k].point;
    const double height = dot(reference.normal, point - scratch.reference[0]);
    if (!(cosine * height <= margin)) continue;
    // a point as good as a corner of the clipped side has its name, whatever clipped it
    int before = scratch.clipped[k > 0 ? k - 1 : scratch.clipped.size() - 1].side, after = scratch.clipped[k].side;
    for (int c = 0; c < corners; ++c) {
      if ((point - scratch.incident[c]).squaredNorm() > kAtSideCorner * kAtSideCorner * size) continue;
      before = (c + corners - 1) % corners;
      after = c;
      break;
    }
    out.push_back({.pos = point - (0.5 * height) * reference.normal,
                   .normal = direction,
                   .dist = cosine * height,
                   .feature = nameOf(onA ? 0 : 1, reference.id, incident.id, before, after)});
    ++count;
  }
  return count;
}

}  // namespace sinew::geom
