#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "compile/geoms.h"
#include "compile/orientation.h"
#include "compile/place.h"

namespace sinew::draft {
namespace {

/// The near plane of <visual><map znear>, the focal length of cameras without intrinsics.
float nearPlane(const Spec& spec) {
  float znear = 0.01f;
  for (const spec::VisualElement& element : spec.visual) {
    if (element.tag != "map") continue;
    for (const auto& [name, value] : element.attributes) {
      if (name == "znear") znear = std::strtof(value.c_str(), nullptr);
    }
  }
  return znear;
}

}  // namespace

void draftCameras(const Draft& draft, const std::vector<Pose>& frames, Body& body) {
  for (const spec::Camera& spec : body.spec->cameras) {
    const Place place = placeOf(spec);
    Camera camera;
    camera.spec = &spec;
    camera.pose = {toVec3(spec.pos), orientationOf(spec.orientation, draft.compiler(), place)};
    if (spec.frame >= 0) camera.pose = compose(frames.at(static_cast<std::size_t>(spec.frame)), camera.pose);

    camera.fovy = spec.fovy;
    if (spec.fovy >= 180) place.fail(fmt::format("'fovy' must be below 180 degrees, found {}", spec.fovy));

    const std::array<float, 2> none{0, 0};
    const bool hasIntrinsics =
        spec.focal != none || spec.focalpixel != none || spec.principal != none || spec.principalpixel != none;
    const bool hasSensorSize = spec.sensorsize[0] > 0 && spec.sensorsize[1] > 0;
    if (hasIntrinsics && !hasSensorSize) place.fail("'focal' and 'principal' need 'sensorsize'");
    if (hasSensorSize && (spec.resolution[0] <= 0 || spec.resolution[1] <= 0)) {
      place.fail("'sensorsize' needs a positive 'resolution'");
    }
    if (hasSensorSize) {
      // pixels win over lengths; fovy = 2 atan(height / (2 focal))
      for (std::size_t i = 0; i < 2; ++i) {
        const float density = static_cast<float>(spec.resolution[i]) / spec.sensorsize[i];
        camera.intrinsic[i] = spec.focalpixel[i] != 0 ? spec.focalpixel[i] / density : spec.focal[i];
        camera.intrinsic[2 + i] = spec.principalpixel[i] != 0 ? spec.principalpixel[i] / density : spec.principal[i];
      }
      camera.fovy = std::atan2(spec.sensorsize[1] / 2, camera.intrinsic[1]) * 360.0 / std::numbers::pi;
    } else {
      camera.intrinsic[0] = camera.intrinsic[1] = nearPlane(*draft.spec);
    }
    body.cameras.push_back(camera);
  }
}

}  // namespace sinew::draft
