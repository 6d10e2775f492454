#include "sensor/rangefinder.h"

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

/// True if the ray passes the geom's bounding sphere at a distance.
bool passesBy(const Model& m, const Vec3& center, int geom, const geom::Ray& ray) {
  const double radius = m.geom_rbound[geom] * (1 + 1e-9);
  if (radius == 0) return false;  // a plane has no bound
  const Vec3 offset = center - ray.origin;
  return (offset - offset.dot(ray.direction) * ray.direction).squaredNorm() > radius * radius;
}

geom::RayHit rayGeom(const Model& m, const Data& d, int g, const geom::Ray& ray) {
  const Vec3 pos = vec3(d.geom_xpos.data(), g);
  if (passesBy(m, pos, g, ray)) return {};
  const Mat3 R = mat3(d.geom_xmat.data(), g);
  const Vec3 size = vec3(m.geom_size.data(), g);
  const int id = m.geom_dataid[g];
  switch (m.geom_type[g]) {
    case GeomType::Mesh: {
      const std::span<const float> vertices(m.mesh_vert.data() + 3 * m.mesh_vertadr[id],
                                            static_cast<std::size_t>(3 * m.mesh_vertnum[id]));
      const std::span<const int> faces(m.mesh_face.data() + 3 * m.mesh_faceadr[id],
                                       static_cast<std::size_t>(3 * m.mesh_facenum[id]));
      return geom::rayMesh(vertices, faces, size, pos, R, ray);
    }
    case GeomType::HField: {
      const double* s = &m.hfield_size[4 * id];
      const int rows = m.hfield_nrow[id];
      const int columns = m.hfield_ncol[id];
      const std::span<const float> elevation(m.hfield_data.data() + m.hfield_adr[id],
                                             static_cast<std::size_t>(rows * columns));
      return geom::rayHfield(rows, columns, elevation, {s[0], s[1], s[2], s[3]}, pos, R, ray);
    }
    default:
      return geom::rayShape(m.geom_type[g], size, pos, R, ray);
  }
}

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

void cameraRangefinder(const Model& m, const Data& d, int camera, int fields, double* out) {
  const Intrinsics intrinsics = cameraIntrinsics(m, camera);
  const Vec3 eye = vec3(d.cam_xpos.data(), camera);
  const Vec3 forward = -mat3(d.cam_xmat.data(), camera).col(2);
  for (int row = 0; row < m.cam_resolution[2 * camera + 1]; ++row) {
    for (int column = 0; column < m.cam_resolution[2 * camera]; ++column) {
      const PixelRay pixel = pixelRay(m, d, camera, intrinsics, column, row);
      const geom::Ray ray{pixel.origin, pixel.direction};
      out = writeFields(out, fields, ray, castRay(m, d, ray, m.cam_bodyid[camera]), eye, forward);
    }
  }
}

}  // namespace

geom::RayHit castRay(const Model& m, const Data& d, const geom::Ray& ray, int excludedBody) {
  geom::RayHit nearest;
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_bodyid[g] == excludedBody || m.geom_rgba[4 * g + 3] == 0) continue;
    const geom::RayHit hit = rayGeom(m, d, g, ray);
    if (hit.isHit() && (!nearest.isHit() || hit.distance < nearest.distance)) nearest = hit;
  }
  return nearest;
}

void rangefinder(const Model& m, const Data& d, int sensor, double* out) {
  const int fields = m.sensor_intprm[3 * sensor];
  const int id = m.sensor_objid[sensor];
  if (m.sensor_objtype[sensor] == ObjType::Camera) return cameraRangefinder(m, d, id, fields, out);
  const geom::Ray ray{vec3(d.site_xpos.data(), id), mat3(d.site_xmat.data(), id).col(2)};
  writeFields(out, fields, ray, castRay(m, d, ray, m.site_bodyid[id]), ray.origin, ray.direction);
}

}  // namespace sinew
