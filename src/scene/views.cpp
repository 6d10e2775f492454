#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "math/quat.h"
#include "math/types.h"
#include "sinew/scene.h"

namespace sinew {
namespace {

constexpr double kRadians = std::numbers::pi / 180;

/// Symmetric sides of the image.
void setFovy(double fovy, bool orthographic, double aspect, View& view) {
  view.orthographic = orthographic;
  view.top = orthographic ? fovy / 2 : std::tan(fovy * kRadians / 2);
  view.bottom = -view.top;
  view.right = view.top * aspect;
  view.left = -view.right;
}

void setRange(const Scene& scene, View& view) {
  view.znear = scene.visual.znear * scene.extent;
  view.zfar = scene.visual.zfar * scene.extent;
}

}  // namespace

FreeCamera defaultFreeCamera(const Scene& scene) {
  FreeCamera camera;
  camera.lookat = scene.center;
  camera.distance = 1.5 * scene.extent;
  camera.azimuth = scene.visual.azimuth;
  camera.elevation = scene.visual.elevation;
  return camera;
}

View viewOf(const Scene& scene, const Frame& frame, int camera, double aspect) {
  if (camera < 0 || camera >= static_cast<int>(scene.cameras.size())) {
    throw std::invalid_argument(
        fmt::format("camera {} does not exist, the model has {}", camera, scene.cameras.size()));
  }
  const SceneCamera& c = scene.cameras[camera];
  View view;
  std::copy_n(frame.cameraPos.begin() + 3 * camera, 3, view.pos.begin());
  std::copy_n(frame.cameraMat.begin() + 9 * camera, 9, view.mat.begin());
  setFovy(c.fovy, c.projection == Projection::Orthographic, aspect, view);
  setRange(scene, view);
  if (c.sensorsize[0] > 0 && c.sensorsize[1] > 0 && c.intrinsic[0] > 0 && c.intrinsic[1] > 0 && !view.orthographic) {
    // the sensor as the pinhole sees it at distance 1; the image is fitted to its height
    const double width = c.sensorsize[0] / c.intrinsic[0], height = c.sensorsize[1] / c.intrinsic[1];
    const double x = c.intrinsic[2] / c.intrinsic[0], y = c.intrinsic[3] / c.intrinsic[1];
    const double shown = c.resolution[0] > 1 || c.resolution[1] > 1 ? width : height * aspect;
    // the principal point is measured from the middle of the sensor, to the right and downwards, as in MuJoCo
    view.left = -shown / 2 + x, view.right = shown / 2 + x;
    view.bottom = -height / 2 - y, view.top = height / 2 - y;
  }
  return view;
}

View viewOf(const Scene& scene, const Frame& frame, const FreeCamera& camera, double aspect) {
  View view;
  const double a = camera.azimuth * kRadians, e = camera.elevation * kRadians;
  const Vec3 forward(std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e));
  const Vec3 right(std::sin(a), -std::cos(a), 0), up = right.cross(forward);
  Vec3 lookat = ConstMapVec3(camera.lookat.data());
  if (camera.trackBody >= 0 && 3 * static_cast<std::size_t>(camera.trackBody) + 2 < frame.bodyPos.size()) {
    lookat += ConstMapVec3(frame.bodyPos.data() + 3 * camera.trackBody);
  }
  MapVec3(view.pos.data()) = lookat - camera.distance * forward;
  MapMat3 R(view.mat.data());
  R.col(0) = right;
  R.col(1) = up;
  R.col(2) = -forward;
  setFovy(scene.visual.fovy, scene.visual.orthographic, aspect, view);
  setRange(scene, view);
  return view;
}

View viewOf(const Scene& scene, const Frame& frame, std::string_view name, double aspect) {
  if (name == "free") return viewOf(scene, frame, defaultFreeCamera(scene), aspect);
  for (std::size_t i = 0; i < scene.cameras.size(); ++i) {
    if (scene.cameras[i].object.name == name) return viewOf(scene, frame, static_cast<int>(i), aspect);
  }
  int index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error == std::errc() && end == name.data() + name.size()) {
    if (index == -1) return viewOf(scene, frame, defaultFreeCamera(scene), aspect);
    return viewOf(scene, frame, index, aspect);
  }
  std::string names = "free";
  for (const SceneCamera& camera : scene.cameras) {
    if (!camera.object.name.empty()) names += ", " + camera.object.name;
  }
  throw std::invalid_argument(fmt::format("no camera is named \"{}\"; there are: {}", name, names));
}

}  // namespace sinew
