#include "world/world_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>

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
  const std::string& assetName;
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
    geom.mesh = assetName;
  }
  void operator()(const HeightField& field) const {
    geom.type = GeomType::HField;
    geom.hfield = assetName;
    // the asset's lowest point is at 0
    const double low = *std::min_element(field.heights.begin(), field.heights.end());
    const Vec3 up = rotate(toQuat(geom.orientation.quat), Vec3(0, 0, low));
    geom.pos = fromEigen(toEigen(geom.pos) + up);
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
  geom.contype = body.sensor ? 0 : body.contype;
  geom.conaffinity = body.sensor ? 0 : body.conaffinity;
  if (!body.sensor) return;
  geom.group = kSensorGroup;
  geom.rgba = {0.2f, 0.8f, 0.2f, 0.2f};
}

void setSlidingFriction(spec::Flex& flex, double friction) {
  spec::FlexContact& contact = flex.contact;
  contact.friction[0] = friction;
  contact.condim = dimensionFor({friction, 0, 0}, *contact.condim >= 4, *contact.condim == 6);
}

void setSurfaceVelocity(spec::Geom& geom, const Vector3& velocity) {
  const Vec3 inGeom = rotate(toQuat(geom.orientation.quat).conjugate(), toEigen(velocity));
  geom.surfacevel = {inGeom[0], inGeom[1], inGeom[2], 0, 0, 0};
}

void setSlidingFriction(spec::Geom& geom, double friction) {
  geom.friction[0] = friction;
  geom.condim = dimensionFor(geom.friction, geom.condim >= 4, geom.condim == 6);
}

spec::Geom makeGeom(const std::string& who, const Part& part, const std::string& assetName) {
  check::finite(who, "position of a part", part.position);
  spec::Geom geom;
  geom.pos = part.position;
  geom.orientation.quat = checkedOrientation(who, part.orientation);
  std::visit(ShapeWriter{who, assetName, geom}, part.shape);
  return geom;
}

namespace {

/// Throws std::invalid_argument for numbers that no mesh can have.
void checkMesh(const std::string& who, const TriangleMesh& mesh, std::size_t fewest) {
  if (mesh.vertices.size() < fewest) {
    check::fail(who, "number of mesh vertices", fmt::format("{}", mesh.vertices.size()),
                fmt::format("{} or more", fewest));
  }
  for (const Vector3& v : mesh.vertices) check::finite(who, "mesh vertex", v);
  const int count = static_cast<int>(mesh.vertices.size());
  for (const std::array<int, 3>& face : mesh.faces) {
    for (const int v : face) {
      if (v < 0 || v >= count) {
        check::fail(who, "vertex of a mesh face", fmt::format("{}", v), fmt::format("in [0, {}]", count - 1));
      }
    }
  }
}

}  // namespace

bool isConvexHull(const TriangleMesh& mesh) {
  if (mesh.faces.empty()) return true;
  const auto isVertex = [&](int v) { return v >= 0 && static_cast<std::size_t>(v) < mesh.vertices.size(); };
  // closed: every edge is passed once in each direction
  std::map<std::pair<int, int>, int> passed;
  for (const std::array<int, 3>& face : mesh.faces) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (!isVertex(face[k])) return true;  // makeMesh() will say so
      if (++passed[{face[k], face[(k + 1) % 3]}] > 1) return false;
    }
  }
  for (const auto& [edge, times] : passed) {
    if (passed.count({edge.second, edge.first}) == 0) return false;
  }
  // convex: no vertex is above a face
  Vec3 low = toEigen(mesh.vertices[mesh.faces[0][0]]), high = low;
  const auto at = [&](int v) { return toEigen(mesh.vertices[v]); };
  for (const std::array<int, 3>& face : mesh.faces) {
    for (const int v : face) low = low.cwiseMin(at(v)), high = high.cwiseMax(at(v));
  }
  constexpr double kFlat = 1e-6;  // of the extent: vertices are stored as float
  const double room = kFlat * (high - low).norm();
  for (const std::array<int, 3>& face : mesh.faces) {
    const Vec3 normal = (at(face[1]) - at(face[0])).cross(at(face[2]) - at(face[0]));
    if (normal.norm() == 0) continue;
    const Vec3 unit = normal.normalized();
    for (const auto& [edge, times] : passed) {
      if (unit.dot(at(edge.first) - at(face[0])) > room) return false;
    }
  }
  return true;
}

