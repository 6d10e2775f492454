#include "view/looks.h"

#include <string_view>
#include <utility>

#include "view/message.h"

namespace sinew::view {
namespace {

struct NamedGroups {
  const char* name;
  std::array<bool, 6> FrameOptions::*member;
};
constexpr std::array<NamedGroups, 7> kGroups{{{"geomGroups", &FrameOptions::geomGroups},
                                              {"siteGroups", &FrameOptions::siteGroups},
                                              {"jointGroups", &FrameOptions::jointGroups},
                                              {"tendonGroups", &FrameOptions::tendonGroups},
                                              {"actuatorGroups", &FrameOptions::actuatorGroups},
                                              {"flexGroups", &FrameOptions::flexGroups},
                                              {"skinGroups", &FrameOptions::skinGroups}}};

struct NamedFlag {
  const char* name;
  bool FrameOptions::*member;
};
constexpr std::array<NamedFlag, 12> kFlags{{{"contactPoints", &FrameOptions::contactPoints},
                                            {"contactForces", &FrameOptions::contactForces},
                                            {"transparent", &FrameOptions::transparent},
                                            {"tendons", &FrameOptions::tendons},
                                            {"skins", &FrameOptions::skins},
                                            {"joints", &FrameOptions::joints},
                                            {"actuators", &FrameOptions::actuators},
                                            {"com", &FrameOptions::centersOfMass},
                                            {"inertia", &FrameOptions::inertias},
                                            {"constraints", &FrameOptions::constraints},
                                            {"cameras", &FrameOptions::cameras},
                                            {"lights", &FrameOptions::lights}}};

constexpr std::array<const char*, 5> kFrames{"none", "world", "body", "geom", "site"};
constexpr std::array<const char*, 7> kLabels{"none", "bodies", "joints", "geoms", "sites", "flexes", "selection"};

template <std::size_t n>
std::size_t choiceAt(const Json& j, const char* name, const std::array<const char*, n>& choices) {
  const std::string text = textAt(j, name);
  for (std::size_t i = 0; i < n; ++i) {
    if (text == choices[i]) return i;
  }
  throw Refusal{fmt::format("'{}' must be one of {}", name, fmt::join(choices, ", "))};
}

}  // namespace

ViewerCamera firstCamera(const Scene& scene) {
  const int fixed = scene.visual.cameraid;
  return {fixed >= 0 && fixed < static_cast<int>(scene.cameras.size()) ? fixed : -1, defaultFreeCamera(scene)};
}

Json cameraJson(const ViewerCamera& camera) {
  return {{"fixed", camera.fixed},          {"lookat", camera.free.lookat},       {"distance", camera.free.distance},
          {"azimuth", camera.free.azimuth}, {"elevation", camera.free.elevation}, {"body", camera.free.trackBody}};
}

ViewerCamera cameraFrom(const Json& j, ViewerCamera camera, const Model& m) {
  if (j.contains("fixed")) {
    camera.fixed = numberAt(j, "fixed") < 0 ? -1 : indexAt(j, "fixed", m.ncam);
  }
  if (j.contains("body")) {
    camera.free.trackBody = numberAt(j, "body") < 0 ? -1 : indexAt(j, "body", m.nbody);
  }
  if (j.contains("lookat")) camera.free.lookat = arrayAt<3>(j, "lookat");
  for (const auto& [name, value] :
       {std::pair{"distance", &camera.free.distance}, std::pair{"azimuth", &camera.free.azimuth},
        std::pair{"elevation", &camera.free.elevation}}) {
    if (j.contains(name)) *value = numberAt(j, name);
  }
  return camera;
}

Json shownJson(const ViewerShown& shown) {
  Json j = Json::object();
  for (const NamedGroups& g : kGroups) j[g.name] = shown.frame.*g.member;
  for (const NamedFlag& f : kFlags) j[f.name] = shown.frame.*f.member;
  const auto frames = static_cast<std::size_t>(shown.frame.frames);
  j["frames"] = kFrames[frames < kFrames.size() ? frames : 0];
  j["labels"] = shown.labels;
  return j;
}

ViewerShown shownFrom(const Json& j, ViewerShown shown) {
  for (const NamedGroups& g : kGroups) {
    if (!j.contains(g.name)) continue;
    const Json& list = j[g.name];
    if (!list.is_array() || list.size() != 6) throw Refusal{fmt::format("'{}' must be six of true and false", g.name)};
    for (std::size_t i = 0; i < 6; ++i) {
      if (!list[i].is_boolean()) throw Refusal{fmt::format("'{}' must be six of true and false", g.name)};
      (shown.frame.*g.member)[i] = list[i].get<bool>();
    }
  }
  for (const NamedFlag& f : kFlags) {
    if (j.contains(f.name)) shown.frame.*f.member = boolAt(j, f.name);
  }
  if (j.contains("frames")) shown.frame.frames = static_cast<FrameKind>(choiceAt(j, "frames", kFrames));
  if (j.contains("labels")) shown.labels = kLabels[choiceAt(j, "labels", kLabels)];
  return shown;
}

}  // namespace sinew::view
