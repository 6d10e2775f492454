#pragma once

#include <string>

#include "sinew/renderer.h"

namespace sinew::render {

/// The bytes in front of the pictures of a GIF that plays again and again.
std::string gifHeader(int width, int height);
/// One picture, shown for `centiseconds`, with 256 colours chosen for it.
std::string gifPicture(const Image& image, int centiseconds);
/// The byte behind the last one.
std::string gifEnd();

}  // namespace sinew::render
