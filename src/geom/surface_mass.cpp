#include "geom/surface_mass.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "geom/mesh_error.h"
#include "math/ordered_math.h"

namespace sinew::geom {
namespace {

/// One face. Sums are in a fixed order, see ordered_math.h: a regular shape has principal axes that only rounding tells
/// apart.
struct Triangle {
  Vec3 a, b, c;

  Triangle(std::span<const double> points, const int* corner)
      : a(vec3(points.data(), corner[0])), b(vec3(points.data(), corner[1])), c(vec3(points.data(), corner[2])) {}

  Vec3 center() const { return (a + b + c) / 3; }
  double area() const {
    const double length = norm(crossed());
    return length < kMinVal ? 0 : 0.5 * length;
  }
  /// Volume of the pyramid over this face, negative if `apex` is in front of it.
  double volume(const Vec3& apex) const {
    const Vec3 n = crossed();
    const double length = norm(n);
    if (length < kMinVal) return 0;
    return dot(center() - apex, n / length) * (0.5 * length) / 3;
  }

 private:
  Vec3 crossed() const { return (b - a).cross(c - a); }
};

/// 2 sum over corners x_j x_k + sum over pairs of corners (x_j y_k + x_k y_j): twelve times the mean of x_j x_k over
/// the face.
double cornerProduct(const Triangle& t, int j, int k) {
  const Vec3 &a = t.a, &b = t.b, &c = t.c;
  return 2 * (a[j] * a[k] + b[j] * b[k] + c[j] * c[k]) + a[j] * b[k] + a[k] * b[j] + a[j] * c[k] + a[k] * c[j] +
         b[j] * c[k] + b[k] * c[j];
}

}  // namespace

SurfaceMass surfaceArea(std::span<const double> points, std::span<const int> faces) {
  SurfaceMass out;
  for (std::size_t i = 0; i < faces.size(); i += 3) {
    const Triangle t(points, &faces[i]);
    const double area = t.area();
    out.amount += area;
    out.com += area * t.center();
  }
  if (out.amount > 0) out.com /= out.amount;
  return out;
}

SurfaceMass surfaceMass(std::span<const double> points, std::span<const int> faces, const Vec3& reference,
                        MeshInertia mode) {
  const bool isShell = mode == MeshInertia::Shell;
  const auto amountOf = [&](const Triangle& t, const Vec3& apex) {
    if (isShell) return t.area();
    return mode == MeshInertia::Legacy ? std::abs(t.volume(apex)) : t.volume(apex);
  };
  SurfaceMass out;
  out.com = reference;
  double total = 0;
  Vec3 moment = Vec3::Zero();
  for (std::size_t i = 0; i < faces.size(); i += 3) {
    const Triangle t(points, &faces[i]);
    const double amount = amountOf(t, reference);
    total += amount;
    moment += amount * (t.center() * 3 / 4 + reference / 4);
  }
  if (total == 0) return out;
  out.com = moment / total;

  // the amount is summed again from the com: for Legacy it is not the same number
  double amountSum = 0;
  Mat3 products = Mat3::Zero();
  for (std::size_t i = 0; i < faces.size(); i += 3) {
    Triangle t(points, &faces[i]);
    t.a -= out.com, t.b -= out.com, t.c -= out.com;
    const double amount = amountOf(t, Vec3::Zero());
    amountSum += amount;
    for (int j = 0; j < 3; ++j) {
      for (int k = j; k < 3; ++k) products(j, k) += amount / (isShell ? 12 : 20) * cornerProduct(t, j, k);
    }
  }
  const double sign = amountSum < 0 ? -1 : 1;
  out.amount = sign * amountSum;
  for (int j = 0; j < 3; ++j) {
    const int next = (j + 1) % 3, last = (j + 2) % 3;
    out.inertia(j, j) = sign * (products(std::min(next, last), std::min(next, last)) +
                                products(std::max(next, last), std::max(next, last)));
    for (int k = j + 1; k < 3; ++k) out.inertia(j, k) = out.inertia(k, j) = -sign * products(j, k);
  }
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
    for (std::size_t k = 0; k < 3; ++k) corner[k] = standIn[mesh.face[i + k]];
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
