#pragma once

#include <span>
#include <string>

#include "sinew/spec.h"
#include "sinew/world_types.h"

namespace sinew {

/// Group of the geoms of sensors; rays of a World leave it out.
inline constexpr int kSensorGroup = 5;

/// Throws std::invalid_argument if the restitution or a friction is out of range; `who` names the body.
void checkSurface(const std::string& who, const BodyOptions& body);

/// Writes restitution, friction and what the body meets into a geom. Without friction the contact is one row, with
/// torsional or rolling friction it has those too.
void setSurface(spec::Geom& geom, const BodyOptions& body);
/// Changes the sliding friction alone.
void setSlidingFriction(spec::Geom& geom, double friction);

/// Changes the sliding friction of a surface of triangles.
void setSlidingFriction(spec::Flex& flex, double friction);
/// Lets the surface of a geom move, `velocity` being in the frame of its body.
void setSurfaceVelocity(spec::Geom& geom, const Vector3& velocity);

/// Whether a mesh collides as its hull everywhere: it has no faces, or is closed and convex. Vertices that no face uses
/// do not count. Cost: faces times vertices.
bool isConvexHull(const TriangleMesh& mesh);

/// Triangles that collide one by one, without a name, in the frame of their body. Throws std::invalid_argument for
/// numbers that are impossible.
spec::Flex makeSurface(const std::string& who, const Part& part, const BodyOptions& body);

/// The asset of a height field, without a name; likewise. The lowest point is at 0.
spec::HField makeHeightField(const std::string& who, const HeightField& field);

/// A geom of a body. `assetName` is what a TriangleMesh or HeightField is stored under. Throws std::invalid_argument
/// for sizes and places that are impossible.
spec::Geom makeGeom(const std::string& who, const Part& part, const std::string& assetName);

/// The asset of a mesh, without a name. Throws std::invalid_argument for indices and numbers that are impossible.
spec::Mesh makeMesh(const std::string& who, const TriangleMesh& mesh);

/// Unit quaternion; throws std::invalid_argument if there is none along q.
Quaternion checkedOrientation(const std::string& who, const Quaternion& q);

}  // namespace sinew
