#pragma once

#include <vector>

#include "geom/mesh_load.h"

namespace sinew::geom {

/// 8-bit pixels, rows from top to bottom.
struct GrayImage {
  int width = 0;
  int height = 0;
  std::vector<unsigned char> pixel;
};

/// Reads any PNG as 8-bit gray the way the reference engine does: the red channel of color images, the upper byte of 16
/// bits, fewer bits stretched to 0..255; alpha and gamma are ignored. Throws MeshError on a bad file and on images
/// of more than 2^25 pixels.
GrayImage readPngGray(Bytes data);

}  // namespace sinew::geom
