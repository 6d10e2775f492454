#pragma once

#include <span>
#include <string>

#include "sinew/spec.h"
#include "sinew/world_types.h"

namespace sinew {

/// Throws std::invalid_argument if the restitution or a friction is out of range; `who` names the body.
void checkSurface(const std::string& who, const BodyOptions& body);

/// Writes restitution, friction and what the body meets into a geom. Without friction the contact is one row, with
/// torsional or rolling friction it has those too.
void setSurface(spec::Geom& geom, const BodyOptions& body);
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
