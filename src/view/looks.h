#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sinew/model.h"
#include "sinew/scene.h"
#include "sinew/viewer.h"

/// How windows look at the scene, as messages.
namespace sinew::view {

/// The camera that windows start with.
ViewerCamera firstCamera(const Scene& scene);

nlohmann::json cameraJson(const ViewerCamera& camera);
/// What a window says about its camera; what it leaves out stays. Throws Refusal.
ViewerCamera cameraFrom(const nlohmann::json& j, ViewerCamera camera, const Model& m);

nlohmann::json shownJson(const ViewerShown& shown);
/// What a window says that it shows; what it leaves out stays. Throws Refusal.
ViewerShown shownFrom(const nlohmann::json& j, ViewerShown shown);

}  // namespace sinew::view
