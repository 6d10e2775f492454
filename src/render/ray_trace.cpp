#include <algorithm>
#include <cmath>

#include "render/ray_scene.h"

namespace sinew::render {
namespace {

using Vec3f = Eigen::Vector3f;

RTCRay makeRay(const Vec3& o, const Vec3& d, double tmin, double tmax) {
  RTCRay ray;
  ray.org_x = static_cast<float>(o.x()), ray.org_y = static_cast<float>(o.y()), ray.org_z = static_cast<float>(o.z());
  ray.dir_x = static_cast<float>(d.x()), ray.dir_y = static_cast<float>(d.y()), ray.dir_z = static_cast<float>(d.z());
  ray.tnear = static_cast<float>(tmin);
  ray.tfar = static_cast<float>(std::min(tmax, kFar));
  ray.time = 0;
  ray.mask = 0xffffffffu;
  ray.id = 0;
  ray.flags = 0;
  return ray;
}

/// Whether the ray starts in front of a plane and goes towards it: planes are not seen from behind.
bool isFacing(const Primitive& p, const Vec3& o, const Vec3& d) {
  return p.rotation.col(2).dot(o - p.pos) > 0 && p.rotation.col(2).dot(d) < 0;
}

}  // namespace

bool RayScene::isNear(const RTCBounds& box, const Vec3& o, const Vec3& d, double tmax) {
  double enter = 0, leave = tmax;
  const double lower[3] = {box.lower_x, box.lower_y, box.lower_z}, upper[3] = {box.upper_x, box.upper_y, box.upper_z};
  for (int k = 0; k < 3; ++k) {
    // a direction of 0 gives infinities of the right sign, or NaN on the border, which comparisons leave out
    const double inverse = 1 / d[k], a = (lower[k] - o[k]) * inverse, b = (upper[k] - o[k]) * inverse;
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  return !(enter > leave);
}

void RayScene::fromPrimitive(const Primitive& p, const Vec3& o, const Vec3& d, double tmin, double tmax,
                             Hit& hit) const {
  const Vec3 lo = p.rotation.transpose() * (o - p.pos), ld = p.rotation.transpose() * d;
  PrimitiveHit exact;
  if (!render::intersect(p, lo, ld, tmin, tmax, exact)) return;
  hit.t = exact.t;
  hit.local = lo + exact.t * ld;
  hit.rotation = &p.rotation;
  hit.normal = p.rotation * exact.normal;
  hit.surface = &surfaces_[p.surface];
}

/// Corners of a triangle of a soft surface or mesh, interpolated.
void RayScene::fromTriangle(const Triangles& entry, const RTCHit& h, Hit& hit) const {
  const std::vector<std::uint32_t>& indices = entry.mesh   ? entry.mesh->indices
                                              : entry.flex ? entry.flex->indices
                                                           : entry.skin->indices;
  const std::vector<float>& uv = entry.mesh ? entry.mesh->uv : entry.flex ? entry.flex->uv : entry.skin->uv;
  const float* position = entry.mesh   ? entry.mesh->positions.data()
                          : entry.flex ? flexPosition_.data() + 3 * entry.flex->vertexAdr
                                       : skinPosition_.data() + 3 * entry.skin->vertexAdr;
  const float* normal = entry.mesh   ? entry.mesh->normals.data()
                        : entry.flex ? flexNormal_.data() + 3 * entry.flex->vertexAdr
                                     : skinNormal_.data() + 3 * entry.skin->vertexAdr;
  const std::uint32_t* v = indices.data() + 3 * static_cast<std::size_t>(h.primID);
  const double w[3] = {1.0 - h.u - h.v, h.u, h.v};
  Vec3 p = Vec3::Zero(), n = Vec3::Zero();
  for (int k = 0; k < 3; ++k) {
    p += w[k] * Eigen::Map<const Vec3f>(position + 3 * v[k]).cast<double>();
    n += w[k] * Eigen::Map<const Vec3f>(normal + 3 * v[k]).cast<double>();
  }
  const Vec3 geometric(h.Ng_x, h.Ng_y, h.Ng_z);
  if (n.squaredNorm() < 1e-12) n = geometric;
  hit.local = p;
  hit.rotation = &entry.rotation;
  hit.normal = normalizedOrX(entry.rotation * n);
  hit.surface = &surfaces_[entry.surface];
  if (!uv.empty() && hit.surface->map == TextureMap::Uv) {
    hit.hasUv = true;
    hit.uv[0] = hit.uv[1] = hit.uvDensity = 0;
    for (int k = 0; k < 3; ++k) {
      hit.uv[0] += w[k] * uv[2 * v[k]];
      hit.uv[1] += w[k] * uv[2 * v[k] + 1];
    }
    const auto corner = [&](int k) { return Eigen::Map<const Vec3f>(position + 3 * v[k]).cast<double>(); };
    const double area = (corner(1) - corner(0)).cross(corner(2) - corner(0)).norm();
    const double a = uv[2 * v[1]] - uv[2 * v[0]], b = uv[2 * v[1] + 1] - uv[2 * v[0] + 1];
    const double c = uv[2 * v[2]] - uv[2 * v[0]], e = uv[2 * v[2] + 1] - uv[2 * v[0] + 1];
    if (area > 0) hit.uvDensity = std::sqrt(std::abs(a * e - b * c) / area);
  }
  if (entry.flex && !flexValue_.empty()) {
    double value = 0;
    for (int k = 0; k < 3; ++k) value += w[k] * flexValue_[static_cast<std::size_t>(entry.flex->vertexAdr) + v[k]];
    hit.hasColor = true;
    hit.color = heatOf(value);
  }
}

bool RayScene::trace(const Vec3& o, const Vec3& d, double tmin, double tmax, Hit& hit) const {
  hit.t = tmax;
  hit.surface = nullptr;
  hit.hasUv = hit.hasColor = hit.endless = false;
  for (const Primitive& p : planes_) {
    if (!isFacing(p, o, d)) continue;
    const double before = hit.t;
    fromPrimitive(p, o, d, tmin, before, hit);
    if (hit.t < before) hit.endless = p.size[0] <= 0 || p.size[1] <= 0;
  }
  if (isNear(treeBox_, o, d, hit.t)) traceTree(o, d, tmin, hit);
  if (!hit.surface) return false;
  hit.pos = o + hit.t * d;
  if (hit.normal.dot(d) > 0) hit.normal = -hit.normal;
  return true;
}

void RayScene::traceTree(const Vec3& o, const Vec3& d, double tmin, Hit& hit) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRayHit rayhit;
  rayhit.ray = makeRay(o, d, tmin, hit.t);
  rayhit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  rayhit.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(tree_.get(), &context, &rayhit);
  if (rayhit.hit.geomID != RTC_INVALID_GEOMETRY_ID) {
    Hit nearer;
    const bool isInstance = rayhit.hit.instID[0] != RTC_INVALID_GEOMETRY_ID;
    const unsigned geometry = isInstance ? rayhit.hit.instID[0] : rayhit.hit.geomID;
    if (geometry == 0) {
      fromPrimitive(primitives_[rayhit.hit.primID], o, d, tmin, kFar, nearer);
      if (!nearer.surface) nearer.t = rayhit.ray.tfar;
    } else {
      nearer.t = rayhit.ray.tfar;
      fromTriangle(triangles_[triangleOf_[geometry]], rayhit.hit, nearer);
    }
    if (nearer.surface) hit = nearer;
  }
}

bool RayScene::occluded(const Vec3& o, const Vec3& d, double tmax) const {
  const double tmin = 1e-4 * scene_->extent;
  for (const Primitive& p : planes_) {
    if (!surfaces_[p.surface].casts) continue;
    if (!isFacing(p, o, d)) continue;
    PrimitiveHit hit;
    if (render::intersect(p, p.rotation.transpose() * (o - p.pos), p.rotation.transpose() * d, tmin, tmax, hit)) {
      return true;
    }
  }
  if (!isNear(shadowBox_, o, d, tmax)) return false;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRay ray = makeRay(o, d, tmin, tmax);
  rtcOccluded1(shadowTree_ ? shadowTree_.get() : tree_.get(), &context, &ray);
  return ray.tfar < 0;
}

}  // namespace sinew::render
