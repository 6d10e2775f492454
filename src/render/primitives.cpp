#include "render/primitives.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew::render {
namespace {

/// Keeps the nearest crossing.
struct Nearest {
  double tmin, t;
  PrimitiveHit& hit;
  bool found = false;
  bool inside(double s) const { return s > tmin && s < t; }
  void take(double s, const Vec3& normal) {
    t = s;
    hit.t = s;
    hit.normal = normal;
    found = true;
  }
};

/// Roots of a t^2 + 2 b t + c = 0 in growing order; false: none. The second form avoids cancellation.
bool roots(double a, double b, double c, double& t0, double& t1) {
  const double det = b * b - a * c;
  if (!(det >= 0) || a == 0) return false;
  const double q = -(b + std::copysign(std::sqrt(det), b));
  t0 = q / a;
  t1 = q != 0 ? c / q : t0;
  if (t0 > t1) std::swap(t0, t1);
  return true;
}

/// A sphere of radius r about (0, 0, z), only where `keep` says so.
template <class Keep>
void sphere(const Vec3& o, const Vec3& d, double z, double r, Keep keep, Nearest& nearest) {
  // about the point of the ray that is nearest to the centre, so that far away spheres stay exact
  const Vec3 c = o - Vec3(0, 0, z);
  const double dd = d.squaredNorm(), mid = -c.dot(d) / dd;
  const Vec3 m = c + mid * d;
  const double h2 = (r * r - m.squaredNorm()) / dd;
  if (!(h2 >= 0)) return;
  const double h = std::sqrt(h2);
  for (const double t : {mid - h, mid + h}) {
    if (!nearest.inside(t)) continue;
    const Vec3 p = c + t * d;
    if (!keep(p)) continue;
    nearest.take(t, p / r);
    return;
  }
}

/// The side of a cylinder of radius r for |z| <= h.
void tube(const Vec3& o, const Vec3& d, double r, double low, double high, Nearest& nearest) {
  double t0 = 0, t1 = 0;
  const double a = d.x() * d.x() + d.y() * d.y(), b = o.x() * d.x() + o.y() * d.y();
  if (!roots(a, b, o.x() * o.x() + o.y() * o.y() - r * r, t0, t1)) return;
  for (const double t : {t0, t1}) {
    const Vec3 p = o + t * d;
    if (!nearest.inside(t) || p.z() < low || p.z() > high) continue;
    nearest.take(t, Vec3(p.x() / r, p.y() / r, 0));
    return;
  }
}

/// A disk of radius r at height z, with a hole.
void disk(const Vec3& o, const Vec3& d, double z, double r, double up, Nearest& nearest) {
  if (d.z() == 0) return;
  const double t = (z - o.z()) / d.z();
  if (!nearest.inside(t)) return;
  const Vec3 p = o + t * d;
  if (p.x() * p.x() + p.y() * p.y() <= r * r) nearest.take(t, Vec3(0, 0, up));
}

/// The side of a cone with base radius r at z = low and its tip at z = high.
void cone(const Vec3& o, const Vec3& d, double r, double low, double high, Nearest& nearest) {
  const double k = r / (high - low), k2 = k * k, oz = o.z() - high;
  double t0 = 0, t1 = 0;
  const double a = d.x() * d.x() + d.y() * d.y() - k2 * d.z() * d.z();
  const double b = o.x() * d.x() + o.y() * d.y() - k2 * oz * d.z();
  if (!roots(a, b, o.x() * o.x() + o.y() * o.y() - k2 * oz * oz, t0, t1)) return;
  for (const double t : {t0, t1}) {
    const Vec3 p = o + t * d;
    if (!nearest.inside(t) || p.z() < low || p.z() > high) continue;
    nearest.take(t, normalizedOrX(Vec3(p.x(), p.y(), k2 * (high - p.z()))));
    return;
  }
}

void box(const Vec3& o, const Vec3& d, const Vec3& size, Nearest& nearest) {
  double enter = -std::numeric_limits<double>::infinity(), leave = std::numeric_limits<double>::infinity();
  int enterAxis = 0, leaveAxis = 0;
  for (int k = 0; k < 3; ++k) {
    if (d[k] == 0) {
      if (std::abs(o[k]) > size[k]) return;
      continue;
    }
    const double s = std::copysign(size[k], d[k]), a = (-s - o[k]) / d[k], b = (s - o[k]) / d[k];
    if (a > enter) enter = a, enterAxis = k;
    if (b < leave) leave = b, leaveAxis = k;
  }
  if (!(enter <= leave)) return;
  const auto take = [&](double t, int axis, double sign) {
    Vec3 n = Vec3::Zero();
    n[axis] = sign;
    nearest.take(t, n);
  };
  if (nearest.inside(enter)) {
    take(enter, enterAxis, d[enterAxis] > 0 ? -1 : 1);
  } else if (nearest.inside(leave)) {
    take(leave, leaveAxis, d[leaveAxis] > 0 ? 1 : -1);
  }
}

void ellipsoid(const Vec3& o, const Vec3& d, const Vec3& size, Nearest& nearest) {
  const bool before = nearest.found;
  nearest.found = false;
  sphere(
      o.cwiseQuotient(size), d.cwiseQuotient(size), 0, 1, [](const Vec3&) { return true; }, nearest);
  if (nearest.found) nearest.hit.normal = normalizedOrX(nearest.hit.normal.cwiseQuotient(size));
  nearest.found = nearest.found || before;
}

void plane(const Vec3& o, const Vec3& d, const Vec3& size, Nearest& nearest) {
  if (d.z() == 0) return;
  const double t = -o.z() / d.z();
  if (!nearest.inside(t)) return;
  const Vec3 p = o + t * d;
  if (size.x() > 0 && std::abs(p.x()) > size.x()) return;
  if (size.y() > 0 && std::abs(p.y()) > size.y()) return;
  nearest.take(t, Vec3(0, 0, 1));
}

}  // namespace

