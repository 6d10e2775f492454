#include "sinew/query.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sinew/load.h"
#include "sinew/step.h"
#include "support/allocation_guard.h"
#include "support/tolerance.h"

/// Rays and distances against tests of every element, one by one, in extended precision and by other formulas.
namespace sinew {
namespace {

using test::tolerance;
using Real = long double;
using Real3 = std::array<Real, 3>;
using Point = std::array<double, 3>;

Real3 operator-(const Real3& a, const Real3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Real3 operator+(const Real3& a, const Real3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Real3 operator*(Real s, const Real3& a) { return {s * a[0], s * a[1], s * a[2]}; }
Real dot(const Real3& a, const Real3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Real norm(const Real3& a) { return std::sqrt(dot(a, a)); }
Real3 cross(const Real3& a, const Real3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Real3 real(const Point& p) { return {p[0], p[1], p[2]}; }
Real3 real(const double* p) { return {p[0], p[1], p[2]}; }

/// A point, segment, triangle, tetrahedron or any other polytope: what it consists of.
struct Polytope {
  std::vector<Real3> corner;
  std::vector<std::array<int, 2>> edge;
  std::vector<std::array<int, 3>> face;
};

Polytope simplex(const std::vector<Real3>& corner) {
  Polytope p{corner, {}, {}};
  const int n = static_cast<int>(corner.size());
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      p.edge.push_back({i, j});
      for (int k = j + 1; k < n; ++k) p.face.push_back({i, j, k});
    }
  }
  return p;
}

Real toSegment(const Real3& p, const Real3& a, const Real3& b) {
  const Real3 ab = b - a;
  const Real square = dot(ab, ab);
  const Real t = square > 0 ? std::clamp<Real>(dot(p - a, ab) / square, 0, 1) : 0;
  return norm(p - (a + t * ab));
}

Real toTriangle(const Real3& p, const Real3& a, const Real3& b, const Real3& c) {
  Real nearest = std::min({toSegment(p, a, b), toSegment(p, b, c), toSegment(p, c, a)});
  const Real3 n = cross(b - a, c - a);
  const Real square = dot(n, n);
  if (!(square > 0)) return nearest;
  const bool inside =
      dot(cross(b - a, p - a), n) >= 0 && dot(cross(c - b, p - b), n) >= 0 && dot(cross(a - c, p - c), n) >= 0;
  if (inside) nearest = std::min(nearest, std::abs(dot(p - a, n)) / std::sqrt(square));
  return nearest;
}

/// From the surface of a polytope that p is outside of.
Real toPolytope(const Real3& p, const Polytope& q) {
  Real nearest = norm(p - q.corner[0]);
  for (const auto& e : q.edge) nearest = std::min(nearest, toSegment(p, q.corner[e[0]], q.corner[e[1]]));
  for (const auto& f : q.face)
    nearest = std::min(nearest, toTriangle(p, q.corner[f[0]], q.corner[f[1]], q.corner[f[2]]));
  return nearest;
}

Real segmentToSegment(const Real3& a, const Real3& b, const Real3& c, const Real3& d) {
  Real nearest = std::min({toSegment(a, c, d), toSegment(b, c, d), toSegment(c, a, b), toSegment(d, a, b)});
  const Real3 u = b - a, v = d - c, w = a - c;
  const Real uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w);
  const Real det = uu * vv - uv * uv;
  if (!(det > 1e-14L * uu * vv)) return nearest;
  const Real s = (uv * vw - vv * uw) / det, t = (uu * vw - uv * uw) / det;
  if (s >= 0 && s <= 1 && t >= 0 && t <= 1) nearest = std::min(nearest, norm(w + s * u - t * v));
  return nearest;
}

/// Of two polytopes that do not overlap.
Real between(const Polytope& p, const Polytope& q) {
  Real nearest = norm(p.corner[0] - q.corner[0]);
  for (const Real3& x : p.corner) nearest = std::min(nearest, toPolytope(x, q));
  for (const Real3& x : q.corner) nearest = std::min(nearest, toPolytope(x, p));
  for (const auto& e : p.edge) {
    for (const auto& f : q.edge) {
      nearest = std::min(nearest, segmentToSegment(p.corner[e[0]], p.corner[e[1]], q.corner[f[0]], q.corner[f[1]]));
    }
  }
  return nearest;
}

/// Elements of a flex as they are now. `surface`: of a solid the triangles that belong to one tetrahedron only.
std::vector<Polytope> elementsOf(const Model& m, const Data& d, int flex, bool surface) {
  const int corners = m.flex_dim[flex] + 1;
  const auto at = [&](int v) { return real(&d.flexvert_xpos[3 * (m.flex_vertadr[flex] + v)]); };
  std::vector<Polytope> all;
  std::map<std::array<int, 3>, int> faces;
  for (int e = 0; e < m.flex_elemnum[flex]; ++e) {
    const int* v = &m.flex_elem[m.flex_elemdataadr[flex] + corners * e];
    std::vector<Real3> corner;
    for (int i = 0; i < corners; ++i) corner.push_back(at(v[i]));
    if (corners < 4 || !surface) all.push_back(simplex(corner));
    for (int i = 0; corners == 4 && i < 4; ++i) {
      std::array<int, 3> face{v[(i + 1) % 4], v[(i + 2) % 4], v[(i + 3) % 4]};
      std::sort(face.begin(), face.end());
      ++faces[face];
    }
  }
  for (const auto& [face, count] : faces) {
    if (surface && count == 1) all.push_back(simplex({at(face[0]), at(face[1]), at(face[2])}));
  }
  return all;
}

/// Where a ray meets the surface of what is within `radius` of a simplex. Distance from a convex set is convex along a
/// line: its least value is found by sections, then the roots on both sides of it by bisection.
struct Meeting {
  Real at = -1;    ///< -1: none
  Real depth = 0;  ///< how far inside the ray comes
};
Meeting meet(const Real3& origin, const Real3& direction, const Polytope& element, Real radius) {
  const auto height = [&](Real t) { return toPolytope(origin + t * direction, element) - radius; };
  Real low = -20, high = 20;
  for (int i = 0; i < 100 && high - low > 1e-9L; ++i) {
    const Real a = low + (high - low) * 0.382L, b = low + (high - low) * 0.618L;
    const bool left = height(a) < height(b);
    (left ? high : low) = left ? b : a;
  }
  const Real middle = 0.5L * (low + high), least = height(middle);
  if (least > 0) return {};
  const auto root = [&](Real outside) {
    Real inside = middle;
    for (int i = 0; i < 70; ++i) {
      const Real half = 0.5L * (inside + outside);
      (height(half) > 0 ? outside : inside) = half;
    }
    return inside;
  };
  const Real first = root(-20);
  if (first >= 0) return {first, -least};
  const Real last = root(20);
  return last >= 0 ? Meeting{last, -least} : Meeting{-1, -least};
}

/// Passes the ball around an element at a distance.
bool passesBy(const Real3& origin, const Real3& direction, const Polytope& element, Real radius) {
  Real3 center{};
  for (const Real3& c : element.corner) center = center + (1 / static_cast<Real>(element.corner.size())) * c;
  Real reach = 0;
  for (const Real3& c : element.corner) reach = std::max(reach, norm(c - center));
  const Real3 to = center - origin;
  const Real along = dot(to, direction) / dot(direction, direction);
  return norm(to - along * direction) > 1.001L * (reach + radius);
}

struct Shape {
  const char* name;
  const char* flex;
};
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"cable", R"(<flexcomp name="f" type="grid" dim="1" count="12 1 1" spacing=".04 .04 .04" mass=".1" radius=".006"
        pos="0 0 0"><contact selfcollide="none"/><edge equality="true"/></flexcomp>)"},
      {"cloth", R"(<flexcomp name="f" type="grid" dim="2" count="6 5 1" spacing=".05 .06 .05" mass=".2" radius=".008"
        pos="0 0 0"><contact selfcollide="none"/><edge equality="true"/></flexcomp>)"},
      {"solid", R"(<flexcomp name="f" type="grid" dim="3" count="4 3 4" spacing=".06 .07 .05" mass=".5" radius=".005"
        pos="0 0 0"><contact selfcollide="none"/><elasticity young="3e4" poisson=".2" damping=".01"/></flexcomp>)"},
      {"solid without radius", R"(<flexcomp name="f" type="grid" dim="3" count="3 4 3" spacing=".06 .05 .07" mass=".5"
        radius="0" pos="0 0 0"><contact selfcollide="none"/><elasticity young="3e4" poisson=".2" damping=".01"/></flexcomp>)"},
      {"interpolated",
       R"(<flexcomp name="f" type="grid" dim="3" count="3 3 3" spacing=".08 .08 .08" mass=".5" radius=".01"
        pos="0 0 0" dof="trilinear"><contact selfcollide="none"/><elasticity young="3e4" poisson=".2" damping=".01"/></flexcomp>)"},
  };
  return all;
}

