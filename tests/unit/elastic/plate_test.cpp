#include "elastic/plate.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "compile/flex_topology.h"
#include "elastic/hinge.h"
#include "elastic/sliver.h"

namespace sinew::elastic {
namespace {

struct Mesh {
  std::vector<Vec3> rest;
  std::vector<int> triangles;
  std::vector<char> fixed;
  std::vector<std::array<int, 4>> hinges() const { return draft::topologyOf(2, triangles).hinges; }
  int count() const { return static_cast<int>(triangles.size() / 3); }
  const int* corners(int t) const { return &triangles[3 * t]; }
  const Vec3& corner(int t, int i) const { return rest[corners(t)[i]]; }
  double area(int t) const { return 0.5 * (corner(t, 1) - corner(t, 0)).cross(corner(t, 2) - corner(t, 0)).norm(); }
};

/// A grid of n x n cells whose inner vertices are moved and whose diagonals run as chance has it.
Mesh roughGrid(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> move(-0.25, 0.25);
  Mesh mesh;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      const bool inside = i > 0 && j > 0 && i < n && j < n;
      mesh.rest.emplace_back(i + (inside ? move(random) : 0), j + (inside ? move(random) : 0), 0);
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j, b = a + n + 1, c = b + 1, d = a + 1;
      const std::array<int, 6> one{a, b, c, a, c, d}, two{a, b, d, b, c, d};
      const auto& both = random() % 2 ? one : two;
      mesh.triangles.insert(mesh.triangles.end(), both.begin(), both.end());
    }
  }
  mesh.fixed.assign(mesh.triangles.size() / 3, 0);
  return mesh;
}

PlateBending bendingOf(const Mesh& mesh, double poisson = 0.3) {
  const auto hinges = mesh.hinges();
  return plateBending({mesh.rest, mesh.triangles, hinges, mesh.fixed}, 1, poisson);
}

template <int N>
Nodes<N> gather(const std::vector<Vec3>& x, const int* v) {
  Nodes<N> r;
  for (int i = 0; i < N; ++i) r.col(i) = x[v[i]];
  return r;
}

/// Fold angles to first order when the vertices rise by w.
template <class F>
std::vector<double> anglesOf(const Mesh& mesh, F&& w) {
  std::vector<double> angles;
  for (const auto& hinge : mesh.hinges()) {
    const Fold fold = foldOf(gather<4>(mesh.rest, hinge.data()));
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += fold.gradient(2, i) * w(mesh.rest[hinge[i]]);
    angles.push_back(sum);
  }
  return angles;
}

Eigen::Vector3d curvature(const PlateBending& plate, int t, const std::vector<double>& angles) {
  Eigen::Vector3d k = Eigen::Vector3d::Zero();
  for (int i = plate.first[t]; i < plate.first[static_cast<std::size_t>(t) + 1]; ++i) {
    const AngleShare& share = plate.shares[i];
    k += angles[share.hinge] * share.curvature;
  }
  return k;
}

double energy(const Mesh& mesh, const PlateBending& plate, const std::vector<double>& angles) {
  double sum = 0;
  for (int t = 0; t < mesh.count(); ++t) {
    const Eigen::Vector3d k = curvature(plate, t, angles);
    sum += 0.5 * mesh.area(t) * k.dot(plate.D[t] * k);
  }
  return sum;
}

bool atBorder(const Mesh& mesh, int t, int n) {
  int count = 0;
  for (int i = 0; i < 3; ++i) {
    const Vec3& x = mesh.corner(t, i);
    count += x[0] == 0 || x[1] == 0 || x[0] == n || x[1] == n;
  }
  return count > 1;
}

// Quadratic surfaces are found exactly, whatever the triangles.
TEST(ElasticPlate, SHELL_3_ConstantCurvatureIsExactOnAnyMesh) {
  constexpr int n = 6;
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Mesh mesh = roughGrid(n, seed);
    const PlateBending plate = bendingOf(mesh);
    const auto angles = anglesOf(
        mesh, [](const Vec3& x) { return 0.5 * x[0] * x[0] - 0.8 * x[1] * x[1] + 0.7 * x[0] * x[1] + x[0] - 3; });
    int inner = 0;
    for (int t = 0; t < mesh.count(); ++t) {
      if (atBorder(mesh, t, n)) continue;  // there the slope of the free edge is not part of the curvature
      ++inner;
      const Eigen::Vector3d k = curvature(plate, t, angles);
      const Vec3 a = (mesh.corner(t, 1) - mesh.corner(t, 0)).normalized(), b = Vec3::UnitZ().cross(a);
      Eigen::Matrix3d H = Eigen::Matrix3d::Zero();
      H.topLeftCorner<2, 2>() << 1, 0.7, 0.7, -1.6;
      EXPECT_NEAR(k[0], a.dot(H * a), 1e-9);
      EXPECT_NEAR(k[1], b.dot(H * b), 1e-9);
      EXPECT_NEAR(k[2], 2 * a.dot(H * b), 1e-9);
    }
    EXPECT_GT(inner, 20);
  }
}

