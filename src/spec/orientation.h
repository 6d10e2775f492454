#pragma once

#include <string>

#include "math/quat.h"
#include "sinew/spec.h"

namespace sinew::spec {

/// Why an orientation stands for no rotation, for example a zero axis.
struct OrientationError {
  std::string message;
};

/// The unit quaternion an orientation stands for. An alternative (axisangle, xyaxes, zaxis, euler) wins over `quat`.
/// Angles are in degrees if `degree`; euler follows `eulerseq`: lower case letters turn about the moving axes, upper
/// case ones about the fixed axes. Throws OrientationError.
Quat resolved(const Orientation& orientation, bool degree, const std::string& eulerseq);

}  // namespace sinew::spec
