#include "sensor/rangefinder.h"

#include "query/cast_ray.h"
#include "sensor/camera.h"

namespace sinew {
namespace {

/// Bits of intprm[0], in the order of the output.
enum Field : int {
  kDistance = 1 << 0,
  kDirection = 1 << 1,
  kOrigin = 1 << 2,
  kPoint = 1 << 3,
  kNormal = 1 << 4,
  kDepth = 1 << 5
};

/// Appends the chosen fields of one ray; `depthAxis` is the direction along which depth is measured.
double* writeFields(double* out, int fields, const geom::Ray& ray, const geom::RayHit& hit, const Vec3& depthOrigin,
                    const Vec3& depthAxis) {
  const auto put = [&out](const Vec3& v) {
    MapVec3{out} = v;
    out += 3;
  };
  const Vec3 zero = Vec3::Zero();
  const Vec3 point = hit.isHit() ? Vec3(ray.origin + ray.direction * hit.distance) : zero;
  if (fields & kDistance) *out++ = hit.distance;
  if (fields & kDirection) put(hit.isHit() ? ray.direction : zero);
  if (fields & kOrigin) put(ray.origin);
  if (fields & kPoint) put(point);
  if (fields & kNormal) put(hit.normal);
  if (fields & kDepth) *out++ = hit.isHit() ? (point - depthOrigin).dot(depthAxis) : -1;
  return out;
}

/// Everything visible that is not on the body of the sensor.
geom::RayHit castFrom(const Model& m, Data& d, const geom::Ray& ray, int body) {
  return castRay(m, d, ray, {.excludeBody = body}).hit;
}

void cameraRangefinder(const Model& m, Data& d, int camera, int fields, double* out) {
  const Intrinsics intrinsics = cameraIntrinsics(m, camera);
  const Vec3 eye = vec3(d.cam_xpos.data(), camera);
  const Vec3 forward = -mat3(d.cam_xmat.data(), camera).col(2);
  for (int row = 0; row < m.cam_resolution[2 * camera + 1]; ++row) {
    for (int column = 0; column < m.cam_resolution[2 * camera]; ++column) {
      const PixelRay pixel = pixelRay(m, d, camera, intrinsics, column, row);
      const geom::Ray ray{pixel.origin, pixel.direction};
      out = writeFields(out, fields, ray, castFrom(m, d, ray, m.cam_bodyid[camera]), eye, forward);
    }
  }
}

}  // namespace

void rangefinder(const Model& m, Data& d, int sensor, double* out) {
  const int fields = m.sensor_intprm[3 * sensor];
  const int id = m.sensor_objid[sensor];
  if (m.sensor_objtype[sensor] == ObjType::Camera) return cameraRangefinder(m, d, id, fields, out);
  const geom::Ray ray{vec3(d.site_xpos.data(), id), mat3(d.site_xmat.data(), id).col(2)};
  writeFields(out, fields, ray, castFrom(m, d, ray, m.site_bodyid[id]), ray.origin, ray.direction);
}

}  // namespace sinew
