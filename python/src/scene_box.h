#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sinew/load.h"
#include "sinew/scene.h"

namespace sinew::python {

/// What is drawn of a Model: one for all Renderers of the Model, so that what a program changes in it shows in all.
struct SceneBox {
  std::shared_ptr<Scene> scene;
  Frame frame;  ///< of lightPoses()
};

/// Where the description of a model is: a file, or text and the folder its files are in; or nowhere.
inline std::optional<Spec> describe(const std::string& file, const std::string& text, const std::string& folder) {
  if (!file.empty()) return readMjcf(file);
  if (!text.empty()) return readMjcfText(text, "model.xml", folder);
  return std::nullopt;
}

}  // namespace sinew::python
