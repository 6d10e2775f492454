#pragma once

#include "sinew/data.h"
#include "sinew/model.h"
#include "sinew/vector.h"

namespace sinew {

/// Momentum of everything that dofs move, bodies and flex nodes, kg m/s, and angular momentum about `point`, kg m^2/s.
/// Armature does not count. Needs the stages up to comVel().
struct Momentum {
  Vector3 linear{};
  Vector3 angular{};
};
Momentum momentum(const Model& m, const Data& d, const Vector3& point = {});

}  // namespace sinew