spec::Mesh makeMesh(const std::string& who, const TriangleMesh& mesh) {
  checkMesh(who, mesh, 4);
  spec::Mesh asset;
  for (const Vector3& v : mesh.vertices) {
    for (const double x : v) asset.vertex.push_back(static_cast<float>(x));
  }
  for (const std::array<int, 3>& face : mesh.faces) asset.face.insert(asset.face.end(), face.begin(), face.end());
  asset.inertia = mesh.faces.empty() ? spec::MeshInertia::Convex : spec::MeshInertia::Exact;
  return asset;
}

spec::Flex makeSurface(const std::string& who, const Part& part, const BodyOptions& body) {
  const TriangleMesh& mesh = std::get<TriangleMesh>(part.shape);
  checkMesh(who, mesh, 3);
  check::positive(who, "thickness of the mesh", mesh.thickness);
  check::finite(who, "position of a part", part.position);
  const Pose pose{toEigen(part.position), toQuat(checkedOrientation(who, part.orientation))};
  spec::Flex flex;
  flex.dim = 2;
  flex.radius = 0.5 * mesh.thickness;
  for (const Vector3& v : mesh.vertices) {
    const Vec3 inBody = pose.pos + rotate(pose.quat, toEigen(v));
    flex.vertex.insert(flex.vertex.end(), {inBody[0], inBody[1], inBody[2]});
  }
  for (std::size_t i = 0; i < mesh.faces.size(); ++i) {
    const auto& [a, b, c] = mesh.faces[i];
    const auto at = [&](int v) { return toEigen(mesh.vertices[v]); };
    const double area = 0.5 * (at(b) - at(a)).cross(at(c) - at(a)).norm();
    if (!(area > 0)) check::fail(who, fmt::format("area of mesh face {}", i), fmt::format("{} m^2", area), "above 0");
    flex.element.insert(flex.element.end(), {a, b, c});
  }
  spec::FlexContact& contact = flex.contact;
  contact.contype = body.contype;
  contact.conaffinity = body.conaffinity;
  contact.friction = {body.friction, body.torsionalFriction, body.rollingFriction};
  contact.condim = dimensionFor({body.friction, 0, 0}, body.torsionalFriction > 0, body.rollingFriction > 0);
  contact.restitution = body.restitution;
  contact.selfcollide = SelfCollide::None;
  flex.edge.equality = spec::FlexEquality::None;
  return flex;
}

spec::HField makeHeightField(const std::string& who, const HeightField& field) {
  for (const auto& [what, value] : {std::pair{"rows", field.rows}, {"columns", field.columns}}) {
    if (value < 2)
      check::fail(who, fmt::format("number of {} of the height field", what), fmt::format("{}", value), "2 or more");
  }
  check::positive(who, "half size of the height field", field.halfSizeX);
  check::positive(who, "half size of the height field", field.halfSizeY);
  check::positive(who, "base of the height field", field.base);
  const std::size_t count = static_cast<std::size_t>(field.rows) * static_cast<std::size_t>(field.columns);
  if (field.heights.size() != count) {
    check::fail(who, "number of heights", fmt::format("{}", field.heights.size()),
                fmt::format("{} x {} = {}", field.rows, field.columns, count));
  }
  check::finite(who, "height", field.heights);
  const auto [low, high] = std::minmax_element(field.heights.begin(), field.heights.end());
  spec::HField asset;
  asset.nrow = field.rows;
  asset.ncol = field.columns;
  asset.size = {field.halfSizeX, field.halfSizeY, *high > *low ? *high - *low : 1, field.base};
  for (int row = field.rows - 1; row >= 0; --row) {  // MJCF has them from high to low y
    const auto first = field.heights.begin() + static_cast<std::ptrdiff_t>(row) * field.columns;
    std::transform(first, first + field.columns, std::back_inserter(asset.elevation),
                   [low = *low](double h) { return h - low; });
  }
  return asset;
}

Quaternion checkedOrientation(const std::string& who, const Quaternion& q) {
  check::orientation(who, "orientation", q);
  return fromQuat(normalized(toQuat(q)));
}

}  // namespace sinew