// A constant moment does no work on what vanishes near the border: what one triangle loses at an edge the other gains.
TEST(ElasticPlate, SHELL_3_ConstantMomentsAreInEquilibrium) {
  constexpr int n = 7;
  const Mesh mesh = roughGrid(n, 5);
  const PlateBending plate = bendingOf(mesh);
  Eigen::Matrix3d M;
  M << 1, 0.4, 0, 0.4, -2, 0, 0, 0, 0;
  for (int v = 0; v < static_cast<int>(mesh.rest.size()); ++v) {
    const Vec3& at = mesh.rest[v];
    if (at[0] < 2.5 || at[1] < 2.5 || at[0] > n - 2.5 || at[1] > n - 2.5) continue;
    const auto angles = anglesOf(mesh, [&](const Vec3& x) { return x == at ? 1.0 : 0.0; });
    double work = 0;
    for (int t = 0; t < mesh.count(); ++t) {
      const Vec3 a = (mesh.corner(t, 1) - mesh.corner(t, 0)).normalized(), b = Vec3::UnitZ().cross(a);
      work += mesh.area(t) * Eigen::Vector3d(a.dot(M * a), b.dot(M * b), a.dot(M * b)).dot(curvature(plate, t, angles));
    }
    EXPECT_NEAR(work, 0, 1e-10) << v;
  }
}

/// Bending energy over that of the surface w = sin(k x) with k times the length of a cell = 0.3, where triangles do not
/// see the border; cells are `ratio` times as long as wide.
double energyOfWave(double ratio, bool alternating) {
  constexpr int n = 12;
  constexpr double k = 0.3;
  Mesh mesh;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) mesh.rest.emplace_back(i, j / ratio, 0);
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j, b = a + n + 1, c = b + 1, d = a + 1;
      const std::array<int, 6> one{a, b, c, a, c, d}, two{a, b, d, b, c, d};
      const auto& both = alternating && (i + j) % 2 ? two : one;
      mesh.triangles.insert(mesh.triangles.end(), both.begin(), both.end());
    }
  }
  mesh.fixed.assign(mesh.triangles.size() / 3, 0);
  const PlateBending plate = bendingOf(mesh);
  const auto angles = anglesOf(mesh, [](const Vec3& x) { return std::sin(k * x[0]); });
  double sum = 0, exact = 0;
  for (int t = 0; t < mesh.count(); ++t) {
    const Vec3 centre = (mesh.corner(t, 0) + mesh.corner(t, 1) + mesh.corner(t, 2)) / 3;
    if (std::min(centre[0], n - centre[0]) < 3 || std::min(centre[1], n / ratio - centre[1]) < 3 / ratio) continue;
    const Eigen::Vector3d bent = curvature(plate, t, angles);
    sum += 0.5 * mesh.area(t) * bent.dot(plate.D[t] * bent);
    exact += 0.5 * mesh.area(t) * std::pow(k * k * std::sin(k * centre[0]), 2);
  }
  return sum / exact;
}

// Patches of meshes whose diagonals all run one way are oblique: a quadratic surface that fits their vertices best
// takes the third derivative along long cells for a curvature across them (1.14, 16 and 150000 times the energy).
TEST(ElasticPlate, SHELL_3_LongCellsWithParallelDiagonalsBendAsTheSurface) {
  constexpr double kSecondOrder = 0.5 * 0.3 * 0.3;
  for (const double ratio : {0.1, 0.3, 1.0, 3.0, 10.0, 100.0}) {
    EXPECT_NEAR(energyOfWave(ratio, false), 1, kSecondOrder) << ratio;
    EXPECT_NEAR(energyOfWave(ratio, true), 1, kSecondOrder) << ratio;
  }
}

TEST(ElasticPlate, SHELL_3_OrientationOfTrianglesDoesNotMatter) {
  const Mesh mesh = roughGrid(5, 7);
  Mesh mixed = mesh;
  std::mt19937 random(3);
  for (int t = 0; t < mixed.count(); ++t) {
    if (random() % 2)
      std::swap(mixed.triangles[static_cast<std::size_t>(3 * t) + 1],
                mixed.triangles[static_cast<std::size_t>(3 * t) + 2]);
  }
  const auto energyOf = [](const Mesh& m) {
    // large folds: angles of the true shape
    std::vector<Vec3> x = m.rest;
    for (Vec3& p : x) p[2] = 0.3 * std::sin(p[0]) * p[1] + 0.1 * p[0] * p[0];
    std::vector<double> angles;
    for (const auto& hinge : m.hinges()) angles.push_back(foldAngle(gather<4>(x, hinge.data())));
    return energy(m, bendingOf(m), angles);
  };
  EXPECT_GT(energyOf(mesh), 0.1);
  EXPECT_NEAR(energyOf(mixed), energyOf(mesh), 1e-9 * energyOf(mesh));
}

