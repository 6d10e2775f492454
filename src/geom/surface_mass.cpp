#include "geom/surface_mass.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "geom/mesh_error.h"

namespace sinew::geom {
namespace {

struct Triangle {
  Vec3 a, b, c;

  Triangle(std::span<const double> points, const int* corner)
      : a(vec3(points.data(), corner[0])), b(vec3(points.data(), corner[1])), c(vec3(points.data(), corner[2])) {}

  Vec3 center() const { return (a + b + c) / 3; }
  /// Normal with the length of the area.
  Vec3 areaVector() const { return 0.5 * (b - a).cross(c - a); }
};

/// 2 sum over corners x x^T + sum over pairs of corners (x y^T + y x^T): twelve times the mean of x x^T over the face.
Mat3 cornerProducts(const Triangle& t) {
  const Vec3 sum = t.a + t.b + t.c;
  return sum * sum.transpose() + t.a * t.a.transpose() + t.b * t.b.transpose() + t.c * t.c.transpose();
}

}  // namespace

SurfaceMass surfaceArea(std::span<const double> points, std::span<const int> faces) {
  SurfaceMass out;
  for (std::size_t i = 0; i < faces.size(); i += 3) {
    const Triangle t(points, &faces[i]);
    const double area = t.areaVector().norm();
    out.amount += area;
    out.com += area * t.center();
  }
  if (out.amount > 0) out.com /= out.amount;
  return out;
}

SurfaceMass surfaceMass(std::span<const double> points, std::span<const int> faces, const Vec3& reference,
                        MeshInertia mode) {
  const auto amountOf = [mode](const Triangle& t, const Vec3& apex) {
    if (mode == MeshInertia::Shell) return t.areaVector().norm();
    const double volume = t.areaVector().dot(t.center() - apex) / 3;
    return mode == MeshInertia::Legacy ? std::abs(volume) : volume;
  };
  SurfaceMass out;
  out.com = reference;
  double total = 0;
  Vec3 moment = Vec3::Zero();
  for (std::size_t i = 0; i < faces.size(); i += 3) {
    const Triangle t(points, &faces[i]);
    const double amount = amountOf(t, reference);
    const double lever = mode == MeshInertia::Shell ? 1.0 : 0.75;
    total += amount;
    moment += amount * lever * (t.center() - reference);
  }
  if (total == 0) return out;
  out.com = reference + moment / total;

  // the amount is summed again from the com: for Legacy it is not the same number
  double amountSum = 0;
  Mat3 products = Mat3::Zero();
  for (std::size_t i = 0; i < faces.size(); i += 3) {
    Triangle t(points, &faces[i]);
    t.a -= out.com, t.b -= out.com, t.c -= out.com;
    const double amount = amountOf(t, Vec3::Zero());
    amountSum += amount;
    products += amount / (mode == MeshInertia::Shell ? 12 : 20) * cornerProducts(t);
  }
  const double sign = amountSum < 0 ? -1 : 1;
  out.amount = sign * amountSum;
  out.inertia = sign * (products.trace() * Mat3::Identity() - products);
  return out;
}

void requireClosedSurface(const TriMesh& mesh) {
  // the first vertex at each place stands for all of them
  std::map<std::array<float, 3>, int> places;
  std::vector<int> standIn;
  for (int i = 0; i < mesh.numVertices(); ++i) {
    const float* v = &mesh.vertex[3 * static_cast<std::size_t>(i)];
    standIn.push_back(places.emplace(std::array<float, 3>{v[0], v[1], v[2]}, i).first->second);
  }

  // every passage of an edge: its lower and upper vertex, and +1 or -1 for the direction
  std::vector<std::tuple<int, int, int>> passages;
  for (std::size_t i = 0; i < mesh.face.size(); i += 3) {
    int corner[3];
    for (std::size_t k = 0; k < 3; ++k) corner[k] = standIn[static_cast<std::size_t>(mesh.face[i + k])];
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = corner[k], to = corner[(k + 1) % 3];
      passages.emplace_back(std::min(from, to), std::max(from, to), from < to ? 1 : -1);
    }
  }
  std::sort(passages.begin(), passages.end());

  for (std::size_t begin = 0, end = 0; begin < passages.size(); begin = end) {
    const auto [lo, hi, first] = passages[begin];
    int balance = 0;
    for (end = begin; end < passages.size(); ++end) {
      const auto [l, h, direction] = passages[end];
      if (l != lo || h != hi) break;
      balance += direction;
    }
    if (balance == 0) continue;
    const std::string edge = "the edge between vertices " + std::to_string(lo) + " and " + std::to_string(hi);
    if (end - begin == 1) throw MeshError("the surface is open: " + edge + " belongs to one face only");
    throw MeshError("faces have inconsistent orientation: " + edge + " is passed " + std::to_string(end - begin) +
                    " times, not equally in both directions");
  }
}

}  // namespace sinew::geom
