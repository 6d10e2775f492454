#include "sensor/camera.h"

#include <cmath>
#include <numbers>

namespace sinew {
namespace {

/// Focal length in pixels of a camera described by its vertical field of view.
double focalFromFovy(const Model& m, int camera) {
  return 0.5 / std::tan(m.cam_fovy[camera] * std::numbers::pi / 360) * m.cam_resolution[2 * camera + 1];
}

bool hasSensorSize(const Model& m, int camera) {
  return m.cam_sensorsize[2 * camera] != 0 && m.cam_sensorsize[2 * camera + 1] != 0;
}

/// A length on the sensor in pixels. Single precision, as the camera's parameters are stored.
double inPixels(float length, float sensorsize, int resolution) {
  return static_cast<double>(length / sensorsize * static_cast<float>(resolution));
}

}  // namespace

Pixel projectToCamera(const Model& m, const Data& d, int camera, const Vec3& point) {
  const int* resolution = &m.cam_resolution[2 * camera];
  double fx = 0, fy = 0;
  if (hasSensorSize(m, camera)) {
    fx = inPixels(m.cam_intrinsic[4 * camera], m.cam_sensorsize[2 * camera], resolution[0]);
    fy = inPixels(m.cam_intrinsic[4 * camera + 1], m.cam_sensorsize[2 * camera + 1], resolution[1]);
  } else {
    fx = fy = focalFromFovy(m, camera);
  }
  const Vec3 local = mat3(d.cam_xmat.data(), camera).transpose() * (point - vec3(d.cam_xpos.data(), camera));
  double depth = local.z();
  if (std::abs(depth) < kMinVal) depth = depth < 0 ? -kMinVal : kMinVal;
  // the image is centred on the resolution, whatever the principal point
  return {-fx * (local.x() / depth) + 0.5 * resolution[0], fy * (local.y() / depth) + 0.5 * resolution[1]};
}

Intrinsics cameraIntrinsics(const Model& m, int camera) {
  const int width = m.cam_resolution[2 * camera];
  const int height = m.cam_resolution[2 * camera + 1];
  if (m.cam_projection[camera] == Projection::Orthographic) {
    return {0.5 * width, 0.5 * height, 0.5 * width, 0.5 * height};
  }
  if (!hasSensorSize(m, camera)) {
    const double f = focalFromFovy(m, camera);
    return {f, f, 0.5 * width, 0.5 * height};
  }
  const float* intrinsic = &m.cam_intrinsic[4 * camera];
  const float* size = &m.cam_sensorsize[2 * camera];
  return {inPixels(intrinsic[0], size[0], width), inPixels(intrinsic[1], size[1], height),
          inPixels(intrinsic[2], size[0], width), inPixels(intrinsic[3], size[1], height)};
}

PixelRay pixelRay(const Model& m, const Data& d, int camera, const Intrinsics& intrinsics, int column, int row) {
  const ConstMapVec3 pos = vec3(d.cam_xpos.data(), camera);
  const ConstMapMat3 R = mat3(d.cam_xmat.data(), camera);
  const double x = (column + 0.5 - intrinsics.cx) / intrinsics.fx;
  const double y = -(row + 0.5 - intrinsics.cy) / intrinsics.fy;
  if (m.cam_projection[camera] == Projection::Perspective) return {pos, normalizedOrX(R * Vec3(x, y, -1))};
  const double half = 0.5 * m.cam_fovy[camera];  // orthographic: fovy is the full height of the image, m
  return {pos + R * Vec3(x * half, y * half, 0), -R.col(2)};
}

}  // namespace sinew
