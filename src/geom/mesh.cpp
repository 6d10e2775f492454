#include "geom/mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "geom/mesh_error.h"
#include "math/eigen3.h"

namespace sinew::geom {
namespace {

constexpr double kFlat = 1e-9;  // area below this fraction of diagonal^2, volume below it of diagonal^3: flat

/// A x for every 3-vector of a float array, computed in double.
void rotateAll(std::vector<float>& vectors, const Mat3& A) {
  for (std::size_t i = 0; i < vectors.size(); i += 3) {
    const Vec3 v = A * Vec3(vectors[i], vectors[i + 1], vectors[i + 2]);
    for (int k = 0; k < 3; ++k) vectors[i + static_cast<std::size_t>(k)] = static_cast<float>(v[k]);
  }
}

/// Normals are covectors: they take the inverse scale. A normal that vanishes becomes +z.
void scaleNormals(std::vector<float>& normals, const Vec3& scale) {
  for (std::size_t i = 0; i < normals.size(); i += 3) {
    Vec3 n(normals[i] / scale.x(), normals[i + 1] / scale.y(), normals[i + 2] / scale.z());
    n = n.squaredNorm() > kMinVal ? Vec3(n.normalized()) : Vec3(0, 0, 1);
    for (int k = 0; k < 3; ++k) normals[i + static_cast<std::size_t>(k)] = static_cast<float>(n[k]);
  }
}

void applyReference(std::vector<double>& points, std::vector<float>& normals, const MeshOptions& options) {
  const Mat3 inverseRotation = toMatrix(normalized(options.refquat)).transpose();
  for (int i = 0; 3 * static_cast<std::size_t>(i) < points.size(); ++i) {
    MapVec3 p = vec3(points.data(), i);
    p = options.scale.cwiseProduct(inverseRotation * (p - options.refpos)).eval();
    if (!p.allFinite()) throw MeshError("vertex " + std::to_string(i) + " is not finite after scaling");
  }
  rotateAll(normals, inverseRotation);
  scaleNormals(normals, options.scale);
}

/// Diagonal of the box around the corners of all faces.
double faceDiagonal(std::span<const double> points, std::span<const int> faces) {
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity()), upper = -lower;
  for (const int v : faces) {
    lower = lower.cwiseMin(vec3(points.data(), v));
    upper = upper.cwiseMax(vec3(points.data(), v));
  }
  return (upper - lower).norm();
}

/// The hull if the mesh needs one. A flat mesh has none, which is an error unless `flatIsAllowed`.
std::optional<HullGraph> hullIfNeeded(const std::vector<double>& points, const MeshOptions& options, bool hasFaces,
                                      bool flatIsAllowed, std::vector<std::string>& warnings) {
  const bool needed = options.needHull || !hasFaces || options.inertia == MeshInertia::Convex;
  if (!needed) return std::nullopt;
  try {
    return convexHull(points, options.maxHullVertices);
  } catch (const MeshError& error) {
    if (!flatIsAllowed) throw;
    warnings.push_back(std::string("the mesh cannot collide: ") + error.what());
    return std::nullopt;
  }
}

/// Mass properties, or nothing if the solid modes find no volume. What is nearly flat has one, down to kMinVal, unless
/// it has to be exact.
std::optional<SurfaceMass> massOf(const TriMesh& input, std::span<const double> points, std::span<const int> faces,
                                  const std::optional<HullGraph>& hull, MeshInertia mode, double flatVolume) {
  const Vec3 centroid = surfaceArea(points, faces).com;
  if (mode == MeshInertia::Shell) return surfaceMass(points, faces, centroid, mode);

  // pyramids that cancel are not the same as no volume, so that a badly wound mesh is not taken for a flat one
  const SurfaceMass unsignedMass = surfaceMass(points, faces, centroid, MeshInertia::Legacy);
  const double leastVolume = mode == MeshInertia::Exact ? std::max(flatVolume, kMinVal) : kMinVal;
  if (unsignedMass.amount < leastVolume) return std::nullopt;
  if (mode == MeshInertia::Legacy) return unsignedMass;
  if (mode == MeshInertia::Exact && !input.face.empty()) requireClosedSurface(input);
  const auto solid = mode == MeshInertia::Convex && hull ? std::span<const int>(hull->faceGlobalId) : faces;
  const SurfaceMass mass = surfaceMass(points, solid, centroid, mode);
  if (mass.amount < leastVolume) return std::nullopt;
  return mass;
}

/// Half sizes of the box with the same moments, b_i = 1/2 sqrt(6 (I_j + I_k - I_i)/amount).
Vec3 equivalentBox(const Vec3& I, double amount) {
  Vec3 half;
  for (int i = 0; i < 3; ++i) {
    const double others = i == 0 ? I[1] + I[2] : i == 1 ? I[0] + I[2] : I[0] + I[1];
    half[i] = 0.5 * std::sqrt(std::max(0.0, 6 * (others - I[i]) / amount));
  }
  return half;
}

/// What is wrong with principal moments, or "".
std::string flawOf(const Vec3& I) {
  if (!(I.minCoeff() > 0)) return "a principal moment of inertia is not positive";
  const double slack = 1e-6 * I.maxCoeff() + 1e-9;
  if (I.sum() - 2 * I.maxCoeff() < -slack) return "principal moments of inertia violate A + B >= C";
  return "";
}

}  // namespace

