#include "command.h"
#include "pictures.h"

namespace sinew::cli {

int renderPictures(const RenderChoices&) {
  throw CommandError("this sinew was built without its renderer: install libembree-dev and build again", kProblem);
}

std::string drawPicture(const Spec&, const Model&, Data, const std::string&) {
  return "none: built without the renderer (libembree-dev)";
}

}  // namespace sinew::cli
