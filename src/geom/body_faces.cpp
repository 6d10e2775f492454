#include "geom/body_faces.h"

#include "math/ordered_math.h"

namespace sinew::geom {
namespace {

/// Corners of the sides of a box, clockwise from outside.
constexpr std::array<std::array<int, 4>, 6> kBoxFace = {
    {{7, 3, 1, 5}, {2, 6, 4, 0}, {2, 3, 7, 6}, {4, 5, 1, 0}, {6, 7, 5, 4}, {3, 2, 0, 1}}};

}  // namespace

bool hasFaces(const ConvexBody& body) { return body.isBox() || (body.isMesh() && body.hull().polynum > 0); }

Vec3 cornerPoint(const ConvexBody& body, int corner) {
  if (body.isBox()) {
    const Vec3& s = body.size();
    const Vec3 local(corner & 1 ? s[0] : -s[0], corner & 2 ? s[1] : -s[1], corner & 4 ? s[2] : -s[2]);
    return apply(body.rot(), local) + body.pos();
  }
  const float* v = body.hull().vertex.data() + 3 * static_cast<std::size_t>(corner);
  return apply(body.rot(), Vec3(static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2]))) +
         body.pos();
}

Vec3 faceNormal(const ConvexBody& body, int face) {
  if (body.isBox()) return apply(body.rot(), (face % 2 == 0 ? 1.0 : -1.0) * Vec3::Unit(face / 2));
  const double* n = body.hull().polynormal + 3 * static_cast<std::size_t>(face);
  return apply(body.rot(), Vec3(n[0], n[1], n[2]));
}

void faceCorners(const ConvexBody& body, int face, std::vector<Vec3>& corners) {
  corners.clear();
  if (body.isBox()) {
    for (const int code : kBoxFace[face]) corners.push_back(cornerPoint(body, code));
    return;
  }
  const std::span<const int> corner = polygonVertices(body.hull(), face);
  for (std::size_t i = corner.size(); i-- > 0;) corners.push_back(cornerPoint(body, corner[i]));
}

std::span<const int> polygonsAround(const HullView& hull, int vertex) {
  return {hull.polymap + hull.polymapadr[vertex], static_cast<std::size_t>(hull.polymapnum[vertex])};
}

std::span<const int> polygonVertices(const HullView& hull, int polygon) {
  return {hull.polyvert + hull.polyvertadr[polygon], static_cast<std::size_t>(hull.polyvertnum[polygon])};
}

Face faceAlong(ConvexBody& body, const Vec3& direction) {
  if (body.isBox()) {
    const Vec3 local = applyTransposed(body.rot(), direction);
    int axis = 0;
    local.cwiseAbs().maxCoeff(&axis);
    const int face = 2 * axis + (local[axis] < 0 ? 1 : 0);
    return {face, faceNormal(body, face)};
  }
  body.support(direction);
  Face best;
  double nearest = -1;
  for (const int polygon : polygonsAround(body.hull(), body.lastVertex())) {
    const Vec3 normal = faceNormal(body, polygon);
    if (!(dot(normal, direction) > nearest)) continue;
    nearest = dot(normal, direction);
    best = {polygon, normal};
  }
  return best;
}

}  // namespace sinew::geom