Model modelFrom(const std::string& text) { return compile(readMjcfText(text)); }

std::string sceneOf(const std::string& world, const std::string& rest = "") {
  return fmt::format(
      R"(<mujoco><option timestep="0.001" gravity="0 0 0" integrator="implicitfast"/><worldbody>{}</worldbody>{}</mujoco>)",
      world, rest);
}

using Random = std::mt19937_64;
double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}
Point pointIn(Random& random, double size) {
  return {uniform(random, -size, size), uniform(random, -size, size), uniform(random, -size, size)};
}

/// Not as it was built: bent and stretched by random velocities.
void deform(const Model& m, Data& d, Random& random) {
  for (int i = m.nv_rigid; i < m.nv; ++i) d.qvel[i] = uniform(random, -1, 1);
  for (int i = 0; i < 20; ++i) step(m, d);
  ASSERT_TRUE(d.status.ok()) << describeStatus(m, d);
}

/// A ray from around the flex, or from close by, towards it.
struct Line {
  Point origin, direction;
};
Line lineNear(Random& random) {
  const Point origin = pointIn(random, uniform(random, 0, 1) < 0.2 ? 0.15 : 1), target = pointIn(random, 0.2);
  const double scale = uniform(random, 0.3, 3);
  return {origin, {scale * (target[0] - origin[0]), scale * (target[1] - origin[1]), scale * (target[2] - origin[2])}};
}