Vec3 Mesh::inertiaForMass(double mass) const {
  const Vec3 b2 = boxHalf.cwiseAbs2();
  return mass * Vec3(b2[1] + b2[2], b2[0] + b2[2], b2[0] + b2[1]) / 3;
}

Mesh processMesh(const TriMesh& input, const MeshOptions& options) {
  checkMesh(input);
  Mesh mesh;
  mesh.warnings = input.warnings;
  mesh.face = input.face;
  mesh.normal = input.normal;
  mesh.isShell = options.inertia == MeshInertia::Shell;
  std::vector<double> points(input.vertex.begin(), input.vertex.end());

  // hull and sides from the vertices as they were read
  const bool flatIsAllowed = !mesh.isShell && !input.face.empty();
  mesh.hull = hullIfNeeded(points, options, !input.face.empty(), flatIsAllowed, mesh.warnings);
  mesh.polygons = hullPolygons(mesh.hull.value_or(HullGraph{}), points);
  if (mesh.face.empty()) mesh.face = mesh.hull->faceGlobalId;

  applyReference(points, mesh.normal, options);
  if (options.scale.prod() < 0)
    for (std::size_t i = 0; i < mesh.face.size(); i += 3) std::swap(mesh.face[i + 1], mesh.face[i + 2]);

  const double diagonal = faceDiagonal(points, mesh.face);
  if (!(surfaceArea(points, mesh.face).amount > kFlat * diagonal * diagonal))
    throw MeshError("the surface area is too small");
  const double flatVolume = kFlat * diagonal * diagonal * diagonal;
  const auto mass = massOf(input, points, mesh.face, mesh.hull, options.inertia, flatVolume);
  const EigenRule rule = options.inertia == MeshInertia::Exact ? EigenRule::Accurate : EigenRule::Reference;
  const Eigen3 principal = mass ? eigen3(mass->inertia, rule) : Eigen3{};
  const std::string flaw = mass ? flawOf(principal.values) : "";
  const bool isFlat = !mass || (!flaw.empty() && mass->amount < flatVolume);  // the volume of flat faces is rounding
  if (!isFlat && !flaw.empty()) throw MeshError(flaw);
  if (!isFlat) {
    mesh.amount = mass->amount;
    mesh.inertia = principal.values;
    mesh.boxHalf = equivalentBox(principal.values, mass->amount);
    mesh.frame = {mass->com, principal.axes};
  } else {
    mesh.warnings.push_back("the mesh has no volume and contributes no mass; inertia=\"shell\" would give it some");
  }

  // into the principal frame, and to single precision
  const Mat3 toOwn = toMatrix(mesh.frame.quat.conjugate());
  mesh.lower.setConstant(std::numeric_limits<double>::infinity());
  mesh.upper = -mesh.lower;
  for (int i = 0; i < input.numVertices(); ++i) {
    MapVec3 p = vec3(points.data(), i);
    p = (toOwn * (p - mesh.frame.pos)).eval();
    mesh.lower = mesh.lower.cwiseMin(p);
    mesh.upper = mesh.upper.cwiseMax(p);
  }
  if (mesh.geomSize().maxCoeff() > std::numeric_limits<float>::max())
    throw MeshError("the mesh is too large for single precision");
  rotateAll(mesh.normal, toOwn);
  setPolygonNormals(mesh.polygons, points);
  mesh.vertex.reserve(points.size());
  for (const double x : points) mesh.vertex.push_back(static_cast<float>(x));
  return mesh;
}

ShapeFit fitShape(const Mesh& mesh, GeomType type, bool toBoundingBox, double fitScale) {
  ShapeFit fit;
  const Vec3 b = toBoundingBox ? Vec3(mesh.upper - (mesh.lower + mesh.upper) / 2) : mesh.boxHalf;
  if (toBoundingBox) fit.center = (mesh.lower + mesh.upper) / 2;
  const double radius = toBoundingBox ? std::max(b[0], b[1]) : (b[0] + b[1]) / 2;
  switch (type) {
    case GeomType::Sphere:
      fit.size[0] = toBoundingBox ? b.maxCoeff() : b.sum() / 3;
      break;
    case GeomType::Capsule:
      // a bounding capsule's caps count in its length; one of equal inertia is cut by half a radius, by convention
      fit.size = {radius, toBoundingBox ? b[2] - radius : std::max(0.0, b[2] - radius / 2), 0};
      break;
    case GeomType::Cylinder:
      fit.size = {radius, b[2], 0};
      break;
    case GeomType::Ellipsoid:
    case GeomType::Box:
      fit.size = b;
      break;
    default:
      throw MeshError("only a sphere, capsule, cylinder, ellipsoid or box can be fitted to a mesh");
  }
  fit.size *= fitScale;
  return fit;
}

}  // namespace sinew::geom
