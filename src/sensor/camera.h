#pragma once

#include "math/types.h"
#include "sinew/data.h"
#include "sinew/model.h"

/// Pin-hole (and orthographic) geometry of cameras. A camera looks along its -z axis, x to the right, y up; pixel (0,
/// 0) is at the top left.
namespace sinew {

struct Pixel {
  double x, y;
};

/// Where a world point appears in the image of a perspective camera, in pixels.
Pixel projectToCamera(const Model& m, const Data& d, int camera, const Vec3& point);

/// Focal lengths and principal point in pixels; for orthographic cameras half the image size, and its centre.
struct Intrinsics {
  double fx, fy, cx, cy;
};
Intrinsics cameraIntrinsics(const Model& m, int camera);

/// The ray through the centre of a pixel, world axes; the direction has unit length.
struct PixelRay {
  Vec3 origin;
  Vec3 direction;
};
PixelRay pixelRay(const Model& m, const Data& d, int camera, const Intrinsics& intrinsics, int column, int row);

}  // namespace sinew