TEST(Query, ONE_3_RaysMeetFlexesWhereATestOfEveryElementDoes) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    const Model m = modelFrom(sceneOf(shape.flex));
    Data d(m);
    Random random(7);
    deform(m, d, random);
    const std::vector<Polytope> elements = elementsOf(m, d, 0, true);
    const Real radius = m.flex_radius[0];
    int hits = 0;
    for (int i = 0; i < 10000; ++i) {
      const Line line = lineNear(random);
      const Real3 origin = real(line.origin);
      const Real length = norm(real(line.direction));
      const Real3 direction = (1 / length) * real(line.direction);
      const RayHit hit = ray(m, d, line.origin, line.direction);
      Real first = -1;
      bool grazes = false;
      for (const Polytope& e : elements) {
        if (passesBy(origin, direction, e, radius)) continue;
        Meeting meeting;
        if (radius > 0) {
          meeting = meet(origin, direction, e, radius);
          grazes = grazes || (meeting.depth > 0 && meeting.depth < 1e-10L);
        } else {  // the plane of the triangle, and the signs of three volumes
          const Real3 &a = e.corner[0], &b = e.corner[1], &c = e.corner[2], n = cross(b - a, c - a);
          const Real t = dot(a - origin, n) / dot(direction, n);
          const Real3 p = origin + t * direction;
          const Real u = dot(cross(b - a, p - a), n), v = dot(cross(c - b, p - b), n), w = dot(cross(a - c, p - c), n);
          grazes =
              grazes || std::min({std::abs(u), std::abs(v), std::abs(w)}) < 1e-12L * dot(n, n) || std::abs(t) < 1e-12L;
          if (u >= 0 && v >= 0 && w >= 0 && t >= 0) meeting.at = t;
        }
        if (meeting.at >= 0 && (first < 0 || meeting.at < first)) first = meeting.at;
      }
      if (grazes) continue;  // too close to call
      ASSERT_EQ(hit.isHit(), first >= 0) << i;
      if (first < 0) continue;
      ++hits;
      ASSERT_EQ(hit.flex, 0);
      ASSERT_EQ(hit.geom, -1);
      const Real3 normal = real(hit.normal);
      ASSERT_NEAR(static_cast<double>(norm(normal)), 1, 1e-12);
      // along the normal: a ray that hardly touches magnifies every error along itself
      const Real slope = std::abs(dot(normal, direction));
      ASSERT_LT(static_cast<double>(std::abs(hit.distance * length - first) * slope), tolerance(1e-12)) << i;
      for (std::size_t k = 0; k < 3; ++k) {
        ASSERT_NEAR(hit.point[k], line.origin[k] + hit.distance * line.direction[k], 1e-14);
      }
    }
    EXPECT_GT(hits, m.flex_dim[0] == 1 ? 200 : 1000);
  }
}

