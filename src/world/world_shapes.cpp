#include "world/world_shapes.h"

#include <fmt/format.h>

#include "constraints/checks.h"
#include "constraints/vectors.h"

namespace sinew {
namespace {

/// Contacts of a geom have these many rows: normal; sliding; spinning; rolling.
int dimensionFor(const spec::Vec3& friction, bool spins, bool rolls) {
  if (rolls) return 6;
  if (spins) return 4;
  return friction[0] > 0 ? 3 : 1;
}

struct ShapeWriter {
  const std::string& who;
  const std::string& meshName;
  spec::Geom& geom;

  double size(const char* what, double value) const {
    check::positive(who, what, value);
    return value;
  }
  void operator()(const Sphere& s) const {
    geom.type = GeomType::Sphere;
    geom.size = {size("radius", s.radius), 0, 0};
  }
  void operator()(const Box& b) const {
    geom.type = GeomType::Box;
    for (std::size_t i = 0; i < 3; ++i) geom.size[i] = size("half size", b.halfSize[i]);
  }
  void operator()(const Capsule& c) const {
    geom.type = GeomType::Capsule;
    geom.size = {size("radius", c.radius), size("half length", c.halfLength), 0};
  }
  void operator()(const Cylinder& c) const {
    geom.type = GeomType::Cylinder;
    geom.size = {size("radius", c.radius), size("half length", c.halfLength), 0};
  }
  void operator()(const Ellipsoid& e) const {
    geom.type = GeomType::Ellipsoid;
    for (std::size_t i = 0; i < 3; ++i) geom.size[i] = size("radius", e.radii[i]);
  }
  void operator()(const Plane&) const {
    geom.type = GeomType::Plane;
    geom.size = {0, 0, 1};  // without end
  }
  void operator()(const TriangleMesh&) const {
    geom.type = GeomType::Mesh;
    geom.mesh = meshName;
  }
};

}  // namespace

void checkSurface(const std::string& who, const BodyOptions& body) {
  check::fraction(who, "restitution", body.restitution);
  check::notNegative(who, "friction", body.friction);
  check::notNegative(who, "torsional friction", body.torsionalFriction);
  check::notNegative(who, "rolling friction", body.rollingFriction);
}

void setSurface(spec::Geom& geom, const BodyOptions& body) {
  geom.restitution = body.restitution;
  geom.friction = {body.friction, body.torsionalFriction, body.rollingFriction};
  geom.condim = dimensionFor(geom.friction, body.torsionalFriction > 0, body.rollingFriction > 0);
  geom.contype = body.contype;
  geom.conaffinity = body.conaffinity;
}

void setSlidingFriction(spec::Geom& geom, double friction) {
  geom.friction[0] = friction;
  geom.condim = dimensionFor(geom.friction, geom.condim >= 4, geom.condim == 6);
}

spec::Geom makeGeom(const std::string& who, const Part& part, const std::string& meshName) {
  check::finite(who, "position of a part", part.pos);
  spec::Geom geom;
  geom.pos = part.pos;
  geom.orientation.quat = checkedOrientation(who, part.quat);
  std::visit(ShapeWriter{who, meshName, geom}, part.shape);
  return geom;
}

spec::Mesh makeMesh(const std::string& who, const TriangleMesh& mesh) {
  if (mesh.vertices.size() < 4) {
    check::fail(who, "number of mesh vertices", fmt::format("{}", mesh.vertices.size()), "4 or more");
  }
  spec::Mesh asset;
  for (const Vector3& v : mesh.vertices) {
    check::finite(who, "mesh vertex", v);
    for (const double x : v) asset.vertex.push_back(static_cast<float>(x));
  }
  const int count = static_cast<int>(mesh.vertices.size());
  for (const std::array<int, 3>& face : mesh.faces) {
    for (const int v : face) {
      if (v < 0 || v >= count) {
        check::fail(who, "vertex of a mesh face", fmt::format("{}", v), fmt::format("in [0, {}]", count - 1));
      }
      asset.face.push_back(v);
    }
  }
  asset.inertia = mesh.faces.empty() ? spec::MeshInertia::Convex : spec::MeshInertia::Exact;
  return asset;
}

Quaternion checkedOrientation(const std::string& who, const Quaternion& q) {
  check::orientation(who, "orientation", q);
  return fromQuat(normalized(toQuat(q)));
}

}  // namespace sinew
