#pragma once

#include <span>
#include <string>

#include "sinew/spec.h"
#include "sinew/world_types.h"

namespace sinew {

/// What a surface is like.
struct Surface {
  double restitution = 0.5;
  double friction = 0.5;
  double torsionalFriction = 0;
  double rollingFriction = 0;
  int contype = 1;
  int conaffinity = 1;
};

/// Throws std::invalid_argument if something is out of range; `who` names the body.
void checkSurface(const std::string& who, const Surface& surface);

/// Writes restitution and friction into a geom. Without friction the contact is one row, with torsional or rolling
/// friction it has those too.
void setSurface(spec::Geom& geom, const Surface& surface);
/// Changes the sliding friction alone.
void setSlidingFriction(spec::Geom& geom, double friction);

/// A geom of a body. `meshName` is the asset a TriangleMesh is stored under. Throws std::invalid_argument for sizes and
/// places that are impossible.
spec::Geom makeGeom(const std::string& who, const Part& part, const std::string& meshName);

/// The asset of a mesh, without a name. Throws std::invalid_argument for indices and numbers that are impossible.
spec::Mesh makeMesh(const std::string& who, const TriangleMesh& mesh);

/// Unit quaternion; throws std::invalid_argument if there is none along q.
Quaternion checkedOrientation(const std::string& who, const Quaternion& q);

}  // namespace sinew