TEST(Query, ONE_3_RangefindersMeetWhatRaysMeet) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    const Model m = modelFrom(sceneOf(
        std::string(R"(<geom type="sphere" size=".05" pos="0 0 -.6"/><body name="eye" mocap="true"><site name="s"/>
          <geom type="sphere" size=".01" contype="0" conaffinity="0"/></body>)") +
            shape.flex,
        R"(<sensor><rangefinder site="s"/></sensor>)"));
    Data d(m);
    Random random(3);
    int soft = 0, rigid = 0;
    for (int i = 0; i < 400; ++i) {
      const Point origin = pointIn(random, 0.6), target = pointIn(random, 0.15);
      const bool down = i % 4 == 0;
      // half way between the z axis and the direction: half a turn about it takes one to the other
      Point axis{};
      double length = 0;
      for (std::size_t k = 0; k < 3; ++k)
        axis[k] = down ? (k == 2 ? -1 : 0) - origin[k] * (k < 2 ? 1 : 0) : target[k] - origin[k];
      length = std::hypot(axis[0], axis[1], axis[2]);
      for (double& a : axis) a /= length;
      axis[2] += 1;
      length = std::hypot(axis[0], axis[1], axis[2]);
      for (int k = 0; k < 3; ++k) {
        d.mocap_pos[k] = origin[k];
        d.mocap_quat[k + 1] = axis[k] / length;
      }
      d.mocap_quat[0] = 0;
      forward(m, d);
      const RayHit hit = ray(m, d, {d.site_xpos[0], d.site_xpos[1], d.site_xpos[2]},
                             {d.site_xmat[2], d.site_xmat[5], d.site_xmat[8]}, {.excludeBody = 1});
      ASSERT_EQ(d.sensordata[0], hit.distance) << i;
      soft += hit.flex >= 0;
      rigid += hit.geom >= 0;
    }
    EXPECT_GT(soft, 15);
    EXPECT_GT(rigid, 5);
  }
}