bool intersect(const Primitive& p, const Vec3& o, const Vec3& d, double tmin, double tmax, PrimitiveHit& hit) {
  Nearest nearest{tmin, tmax, hit};
  const double r = p.size[0], h = p.size[1], length = p.size[2];
  const auto everywhere = [](const Vec3&) { return true; };
  switch (p.shape) {
    case SceneShape::Plane:
      plane(o, d, p.size, nearest);
      break;
    case SceneShape::Sphere:
      sphere(o, d, 0, r, everywhere, nearest);
      break;
    case SceneShape::Capsule:
      tube(o, d, r, -h, h, nearest);
      sphere(
          o, d, h, r, [](const Vec3& q) { return q.z() >= 0; }, nearest);
      sphere(
          o, d, -h, r, [](const Vec3& q) { return q.z() <= 0; }, nearest);
      break;
    case SceneShape::Ellipsoid:
      ellipsoid(o, d, p.size, nearest);
      break;
    case SceneShape::Cylinder:
      tube(o, d, r, -h, h, nearest);
      disk(o, d, h, r, 1, nearest);
      disk(o, d, -h, r, -1, nearest);
      break;
    case SceneShape::Box:
      box(o, d, p.size, nearest);
      break;
    case SceneShape::Arrow: {
      const double neck = length * (1 - kHeadLength);
      tube(o, d, r, 0, neck, nearest);
      disk(o, d, 0, r, -1, nearest);
      disk(o, d, neck, kHeadWidth * r, -1, nearest);
      cone(o, d, kHeadWidth * r, neck, length, nearest);
      break;
    }
    case SceneShape::Cone:
      cone(o, d, r, 0, length, nearest);
      disk(o, d, 0, r, -1, nearest);
      break;
    case SceneShape::Mesh:
      break;
  }
  return nearest.found;
}

void bounds(const Primitive& p, Vec3& lower, Vec3& upper) {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  const double r = p.size[0], h = p.size[1], length = p.size[2];
  switch (p.shape) {
    case SceneShape::Sphere:
      high.setConstant(r);
      low = -high;
      break;
    case SceneShape::Capsule:
      high = {r, r, h + r};
      low = -high;
      break;
    case SceneShape::Cylinder:
      high = {r, r, h};
      low = -high;
      break;
    case SceneShape::Arrow:
      high = {kHeadWidth * r, kHeadWidth * r, length};
      low = {-kHeadWidth * r, -kHeadWidth * r, 0};
      break;
    case SceneShape::Cone:
      high = {r, r, length};
      low = {-r, -r, 0};
      break;
    case SceneShape::Plane:
      high = {p.size[0], p.size[1], 0};
      low = -high;
      break;
    case SceneShape::Ellipsoid:
    case SceneShape::Box:
    case SceneShape::Mesh:
      high = p.size;
      low = -high;
      break;
  }
  const Vec3 middle = p.pos + p.rotation * ((low + high) / 2), half = p.rotation.cwiseAbs() * ((high - low) / 2);
  // a little more, because the tree works in single precision
  const Vec3 slack = Vec3::Constant(1e-6 * (middle.cwiseAbs().maxCoeff() + half.maxCoeff()));
  lower = middle - half - slack;
  upper = middle + half + slack;
}

}  // namespace sinew::render