TEST(ElasticPlate, SHELL_4_SingleFoldsBoundTheStiffness) {
  for (const double poisson : {0.0, 0.3, 0.45}) {
    const Mesh mesh = roughGrid(5, 11);
    const PlateBending plate = bendingOf(mesh, poisson);
    const auto count = static_cast<Eigen::Index>(plate.bound.size());
    Eigen::MatrixXd S = Eigen::MatrixXd::Zero(count, count);
    for (int t = 0; t < mesh.count(); ++t) {
      for (int i = plate.first[t]; i < plate.first[static_cast<std::size_t>(t) + 1]; ++i) {
        for (int j = plate.first[t]; j < plate.first[static_cast<std::size_t>(t) + 1]; ++j) {
          const AngleShare &a = plate.shares[i], &b = plate.shares[j];
          S(a.hinge, b.hinge) += mesh.area(t) * a.curvature.dot(plate.D[t] * b.curvature);
        }
      }
    }
    const Eigen::VectorXd k = Eigen::Map<const Eigen::VectorXd>(plate.bound.data(), count);
    const Eigen::MatrixXd rest = Eigen::MatrixXd(k.asDiagonal()) - 0.5 * S;
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(rest).eigenvalues()[0], -1e-12);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(S).eigenvalues()[0], -1e-12);
    EXPECT_LT(k.maxCoeff(), 10 * S.diagonal().maxCoeff());
  }
}

// A strip one cell wide bends with E I, not with D: its sides are free. Pairs of triangles are the shortest strips.
TEST(ElasticPlate, SHELL_3_NarrowStripsBendAsBeams) {
  for (const int n : {2, 3, 8}) {
    for (const double width : {0.1, 1.0, 3.0}) {
      Mesh mesh;
      for (int i = 0; i <= n; ++i) {
        for (const double y : {0.0, width}) mesh.rest.emplace_back(i, y, 0);
      }
      for (int i = 0; i < n; ++i) {
        const int a = 2 * i, b = a + 2, c = a + 3, d = a + 1;
        mesh.triangles.insert(mesh.triangles.end(), {a, b, c, a, c, d});
      }
      mesh.fixed.assign(mesh.triangles.size() / 3, 0);
      const double poisson = 0.3;
      const auto angles = anglesOf(mesh, [](const Vec3& x) { return 0.5 * x[0] * x[0]; });
      // the free ends bend nowhere: half of their cells does not count
      const double expected = 0.5 * (1 - poisson * poisson) * width * (n - 1);
      EXPECT_NEAR(energy(mesh, bendingOf(mesh, poisson), angles), expected, (n > 2 ? 0.05 : 0.35) * expected)
          << n << " " << width;
    }
  }
}

TEST(ElasticPlate, SHELL_3_FixedTrianglesClampTheirEdges) {
  constexpr int n = 6;
  Mesh mesh = roughGrid(n, 13);
  for (int t = 0; t < mesh.count(); ++t) {
    mesh.fixed[t] = mesh.corner(t, 0)[0] < 1.5 && mesh.corner(t, 1)[0] < 1.5 && mesh.corner(t, 2)[0] < 1.5;
  }
  // straighten the clamp
  for (Vec3& x : mesh.rest) {
    if (x[0] > 0.5 && x[0] < 1.5) x[0] = 1;
  }
  const PlateBending plate = bendingOf(mesh);
  const auto angles = anglesOf(mesh, [](const Vec3& x) { return x[0] > 1 ? (x[0] - 1) * (x[0] - 1) : 0.0; });
  for (int t = 0; t < mesh.count(); ++t) {
    if (mesh.fixed[t]) {
      EXPECT_EQ(plate.first[t], plate.first[static_cast<std::size_t>(t) + 1]);
      continue;
    }
    if (atBorder(mesh, t, n)) continue;
    const Eigen::Vector3d k = curvature(plate, t, angles);
    const Vec3 a = (mesh.corner(t, 1) - mesh.corner(t, 0)).normalized(), b = Vec3::UnitZ().cross(a);
    EXPECT_NEAR(k[0], 2 * a[0] * a[0], 1e-9) << t;
    EXPECT_NEAR(k[1], 2 * b[0] * b[0], 1e-9) << t;
  }
}

TEST(ElasticPlate, SHELL_3_SliversAndLoneTriangles) {
  Nodes<3> x;
  x << 0, 1, 0.5, 0, 0, 1e-7, 0, 0, 0;
  EXPECT_TRUE(isSliver(x));
  x(1, 2) = 1e-5;
  EXPECT_FALSE(isSliver(x));
  Mesh lone;
  lone.rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  lone.triangles = {0, 1, 2};
  lone.fixed = {0};
  const PlateBending plate = bendingOf(lone);
  EXPECT_TRUE(plate.shares.empty());
  EXPECT_TRUE(plate.D[0].allFinite());
  // closed and tiny: every vertex of a tetrahedron has three neighbours
  Mesh closed;
  closed.rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  closed.triangles = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
  closed.fixed.assign(4, 0);
  const PlateBending ball = bendingOf(closed);
  for (const AngleShare& share : ball.shares) EXPECT_TRUE(share.curvature.allFinite());
  EXPECT_GT(energy(closed, ball, std::vector<double>(6, 0.1)), 0);
}

}  // namespace
}  // namespace sinew::elastic