TEST(Query, ONE_3_DistancesAreThoseOfTheNearestElements) {
  const std::string other = R"(<body pos=".5 .1 .1"><freejoint/><geom name="sphere" type="sphere" size=".07"/></body>
    <body pos="-.5 .1 .2"><freejoint/><geom name="box" type="box" size=".05 .08 .06"/></body>
    <body pos=".1 .5 .1"><freejoint/><geom name="capsule" type="capsule" size=".03 .1"/></body>
    <geom name="plane" type="plane" size="2 2 .1" pos="0 0 -.7"/>
    <flexcomp name="g" type="grid" dim="2" count="4 4 1" spacing=".05 .05 .05" mass=".2" radius=".004" pos="0 -.4 .2">
      <contact selfcollide="none"/><edge equality="true"/></flexcomp>)";
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    const Model m = modelFrom(sceneOf(shape.flex + other));
    Data d(m);
    Random random(5);
    deform(m, d, random);
    const int flex = findId(m, ObjType::Flex, "f"), cloth = findId(m, ObjType::Flex, "g");
    for (int round = 0; round < 40; ++round) {
      for (int j = 0; j < m.njnt; ++j) {
        double* q = &d.qpos[m.jnt_qposadr[j]];
        const Point p = pointIn(random, 1), turn = pointIn(random, 1);
        for (int k = 0; k < 3; ++k) q[k] = p[k], q[k + 4] = turn[k];
        q[3] = uniform(random, -1, 1);
        const double length = std::hypot(std::hypot(q[3], q[4]), std::hypot(q[5], q[6]));
        for (int k = 3; k < 7; ++k) q[k] /= length;
      }
      forward(m, d);
      const std::vector<Polytope> elements = elementsOf(m, d, flex, false), others = elementsOf(m, d, cloth, false);
      const auto check = [&](const char* name, const Collider& a, Real expected) {
        SCOPED_TRACE(fmt::format("{} {}", name, round));
        if (!(expected > 1e-5L)) return;  // overlaps have their own test
        const Collider b{ObjType::Flex, flex};
        const Distance found = distance(m, d, a, b);
        ASSERT_TRUE(found.found);
        EXPECT_NEAR(found.distance, static_cast<double>(expected), tolerance(1e-12));
        EXPECT_NEAR(static_cast<double>(norm(real(found.to) - real(found.from))), found.distance, 1e-12);
        EXPECT_GE(found.element2, 0);
        const Distance back = distance(m, d, b, a);
        EXPECT_NEAR(back.distance, found.distance, 1e-12);
        EXPECT_FALSE(distance(m, d, a, b, 0.9 * found.distance).found);
        EXPECT_EQ(distance(m, d, a, b, 0.9 * found.distance).distance, 0.9 * found.distance);
        EXPECT_EQ(distance(m, d, a, b, 1.1 * found.distance).distance, found.distance);
      };
      const auto nearest = [&](const Polytope& p) {
        Real least = 100;
        for (const Polytope& e : elements) least = std::min(least, between(p, e));
        return least;
      };
      const auto geom = [&](const char* name) { return findId(m, ObjType::Geom, name); };
      const auto corner = [&](int g, Real x, Real y, Real z) {
        const double *R = &d.geom_xmat[9 * g], *p = &d.geom_xpos[3 * g];
        return Real3{p[0] + R[0] * x + R[1] * y + R[2] * z, p[1] + R[3] * x + R[4] * y + R[5] * z,
                     p[2] + R[6] * x + R[7] * y + R[8] * z};
      };
      const Real radius = m.flex_radius[flex];
      const int sphere = geom("sphere"), box = geom("box"), capsule = geom("capsule"), plane = geom("plane");
      check("sphere", {ObjType::Geom, sphere}, nearest(simplex({corner(sphere, 0, 0, 0)})) - radius - 0.07);
      check("capsule", {ObjType::Geom, capsule},
            nearest(simplex({corner(capsule, 0, 0, -0.1), corner(capsule, 0, 0, 0.1)})) - radius - 0.03);
      Polytope cube;
      for (int i = 0; i < 8; ++i) {
        cube.corner.push_back(corner(box, i & 1 ? 0.05 : -0.05, i & 2 ? 0.08 : -0.08, i & 4 ? 0.06 : -0.06));
      }
      for (int i = 0; i < 8; ++i) {
        for (const int bit : {1, 2, 4}) {
          if (i & bit) continue;
          cube.edge.push_back({i, i | bit});
          for (const int next : {1, 2, 4}) {
            if (next == bit || i & next) continue;
            cube.face.push_back(
                {i, i | bit, i | bit | next});  // one half of a side; the other with bit and next swapped
          }
        }
      }
      check("box", {ObjType::Geom, box}, nearest(cube) - radius);
      Real lowest = 100;
      for (int v = 0; v < m.flex_vertnum[flex]; ++v) {
        lowest = std::min<Real>(lowest, d.flexvert_xpos[3 * (m.flex_vertadr[flex] + v) + 2] + 0.7 - radius);
      }
      check("plane", {ObjType::Geom, plane}, lowest);
      Real apart = 100;
      for (const Polytope& p : others) apart = std::min(apart, nearest(p));
      check("cloth", {ObjType::Flex, cloth}, apart - radius - 0.004);
    }
  }
}

TEST(Query, ONE_3_OverlapsAreNegativeAndPushTheRightWay) {
  for (const double depth : {0.001, 0.01, 0.03}) {
    // a ball in the middle of a sheet, from above; and one inside of a solid block, close to its top
    const Model m = modelFrom(sceneOf(fmt::format(
        R"(<geom name="s" type="sphere" size=".05" pos=".013 .007 {}"/>
        <flexcomp name="f" type="grid" dim="2" count="5 5 1" spacing=".05 .05 .05" mass=".2" radius=".01">
          <contact selfcollide="none"/><edge equality="true"/></flexcomp>
        <flexcomp name="b" type="grid" dim="3" count="7 7 7" spacing=".05 .05 .05" mass="2" radius=".01" pos="3 0 0">
          <contact selfcollide="none"/><elasticity young="1e4"/></flexcomp>
        <geom name="deep" type="sphere" size=".02" pos="3.011 .007 .004"/>)",
        0.06 - depth)));
    Data d(m);
    forward(m, d);
    const Distance found = distance(m, d, {ObjType::Geom, findId(m, ObjType::Geom, "s")}, {ObjType::Flex, 0});
    ASSERT_TRUE(found.found);
    EXPECT_NEAR(found.distance, -depth, tolerance(1e-12));
    EXPECT_NEAR(found.from[2] - found.to[2], -depth, 1e-12);  // the lowest point of the ball, the top of the sheet
    // far inside a solid there is overlap as well, although its surface is far away
    EXPECT_LT(distance(m, d, {ObjType::Geom, findId(m, ObjType::Geom, "deep")}, {ObjType::Flex, 1}).distance, 0);
  }
}

