#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model_source.h"
#include "sinew/data.h"
#include "sinew/spec.h"

/// All that the command draws: pictures.cpp where the renderer is part of the build, pictures_absent.cpp otherwise.
namespace sinew::cli {

/// Options of `sinew render`.
struct RenderChoices {
  std::string model, out, camera, size, key, controls, what = "rgb";
  std::vector<std::string> show, hide;
  double fps = 30, time = 0, duration = 5;
  std::optional<double> azimuth, elevation, distance;
  std::string lookat, track;
  std::vector<int> groups;
  int samples = 0, occlusion = 0, threads = 0;
  bool noShadows = false, noReflections = false;
  ModelChoices choices;
};

/// Draws the picture or the film; returns the exit code.
int renderPictures(const RenderChoices& choices);

/// Draws the present state into a PNG file and returns the name of the file, or why that cannot be done.
std::string drawPicture(const Spec& spec, const Model& m, Data d, const std::string& file);

}  // namespace sinew::cli
