#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "geom/mesh_load.h"
#include "math/types.h"

namespace sinew::geom {

/// Elevations on a grid, scaled to [0, 1] in single precision: the lowest becomes 0 and the highest 1; a flat field is
/// all 0.
struct HeightField {
  int nrow = 0;
  int ncol = 0;
  std::vector<float> data;  ///< row-major; row 0 is at the lowest y, column 0 at the lowest x
};

/// From the `elevation` attribute, whose rows run from top (highest y) to bottom. Empty means flat. Throws MeshError if
/// the numbers are not nrow x ncol or not finite.
HeightField hfieldFromElevation(int nrow, int ncol, std::span<const double> elevation);

/// From a file: PNG (gray values; the top row of the image is at the highest y), or the reference engine's binary
/// format (int32 rows, int32 columns, float32 elevations from the lowest row up, little-endian). The content type
/// ("image/png", "image/vnd.mujoco.hfield") decides, then the extension .png; anything else is taken as binary.
HeightField loadHfield(Bytes data, std::string_view fileName, std::string_view contentType = {});

}  // namespace sinew::geom