// A thick triangle above a ball, whose nearest point is inside it: the distance of the centre from its plane less the
// two radii, apart and overlapping. The centre of its bounding box is nearer than any of its points.
TEST(Query, ONE_3_TiltedTrianglesAreAsFarAsTheirNearestPoint) {
  for (const double radius : {0.09, 0.0999, 0.1, 0.11, 0.12}) {
    const Model m =
        compile(readMjcfText("<mujoco><worldbody><geom type='sphere' size='" + std::to_string(radius) + R"('/>
      <flexcomp name="f" type="direct" dim="2" radius=".005" mass="1" element="0 1 2" point="0.0356041 -0.0560369 0.0819952
        0.053461 -0.0540678 0.0732017 0.0563441 -0.0368345 0.0829311"/></worldbody></mujoco>)"));
    Data d(m);
    forward(m, d);
    const Distance found = distance(m, d, {ObjType::Geom, 0}, {ObjType::Flex, 0});
    EXPECT_NEAR(found.distance, 0.104998579976 - 0.005 - radius, 1e-7) << radius;
    const Distance other = distance(m, d, {ObjType::Flex, 0}, {ObjType::Geom, 0});
    EXPECT_NEAR(other.distance, found.distance, 1e-12);
  }
}

TEST(Query, ONE_3_GroupsBodiesStaticsAndFlexesCanBeLeftOut) {
  const Model m = modelFrom(sceneOf(R"(<geom name="floor" type="plane" size="2 2 .1" pos="0 0 -1" group="3"/>
    <body name="low" pos="0 0 -.5"><freejoint/><geom name="box" type="box" size=".2 .2 .05" group="1"/></body>
    <body name="carrier" pos="0 0 .4"><freejoint/><geom name="ghost" type="sphere" size=".01" pos=".5 0 0"/>
      <flexcomp name="rigid" type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1" mass=".1" radius=".01" rigid="true">
        <contact selfcollide="none"/></flexcomp></body>
    <flexcomp name="soft" type="grid" dim="2" count="4 4 1" spacing=".1 .1 .1" mass=".1" radius=".01" group="2">
      <contact selfcollide="none"/><edge equality="true"/></flexcomp>
    <geom name="glass" type="box" size=".2 .2 .01" pos="0 0 .8" rgba="1 1 1 0"/>)"));
  Data d(m);
  forward(m, d);
  const Point from{0.02, 0.01, 1}, down{0, 0, -1};
  const auto cast = [&](const RayOptions& options) { return ray(m, d, from, down, options); };
  const int rigid = findId(m, ObjType::Flex, "rigid"), soft = findId(m, ObjType::Flex, "soft");
  const auto geom = [&](const char* name) { return findId(m, ObjType::Geom, name); };
  EXPECT_EQ(cast({}).flex, rigid);
  EXPECT_NEAR(cast({}).distance, 1 - 0.4 - 0.01, 1e-12);
  EXPECT_NEAR(cast({}).normal[2], 1, 1e-12);
  RayOptions options{.excludeBody = findId(m, ObjType::Body, "carrier")};
  EXPECT_EQ(cast(options).flex, soft);
  EXPECT_NEAR(cast(options).distance, 1 - 0.01, 1e-12);
  options.groups[2] = false;
  EXPECT_EQ(cast(options).geom, geom("box"));
  EXPECT_NEAR(cast(options).distance, 1.45, 1e-12);
  options.groups[1] = false;
  EXPECT_EQ(cast(options).geom, geom("floor"));
  EXPECT_EQ(cast(options).distance, 2);
  options.statics = false;
  EXPECT_FALSE(cast(options).isHit());
  EXPECT_EQ(cast({.flexes = false}).geom, geom("box"));
  EXPECT_FALSE(cast({.cutoff = 0.5}).isHit());
  EXPECT_TRUE(cast({.cutoff = 0.6}).isHit());
  EXPECT_EQ(ray(m, d, from, {0, 0, -2}, {}).distance, 0.5 * cast({}).distance);
  // one collider alone, whatever hides it
  const auto at = [&](ObjType type, int id) { return rayAt(m, d, {type, id}, from, down); };
  EXPECT_NEAR(at(ObjType::Geom, geom("glass")).distance, 0.19, 1e-12);
  EXPECT_EQ(at(ObjType::Geom, geom("floor")).distance, 2);
  EXPECT_NEAR(at(ObjType::Geom, geom("box")).distance, 1.45, 1e-12);
  EXPECT_EQ(at(ObjType::Geom, geom("box")).geom, geom("box"));
  EXPECT_NEAR(at(ObjType::Flex, soft).distance, 1 - 0.01, 1e-12);
  EXPECT_EQ(at(ObjType::Flex, soft).flex, soft);
  EXPECT_FALSE(at(ObjType::Geom, geom("ghost")).isHit());
}

// A pinned cloth is static as far as it is pinned; what moves is not.
TEST(Query, ONE_3_PinnedElementsAreStatic) {
  const Model m = modelFrom(sceneOf(R"(<flexcomp name="f" type="grid" dim="2" count="5 3 1" spacing=".1 .1 .1" mass=".1"
    radius=".01"><contact selfcollide="none"/><edge equality="true"/><pin gridrange="0 0 1 2"/></flexcomp>)"));
  Data d(m);
  forward(m, d);
  const auto cast = [&](double x, const RayOptions& options) {
    return ray(m, d, {x, 0.03, 1}, {0, 0, -1}, options).isHit();
  };
  EXPECT_TRUE(cast(-0.15, {}));
  EXPECT_FALSE(cast(-0.15, {.statics = false}));
  EXPECT_FALSE(cast(-0.15, {.excludeBody = 0}));
  EXPECT_TRUE(cast(0.15, {.statics = false}));
  EXPECT_TRUE(cast(-0.05, {.statics = false}));
}

TEST(Query, ONE_3_ManyRaysAreTheSameAsOneByOneOnAnyNumberOfThreads) {
  const Model m = modelFrom(sceneOf(std::string(shapes()[1].flex) + R"(<geom type="sphere" size=".1" pos=".2 .2 .3"/>
    <geom type="plane" size="2 2 .1" pos="0 0 -.5"/>)"));
  Data d(m);
  Random random(11);
  deform(m, d, random);
  std::vector<Point> origins, directions;
  for (int i = 0; i < 1000; ++i) {
    const Line line = lineNear(random);
    origins.push_back(line.origin);
    directions.push_back(line.direction);
  }
  for (const int threads : {1, 2, 4}) {
    d.threads = threads;
    std::vector<RayHit> hits(origins.size());
    rays(m, d, origins, directions, hits);
    for (std::size_t i = 0; i < hits.size(); ++i) {
      const RayHit one = ray(m, d, origins[i], directions[i]);
      ASSERT_EQ(hits[i].distance, one.distance) << i;
      ASSERT_EQ(hits[i].geom, one.geom);
      ASSERT_EQ(hits[i].element, one.element);
      ASSERT_EQ(hits[i].normal, one.normal);
    }
    rays(m, d, {origins.data(), 1}, directions, hits);
    EXPECT_EQ(hits[5].distance, ray(m, d, origins[0], directions[5]).distance);
  }
}

// What a tree looks like depends on where things have been, results must not.
TEST(Query, ONE_3_TreesDoNotShowInResults) {
  const Model m = modelFrom(sceneOf(shapes()[1].flex));
  Data used(m);
  Random random(2);
  for (int i = 0; i < 3; ++i) {
    deform(m, used, random);
    ray(m, used, {0, 0, 1}, {0, 0, -1});
  }
  reset(m, used);
  EXPECT_THROW(ray(m, used, {0, 0, 1}, {0, 0, -1}), std::logic_error);
  forward(m, used);
  Data fresh(m);
  forward(m, fresh);
  for (int i = 0; i < 500; ++i) {  // corners and edges of the grid: several elements at the same distance
    const Point origin{0.025 * (i % 11 - 5), 0.03 * (i / 11 % 9 - 4), 1};
    const RayHit a = ray(m, used, origin, {0, 0, -1}), b = ray(m, fresh, origin, {0, 0, -1});
    ASSERT_EQ(a.distance, b.distance);
    ASSERT_EQ(a.element, b.element) << i;
  }
}

TEST(Query, RangefindersAndQueriesAllocateNothingAfterWarmUp) {
  const Model m = modelFrom(sceneOf(std::string(shapes()[2].flex) + R"(<site name="s" pos="0 0 1" euler="180 0 0"/>
    <body pos="1 0 0"><freejoint/><geom name="g" size=".1"/></body>)",
                                    R"(<sensor><rangefinder site="s"/></sensor>)"));
  Data d(m);
  Random random(1);
  deform(m, d, random);
  const auto ask = [&] {
    step(m, d);
    ray(m, d, {0, 0, 1}, {0, 0, -1});
    distance(m, d, {ObjType::Geom, 0}, {ObjType::Flex, 0});
  };
  for (int i = 0; i < 3; ++i) ask();
  const test::AllocationGuard guard("rays and distances");
  for (int i = 0; i < 20; ++i) ask();
}

TEST(Query, ErrorsSayWhatIsWrong) {
  const Model m = modelFrom(sceneOf(std::string(shapes()[0].flex) + R"(<geom type="sphere" size=".1" pos="0 0 1"/>)"));
  const Model other = modelFrom(sceneOf(shapes()[1].flex));
  Data d(m);
  const auto textOf = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const std::exception& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(textOf([&] {
              ray(m, d, {0, 0, 1}, {0, 0, -1});
            }),
            "ray: nothing is placed yet, call forward() or step() first");
  forward(m, d);
  const Point o{0, 0, 1}, down{0, 0, -1};
  EXPECT_EQ(textOf([&] { ray(other, d, o, down); }), "ray: the Data was made for another Model");
  EXPECT_EQ(textOf([&] { ray(m, d, {0, NAN, 0}, down); }), "ray 0: the origin must be finite, found 0 nan 0");
  EXPECT_EQ(textOf([&] { ray(m, d, o, {0, 0, INFINITY}); }), "ray 0: the direction must be finite, found 0 0 inf");
  EXPECT_EQ(textOf([&] { ray(m, d, o, down, {.excludeBody = 7}); }),
            "ray: excludeBody must be -1 or a body below 1, found 7");
  EXPECT_EQ(textOf([&] { ray(m, d, o, down, {.cutoff = -1}); }), "ray: the cutoff must not be negative, found -1");
  EXPECT_EQ(textOf([&] { rayAt(m, d, {ObjType::Geom, 1}, o, down); }), "rayAt: geom 1 does not exist, the model has 1");
  EXPECT_EQ(textOf([&] { rayAt(m, d, {ObjType::Site, 0}, o, down); }), "rayAt: a collider is a geom or a flex");
  std::vector<RayHit> hits(2);
  EXPECT_EQ(textOf([&] {
              rays(m, d, {&o, 1}, {&down, 1}, hits);
            }),
            "rays: 1 origins, 1 directions and 2 hits do not fit: one origin, or as many of each");
  EXPECT_EQ(textOf([&] {
              distance(m, d, {ObjType::Geom, 3}, {ObjType::Flex, 0});
            }),
            "distance: geom 3 does not exist, the model has 1");
  EXPECT_EQ(textOf([&] {
              distance(m, d, {ObjType::Body, 0}, {ObjType::Flex, 0});
            }),
            "distance: a collider is a geom or a flex");
  EXPECT_EQ(textOf([&] {
              distance(m, d, {ObjType::Flex, 0}, {ObjType::Flex, 0});
            }),
            "distance: a collider has no distance from itself");
  EXPECT_EQ(textOf([&] {
              distance(m, d, {ObjType::Geom, 0}, {ObjType::Flex, 0}, -2);
            }),
            "distance: the cutoff must not be negative, found -2");
  EXPECT_FALSE(ray(m, d, o, {0, 0, 0}).isHit());
}

}  // namespace
}  // namespace sinew
